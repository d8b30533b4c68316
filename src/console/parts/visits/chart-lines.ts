/** The drawing area of a chart, in pixels from the top left of its picture. */
interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The positions of a series' points; `top`: the value at the upper edge. A single point is in the middle. */
export const scaleOf = ({ left, right, top, bottom }: Plot, count: number, highest: number) => ({
  x: (index: number): number => (count === 1 ? (left + right) / 2 : left + ((right - left) * index) / (count - 1)),
  y: (value: number): number => bottom - ((bottom - top) * value) / Math.max(1, highest),
  at: (x: number): number => {
    const share = right === left ? 0 : (x - left) / (right - left)
    return Math.min(count - 1, Math.max(0, Math.round(share * (count - 1))))
  },
})

type Scale = ReturnType<typeof scaleOf>

const round = (pixels: number): string => String(Math.round(pixels * 10) / 10)

/** A line through values, as a path. */
export const lineOf = (values: readonly number[], { x, y }: Pick<Scale, 'x' | 'y'>): string =>
  values.map((value, i) => `${i === 0 ? 'M' : 'L'}${round(x(i))} ${round(y(value))}`).join('')

/** The area under it. */
export const areaOf = (values: readonly number[], scale: Pick<Scale, 'x' | 'y'>): string =>
  values.length === 0 ? '' : `${lineOf(values, scale)}V${round(scale.y(0))}H${round(scale.x(0))}Z`
