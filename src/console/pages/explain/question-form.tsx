import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { isId } from '../../../domain/id.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { idOfUser } from '../../parts/id-of-user'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { policyRowIn } from '../../parts/policy/row'
import { Segments } from '../../parts/segments'
import { may, reasonFor } from '../../parts/service-rights'
import { useLinkSuggestions, useUserSuggestions } from '../../parts/use-suggestions'
import { ActionField, RelationField, RoleField, namesIn } from './name-fields'
import { questionIn, type Question } from './question'

const ABOUTS = ['person', 'role'] as const

/** Who wants to do what to which link, chosen by typing. */
export const QuestionForm = ({
  question,
  off,
  onAsk,
}: {
  readonly question: Question | null
  /** why the caller may not ask about people and their links */
  readonly off: string | null
  readonly onAsk: (question: Question) => unknown
}) => {
  const about = useSignal<Question['about']>(question?.about ?? 'person')
  const isPerson = about.value === 'person' && off === null
  const role = useSignal(question?.about === 'role' ? question.role : 'editor')
  const { roles, actions } = useNamed()
  const { busy, problem, attempt } = useAttempt()
  const faults = useSignal<Readonly<Record<string, string>>>({})
  const ask = (form: HTMLFormElement) =>
    attempt(async () => {
      const texts = Object.fromEntries(
        ['who', 'role', 'action', 'link', 'relation'].map((name) => [name, textOf(form, name).trim()]),
      )
      faults.value = {}
      const { who = '' } = texts
      const mayFind = reasonFor('user:read') === null || isId(who)
      const user = !isPerson || who === '' ? undefined : mayFind ? await idOfUser(who) : null
      if (user === null) {
        faults.value = { who: mayFind ? t.explain.nobody : t.explain.onlyId }
        return
      }
      const asked = questionIn(isPerson ? { ...texts, user, role: '' } : { ...texts, user: '' })
      if (asked === null) faults.value = isPerson ? { who: t.explain.whoIsIt } : { role: t.explain.whichRole }
      else void onAsk(asked)
    })
  return (
    <form class="card" onSubmit={handleSubmit(ask)}>
      <div class="body stack">
        <div class="row">
          <Segments
            label={t.explain.about}
            names={ABOUTS}
            chosen={isPerson ? 'person' : 'role'}
            words={(each) => t.explain.abouts[each]}
            isOff={(each) => each === 'person' && off !== null}
            onChoose={(each) => (about.value = each)}
          />
          {off !== null && <span class="reason">{t.explain.personOff(off)}</span>}
        </div>
        <ProblemNote problem={problem.value} />
        <div class="fields">
          {isPerson ? (
            <WhoField question={question} fault={faults.value['who']} />
          ) : (
            <RoleField roles={roles} chosen={role} fault={faults.value['role']} />
          )}
          <ActionField actions={actions} chosen={question?.action ?? 'link:delete'} />
          {isPerson ? (
            <LinkField chosen={question?.about === 'person' ? question.link : null} />
          ) : (
            <RelationField role={role.value} isOwn={question?.about === 'role' && question.relation === 'own'} />
          )}
        </div>
        <div class="row">
          <Button kind="main" type="submit" busy={busy.value}>
            {t.explain.explain}
          </Button>
        </div>
      </div>
    </form>
  )
}

const WhoField = ({ question, fault }: { readonly question: Question | null; readonly fault: string | undefined }) => {
  const user = question?.about === 'person' ? question.user : ''
  const typed = useSignal(user)
  const suggested = useUserSuggestions(typed.value)
  const mayRead = may('user:read')
  // the URL of the page contains a user's id
  const { value: email } = useLoaded(
    async (signal) => (mayRead && user !== '' ? (await api.getUser(user, { signal })).email : null),
    [user, mayRead],
  )
  useEffect(() => {
    if (email !== null && typed.peek() === user) typed.value = email
  }, [email])
  return (
    <SuggestField
      label={t.decisions.columns.who}
      hint={reasonFor('user:read') === null ? t.explain.whoHint : t.explain.onlyId}
      fault={fault}
      name="who"
      typed={typed}
      suggested={suggested.map((each) => [each.email, `${each.name}, ${each.role}`])}
    />
  )
}

const useNamed = () => {
  const mayRead = may('policy:read')
  const { value } = useLoaded(async (signal) => (mayRead ? api.getPolicy({}, { signal }) : null), [mayRead])
  return namesIn((value?.rows ?? []).flatMap((row) => policyRowIn(row) ?? []))
}

const LinkField = ({ chosen }: { readonly chosen: string | null }) => {
  const typed = useSignal(chosen ?? '')
  const suggested = useLinkSuggestions(typed.value)
  return (
    <SuggestField
      label={t.explain.link}
      hint={t.explain.linkHint}
      name="link"
      typed={typed}
      suggested={suggested.map(({ code, title }) => [code, title ?? ''])}
    />
  )
}

/** A text field with suggestions, each a value and what it is. */
const SuggestField = ({
  name,
  typed,
  suggested,
  ...field
}: {
  readonly label: string
  readonly hint: string
  readonly fault?: string | undefined
  readonly name: string
  readonly typed: Signal<string>
  readonly suggested: readonly (readonly [value: string, words: string])[]
}) => (
  <Field {...field}>
    {(names) => (
      <>
        <input
          {...names}
          name={name}
          list={`${names.id}-list`}
          autocomplete="off"
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <datalist id={`${names.id}-list`}>
          {suggested.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </datalist>
      </>
    )}
  </Field>
)
