const EIGHTHS = [...' ▁▂▃▄▅▆▇█']
const ROWS = 6

interface Chart {
  readonly lines: readonly string[]
  /** how many numbers each bar adds up */
  readonly perBar: number
}

/**
 * Draws numbers as bars, in lines of at most `width` characters. If there are more than fit, each bar is the sum of
 * several. Every bar above zero is visible.
 */
export const drawChart = (numbers: readonly number[], width: number): Chart => {
  const widest = numbers.reduce((sum, each) => sum + each, 0).toLocaleString('en').length
  const room = Math.max(1, width - widest - 2)
  const perBar = Math.max(1, Math.ceil(numbers.length / room))
  const bars = Array.from({ length: Math.ceil(numbers.length / perBar) }, (_, i) =>
    numbers.slice(i * perBar, (i + 1) * perBar).reduce((sum, each) => sum + each, 0),
  )
  const most = Math.max(1, ...bars)
  const heights = bars.map((bar) => (bar === 0 ? 0 : Math.max(1, Math.round((bar / most) * ROWS * 8))))
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const row = ROWS - 1 - i
    const label = i === 0 ? most.toLocaleString('en') : row === 0 ? '0' : ''
    const cells = heights.map((height) => EIGHTHS[Math.min(8, Math.max(0, height - row * 8))])
    return `${label.padStart(widest)} │${cells.join('')}`.trimEnd()
  })
  return { lines, perBar }
}
