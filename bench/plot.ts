import { writeFile } from 'node:fs/promises'

import { View, parse } from 'vega'
import { compile } from 'vega-lite'

import type { Verdict } from './targets.js'

/** How far each target is met, as a picture: 1 is the target itself, and more is better. */
export const plotVerdicts = async (verdicts: readonly Verdict[], file: URL): Promise<void> => {
  const values = verdicts.map(({ path, measured, bound, value, met }) => ({
    path,
    share: bound === 'at most' ? value / measured : measured / value,
    met: met ? 'met' : 'missed',
  }))
  const { spec } = compile({
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: 520,
    height: { step: 22 },
    background: 'white',
    data: { values },
    layer: [
      {
        mark: { type: 'bar', cornerRadiusEnd: 2 },
        encoding: {
          y: { field: 'path', type: 'nominal', sort: null, title: null, axis: { labelLimit: 420 } },
          x: {
            field: 'share',
            type: 'quantitative',
            scale: { type: 'log' },
            title: 'times the target (1: exactly met; to the right: better)',
          },
          x2: { datum: 1 },
          color: {
            field: 'met',
            type: 'nominal',
            title: null,
            scale: { domain: ['met', 'missed'], range: ['#3b7d4f', '#b5483a'] },
          },
        },
      },
      { mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { x: { datum: 1 } } },
    ],
  })
  await writeFile(file, `${await new View(parse(spec)).toSVG()}\n`)
}
