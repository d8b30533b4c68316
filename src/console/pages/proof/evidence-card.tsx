import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { CopyButton } from '../../parts/copy-button'
import { save } from '../../parts/download'
import { Field } from '../../parts/field'
import { useKeptFocus } from '../../parts/focus'
import { handleSubmit, textOf } from '../../parts/form'
import { LOCAL_TIME, fromLocal } from '../../parts/local-time'
import { ProblemNote, faultsOf } from '../../parts/note'
import { say } from '../../parts/toast'
import { checkCommand, evidenceName } from './evidence-file'

/** The log of a period as one signed file, and the command that checks it elsewhere. */
export const EvidenceCard = ({ off }: { readonly off: string | null }) => {
  const { busy, problem, attempt } = useAttempt()
  const period = useSignal<{ readonly from: string | null; readonly to: string | null }>({ from: null, to: null })
  const made = useSignal(0)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const name = evidenceName(period.value.from, period.value.to)
  const read = (form: HTMLFormElement) => {
    const [from, to] = [textOf(form, 'from'), textOf(form, 'to')]
    period.value = { from: from || null, to: to || null }
  }
  const make = () =>
    attempt(async () => {
      const { signal } = (running.current = new AbortController())
      const [from, to] = [fromLocal(period.value.from ?? ''), fromLocal(period.value.to ?? '')]
      const parts: string[] = []
      made.value = 0
      try {
        for await (const part of api.exportEvidence({ ...(from && { from }), ...(to && { to }) }, { signal })) {
          parts.push(part)
          made.value += part.length
        }
      } catch (error) {
        if (signal.aborted) return
        throw error
      }
      save(name, new Blob(parts, { type: 'application/x-ndjson' }))
      say(t.proof.saved(name))
    })
  const faults = faultsOf(problem.value)
  const command = checkCommand(name)
  return (
    <Card title={t.proof.evidence}>
      <form
        class="body stack"
        onInput={({ currentTarget }) => read(currentTarget)}
        onSubmit={handleSubmit(() => off === null && make())}
      >
        <p class="lead">{t.proof.evidenceLead}</p>
        {faults['from'] === undefined && faults['to'] === undefined && <ProblemNote problem={problem.value} />}
        <div class="fields">
          <Field label={t.proof.from} hint={t.proof.fromHint} fault={faults['from']}>
            {(names) => <input {...names} {...LOCAL_TIME} name="from" />}
          </Field>
          <Field label={t.proof.to} hint={t.proof.toHint} fault={faults['to']}>
            {(names) => <input {...names} {...LOCAL_TIME} name="to" />}
          </Field>
        </div>
        <div class="row" {...useKeptFocus<HTMLDivElement>()}>
          <Button kind="main" type="submit" icon="download" busy={busy.value} off={off}>
            {busy.value ? t.proof.making : t.proof.make}
          </Button>
          {busy.value && (
            <>
              <span class="caption">{t.proof.madeSoFar(number(Math.ceil(made.value / 1_000)))}</span>
              <Button kind="bare" icon="close" onPress={() => running.current?.abort()}>
                {t.stop}
              </Button>
            </>
          )}
        </div>
        <div>
          <p class="caption">{t.proof.checkIt}</p>
          <div class="row command">
            <code>{command}</code>
            <CopyButton text={command} label={t.proof.copyCommand} />
          </div>
          <p class="caption">{t.proof.withKey}</p>
        </div>
      </form>
    </Card>
  )
}
