/** The icons of the console, 16 by 16. Each is next to a word, or has one for screen readers. */
const SHAPES = {
  add: 'M8 3v10M3 8h10',
  chart: 'M2 13h12M3 10l3-4 3 2 4-5',
  check: 'm3 8 3.5 3.5L13 5',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3l2 2',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M6 5.5h7v8H6zM10 5V2.5H3v8h2.5',
  deny: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM5 8h6',
  down: 'm4 6 4 4 4-4',
  download: 'M8 2v8M5 7.5 8 10.5l3-3M2.5 13.5h11',
  edit: 'm3 13 .7-3L11 2.7 13.3 5 6 12.3z',
  grid: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.500 3.500v9',
  import: 'M8 10.5V2M5 5l3-3 3 3M2.5 9v4.5h11V9',
  key: 'M10.5 8.5a3 3 0 1 0-3-3c0 .4 0 .7.2 1L2.5 11.800V13.500h2v-1.500H6V10.500h1.500l1.5-2c.5.1 1 .1 1.5 0Z',
  ladder: 'M5 2v12M11 2v12M5 5h6M5 8h6M5 11h6',
  link: 'M6.5 9.500l3-3M7 4.500l1-1a3 3 0 0 1 4.5 4.500l-1 1M9 11.500l-1 1A3 3 0 0 1 3.5 8l1-1',
  lock: 'M4 7.500h8v6H4zM5.5 7.500V5a2.5 2.5 0 0 1 5 0v2.5',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  open: 'M6.5 3.500h-4v10h10v-4M9 2.500h4.500V7M13 3 7.5 8.5',
  options: 'M2.5 5h7M12.5 5h1M2.5 11h1M6.5 11h7M11 3.500v3M5 9.500v3',
  out: 'M9.5 2.500h-6v11h6M6.5 8h7M11 5.5 13.5 8 11 10.5',
  pause: 'M5.5 3.500v9M10.5 3.500v9',
  people:
    'M6 7.500A2 2 0 1 0 6 3a2 2 0 0 0 0 4.500ZM1.500 13c.5-4 8.500-4 9 0M10.500 3.300a2 2 0 0 1 0 4M12 10q2 .5 2.500 3',
  play: 'm5 3 7 5-7 5z',
  proposal: 'M3 2.500h10v8H8l-3 3v-3H3zM5.500 5.500h5M5.500 7.500h3',
  pulse: 'M1.500 8.500H4l2-5 3.500 9 2-4h3',
  restore: 'M3 8a5 5 0 1 0 1.5-3.500L3 6M3 3v3h3',
  search: 'M7 2.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.500l3 3',
  shield: 'M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4zM5.500 8l2 2 3-3.500',
  tag: 'M2.5 2.500h5l6 6-5 5-6-6zM5.5 5.500h.01',
  text: 'M3 3.500h10M3 6.500h10M3 9.500h7M3 12.500h9',
  trash: 'M3 4.500h10M6 4.500v-2h4v2M4.5 4.500l.5 9h6l.5-9',
  user: 'M8 8.500A2.5 2.5 0 1 0 8 3.500a2.5 2.5 0 0 0 0 5ZM3 13.500c.5-2 2.5-3 5-3s4.5 1 5 3',
} as const

export type IconName = keyof typeof SHAPES

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={SHAPES[name]} />
  </svg>
)

/** The mark of the service: four bars under an arch. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 28 32" aria-hidden="true">
    <path d="M3 31V13a11 11 0 0 1 22 0v18M10.5 31V8M17.5 31V8M3 24h22" />
  </svg>
)
