import { useSignal } from '@preact/signals'

import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempts } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { save } from '../../parts/download'
import { Field, Options } from '../../parts/field'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { oneOf } from '../../parts/narrow'
import { ProblemNote, faultsOf } from '../../parts/note'
import { wait } from '../../parts/pause'

const LEVELS = ['L', 'M', 'Q', 'H'] as const
type Level = (typeof LEVELS)[number]

/** How long after the last change the picture is redrawn, in milliseconds. */
const CHANGED_MS = 250

interface Look {
  readonly size: string
  readonly level: Level
  readonly dark: string
  readonly light: string
}

const FIRST: Look = { size: '512', level: 'M', dark: '#000000', light: '#ffffff' }

/** A picture as a data URL, the only kind that the page's policy allows. */
const addressOf = (picture: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(picture)
  })

/** The QR code of a link, as the service draws it. */
export const QrCard = ({ code, url }: { readonly code: string; readonly url: string }) => {
  const look = useSignal(FIRST)
  const { problem: refusal, attempt } = useAttempts()
  const loaded = useLoaded(
    async (signal) => {
      if (look.value !== FIRST) await wait(CHANGED_MS, signal)
      return addressOf(await api.getLinkQr(code, { ...look.value, format: 'svg' }, { signal }))
    },
    [code, look.value],
  )
  const picture = loaded.value
  const set = (changed: Partial<Look>) => {
    look.value = { ...look.value, ...changed }
    refusal.value = null
  }
  const download = (format: 'svg' | 'png') =>
    attempt(async () => save(`${code}.${format}`, await api.getLinkQr(code, { ...look.value, format })))

  const shown = refusal.value ?? loaded.problem
  const faults = faultsOf(shown)
  return (
    <Card title={t.link.qr.title}>
      <div class="body stack">
        {shown?.errors.length === 0 &&
          (refusal.value === null ? <LoadProblem of={loaded} /> : <ProblemNote problem={refusal.value} />)}
        <div class="qr">
          {picture !== null && <img src={picture} alt={t.link.qr.picture(url)} width="112" height="112" />}
          <div class="stack">
            <p class="hint">{t.link.qr.hint}</p>
            <div class="row">
              <Button icon="download" label={t.link.qr.download('SVG')} onPress={() => download('svg')}>
                SVG
              </Button>
              <Button icon="download" label={t.link.qr.download('PNG')} onPress={() => download('png')}>
                PNG
              </Button>
            </div>
          </div>
        </div>
        <details class="disclosure" open={shown !== null && shown.errors.length > 0 ? true : undefined}>
          <summary>{t.link.qr.look}</summary>
          <div class="fields">
            <Field label={t.link.qr.size} fault={faults['size']} whole>
              {(names) => (
                <input
                  {...names}
                  type="number"
                  min={64}
                  max={2_048}
                  value={look.value.size}
                  onInput={({ currentTarget }) => set({ size: currentTarget.value })}
                />
              )}
            </Field>
            <Field label={t.link.qr.level} fault={faults['level']} whole>
              {(names) => (
                <select
                  {...names}
                  value={look.value.level}
                  onChange={({ currentTarget: { value } }) => set({ level: oneOf(LEVELS, value) ?? FIRST.level })}
                >
                  <Options names={LEVELS} words={(level) => t.link.qr.levels[level]} />
                </select>
              )}
            </Field>
            {(['dark', 'light'] as const).map((colour) => (
              <Field key={colour} label={t.link.qr[colour]} fault={faults[colour]}>
                {(names) => (
                  <input
                    {...names}
                    type="color"
                    value={look.value[colour]}
                    onInput={({ currentTarget }) => set({ [colour]: currentTarget.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        </details>
      </div>
    </Card>
  )
}
