import { DECIDING_LAYERS } from '../../../domain/log-filter.js'

const WIDTH = 4
const STEP = 6
const HEIGHT = 14
const LOW = 10

/** Four layers: filled if passed, tall where it stopped, hollow after that. A word is next to it. */
export const LayerBars = ({ stop }: { /** null: it passed all */ readonly stop: string | null }) => {
  const at = stop === null ? DECIDING_LAYERS.length : DECIDING_LAYERS.findIndex((layer) => layer === stop)
  return (
    <svg class="layer-bars" width={STEP * DECIDING_LAYERS.length} height={HEIGHT} aria-hidden="true">
      {DECIDING_LAYERS.map((layer, i) => {
        const height = i === at ? HEIGHT : LOW
        const what = stop === null ? 'all' : i < at ? 'passed' : i === at ? 'stopped' : 'unreached'
        return (
          <rect
            key={layer}
            class={what}
            x={i * STEP + 0.5}
            y={HEIGHT - height + 0.5}
            width={WIDTH - 1}
            height={height - 1}
          />
        )
      })}
    </svg>
  )
}
