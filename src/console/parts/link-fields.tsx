import { useSignal } from '@preact/signals'

import { REDIRECT_STATUSES } from '../../domain/link.js'
import type { ManagedLink } from '../api'
import { t } from '../language/language'
import type { Wanted } from './codes-like'
import { Choice, Field, Options } from './field'
import { tagsIn, textOf } from './form'
import { hintOfEnd } from './hint-of-end'
import { LOCAL_TIME, fromLocal, toLocal } from './local-time'
import { PasswordField } from './password-field'
import { TakenCode } from './taken-code'

type Faults = Readonly<Record<string, string | undefined>>

/** All fields of a link except its target. `link`: its current values; without it, a link is being created. */
export const LinkFields = ({
  link,
  password,
  faults,
  taken,
}: {
  readonly link?: ManagedLink
  /** what was typed before; null: the password is removed */
  readonly password?: string | null | undefined
  readonly faults: Faults
  /** the link that was refused because its code is taken */
  readonly taken: Wanted | null
}) => {
  const forwards = useSignal(link?.forward_query ?? false)
  const dropsPassword = useSignal(password === null)
  const end = useSignal(toLocal(link?.expires_at))
  return (
    <div class="fields">
      <Field
        label={t.fields.code}
        hint={t.fields.codeHint}
        fault={taken === null ? faults['code'] : <TakenCode wanted={taken} />}
      >
        {(names) => (
          <input
            {...names}
            name="code"
            class="mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={64}
            required={link !== undefined}
            defaultValue={link?.code ?? ''}
          />
        )}
      </Field>
      <Field label={t.fields.title} fault={faults['title']}>
        {(names) => (
          <input {...names} name="title" autocomplete="off" maxLength={200} defaultValue={link?.title ?? ''} />
        )}
      </Field>
      <Field label={t.fields.tags} hint={t.fields.tagsHint} fault={faults['tags']}>
        {(names) => <input {...names} name="tags" autocomplete="off" defaultValue={link?.tags.join(', ') ?? ''} />}
      </Field>
      <Field label={t.fields.max_visits} fault={faults['max_visits']}>
        {(names) => (
          <input
            {...names}
            name="max_visits"
            type="number"
            min={1}
            max={1_000_000_000}
            defaultValue={link?.max_visits ?? ''}
          />
        )}
      </Field>
      <Field label={t.fields.starts_at} fault={faults['starts_at']}>
        {(names) => <input {...names} {...LOCAL_TIME} name="starts_at" defaultValue={toLocal(link?.starts_at)} />}
      </Field>
      <Field label={t.fields.expires_at} hint={hintOfEnd(end.value)} fault={faults['expires_at']}>
        {(names) => (
          <input
            {...names}
            {...LOCAL_TIME}
            name="expires_at"
            defaultValue={toLocal(link?.expires_at)}
            onInput={({ currentTarget }) => (end.value = currentTarget.value)}
          />
        )}
      </Field>
      <div class="stack">
        <PasswordField
          label={t.fields.password}
          name="password"
          autocomplete="off"
          hint={link?.has_password ? t.fields.keepPassword : t.fields.passwordHint}
          fault={faults['password']}
          typed={password ?? ''}
          required={false}
        />
        {link?.has_password && (
          <Choice
            label={t.fields.noPassword}
            checked={dropsPassword.value}
            onChange={(is) => (dropsPassword.value = is)}
          />
        )}
        <input type="hidden" name="drops_password" value={String(dropsPassword.value)} />
      </div>
      <div class="stack">
        <Field label={t.fields.status} fault={faults['status']}>
          {(names) => (
            <select {...names} name="status">
              <Options
                names={REDIRECT_STATUSES}
                words={(status) => t.fields.statuses[status]}
                chosen={link?.status ?? 302}
              />
            </select>
          )}
        </Field>
        <Choice label={t.fields.forward_query} checked={forwards.value} onChange={(is) => (forwards.value = is)} />
        <input type="hidden" name="forward_query" value={String(forwards.value)} />
      </div>
      <Field label={t.fields.note} hint={t.fields.noteHint} fault={faults['note']} whole>
        {(names) => <textarea {...names} name="note" maxLength={2_000} defaultValue={link?.note ?? ''} />}
      </Field>
    </div>
  )
}

/** The values of the fields. */
export const readLinkFields = (form: HTMLFormElement) => {
  const orNull = (name: string): string | null => textOf(form, name).trim() || null
  const password = textOf(form, 'password')
  const most = orNull('max_visits')
  return {
    code: orNull('code'),
    title: orNull('title'),
    note: orNull('note'),
    tags: [...tagsIn(textOf(form, 'tags'))],
    starts_at: fromLocal(textOf(form, 'starts_at')),
    expires_at: fromLocal(textOf(form, 'expires_at')),
    max_visits: most === null ? null : Number(most),
    status: REDIRECT_STATUSES.find((status) => String(status) === textOf(form, 'status')) ?? 302,
    forward_query: textOf(form, 'forward_query') === 'true',
    /** undefined: unchanged */
    password: textOf(form, 'drops_password') === 'true' ? null : password === '' ? undefined : password,
  }
}
