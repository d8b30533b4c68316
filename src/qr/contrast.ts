/** A colour as `#rrggbb`, in lower case. */
export type Colour = `#${string}`

const COLOUR = /^#?([0-9a-f]{6})$/i

/** Parses `#rrggbb` or `rrggbb`: in a URL, `#` must be encoded as %23, which people forget. Null if invalid. */
export const parseColour = (text: string): Colour | null => {
  const digits = COLOUR.exec(text)?.[1]
  return digits === undefined ? null : `#${digits.toLowerCase()}`
}

/** The channels of a colour, each 0 to 255. */
export const channelsOf = (colour: Colour): readonly [red: number, green: number, blue: number] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 0xff, value & 0xff]
}

/** Relative luminance, 0 to 1 (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
const luminanceOf = (colour: Colour): number => {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/**
 * WCAG's contrast ratio of `light` to `dark`, up to 21. It is below 1 if `light` is the darker colour, because many
 * scanners do not recognise inverted codes.
 */
export const contrastOf = (dark: Colour, light: Colour): number =>
  (luminanceOf(light) + 0.05) / (luminanceOf(dark) + 0.05)
