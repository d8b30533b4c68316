import type { ComponentChildren } from 'preact'

import { DECIDING_LAYERS } from '../../../domain/log-filter.js'
import type { DecidingLayer } from '../../../domain/log-filter.js'
import { t } from '../../language/language'

export interface Rung {
  /** `given`: not evaluated, assumed to pass */
  readonly state: 'passes' | 'stops' | 'unreached' | 'given'
  readonly body: ComponentChildren
}

/** The four layers, from the top, with posts down to the one that stops the request. */
export const Ladder = ({ rungs }: { readonly rungs: Readonly<Record<DecidingLayer, Rung>> }) => (
  <ol class="ladder">
    {DECIDING_LAYERS.map((layer, i) => {
      const { state, body } = rungs[layer]
      return (
        <li key={layer} class={state}>
          <span class="post" aria-hidden="true">
            {i + 1}
          </span>
          <div class="layer">
            <strong>{t.explain.layers[layer]}</strong>
            <span class="caption">{t.explain.asks[layer]}</span>
          </div>
          <div class="said">{body}</div>
          <span class="state">
            <i aria-hidden="true">{SIGNS[state]}</i> {t.explain.states[state]}
          </span>
        </li>
      )
    })}
  </ol>
)

const SIGNS = { passes: '✓', stops: '−', unreached: '', given: '' } as const

/** The number of the layer that stops the request. */
export const layerNumber = (layer: string): number => DECIDING_LAYERS.findIndex((each) => each === layer) + 1
