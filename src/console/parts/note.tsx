import type { ComponentChildren } from 'preact'

import type { LinkgateProblem } from '../api'
import { besideField, nameOfField } from '../language/fault-words'
import { t } from '../language/language'
import { Button } from './button'
import { useGivenBackFocus } from './focus'

/** A message of the page. Refusals are announced to screen readers at once. */
export const Note = ({
  kind = 'plain',
  title,
  children,
}: {
  readonly kind?: 'deny' | 'lit' | 'allow' | 'plain'
  readonly title: string
  readonly children?: ComponentChildren
}) => (
  <div class={`note ${kind}`} role={kind === 'deny' ? 'alert' : 'status'}>
    <strong>{title}</strong>
    {children}
  </div>
)

/** An error in a sentence, with a way to continue; nothing without an error. */
export const ProblemNote = ({
  problem,
  onRetry,
}: {
  readonly problem: LinkgateProblem | null
  readonly onRetry?: (() => unknown) | undefined
}) =>
  problem && (
    <Note kind="deny" title={t.problem(problem)}>
      {problem.status >= 500 && problem.requestId !== undefined && (
        <span class="caption">
          {t.request} <code>{problem.requestId}</code>
        </span>
      )}
      {onRetry !== undefined && <Retry onRetry={onRetry} />}
    </Note>
  )

/** Tries again. Its focus goes back once the problem is gone. */
export const Retry = ({ onRetry }: { readonly onRetry: () => unknown }) => (
  <div class="row" ref={useGivenBackFocus<HTMLDivElement>()}>
    <Button onPress={onRetry}>{t.tryAgain}</Button>
  </div>
)

/** The error of a form, unless it names fields: their faults appear next to these. */
export const FormProblem = ({ problem }: { readonly problem: LinkgateProblem | null }) =>
  problem !== null && problem.errors.length > 0 ? null : <ProblemNote problem={problem} />

/** The faults by field. */
export const faultsOf = (problem: LinkgateProblem | null): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries((problem?.errors ?? []).map((fault) => [nameOfField(fault), besideField(t.faults, fault)]))
