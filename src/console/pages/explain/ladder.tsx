import type { ComponentChildren } from 'preact'

import { DECIDING_LAYERS, type DecidingLayer } from '../../../domain/log-filter.js'
import { t } from '../../language/language'

export type Bodies = Readonly<Partial<Record<DecidingLayer, ComponentChildren>>>

/** The four layers, from the top, with posts down to the one that stops the request. */
export const Ladder = ({
  stop,
  given = [],
  bodies,
}: {
  /** null: it passes all of them */
  readonly stop: string | null
  /** layers that were not evaluated, and are assumed to let it pass */
  readonly given?: readonly DecidingLayer[]
  readonly bodies: Bodies
}) => {
  const last = stop === null ? Infinity : layerNumber(stop)
  return (
    <ol class="ladder">
      {DECIDING_LAYERS.map((layer) => {
        const at = layerNumber(layer)
        const state = at > last ? 'unreached' : at === last ? 'stops' : given.includes(layer) ? 'given' : 'passes'
        return (
          <li key={layer} class={state}>
            <span class="post" aria-hidden="true">
              {at}
            </span>
            <div class="layer">
              <strong>{t.explain.layers[layer]}</strong>
              <span class="caption">{t.explain.asks[layer]}</span>
            </div>
            <div class="said">{bodies[layer]}</div>
            <span class="state">
              <i aria-hidden="true">{SIGNS[state]}</i> {t.explain.states[state]}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

const SIGNS = { passes: '✓', stops: '−', unreached: '', given: '' } as const

/** The number of a layer, from 1. */
export const layerNumber = (layer: string): number => DECIDING_LAYERS.findIndex((each) => each === layer) + 1
