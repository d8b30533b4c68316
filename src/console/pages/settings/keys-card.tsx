import { useSignal } from '@preact/signals'

import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { Choice } from '../../parts/field'
import { forget, store, stored } from '../../parts/stored'

/** Single-letter keys: what they do, and a switch to turn them off. */
export const KeysCard = () => {
  const areOn = useSignal(stored('keys') !== 'off')
  const turn = (on: boolean) => {
    areOn.value = on
    if (on) forget('keys')
    else store('keys', 'off')
  }
  return (
    <Card title={t.settings.keys.title}>
      <div class="body stack">
        <div>
          <Choice asSwitch label={t.settings.keys.on} checked={areOn.value} onChange={turn} />
          <p class="hint">{t.settings.keys.hint}</p>
        </div>
        <h3>{t.settings.keys.onLinks}</h3>
        <dl class="keys">
          {t.settings.keys.list.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}
