import type { ComponentChildren } from 'preact'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import { Button } from './button'

/** Something that the page has to say. What denies is told to those who do not see it at once. */
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

/** What went wrong, in a sentence, and a way on. Faults of single fields stand beside those. */
export const ProblemNote = ({
  problem,
  onRetry,
}: {
  readonly problem: LinkgateProblem
  readonly onRetry?: (() => unknown) | undefined
}) => (
  <Note kind="deny" title={t.problem(problem)}>
    {problem.status >= 500 && problem.requestId !== undefined && (
      <span class="caption">
        {t.request} <code>{problem.requestId}</code>
      </span>
    )}
    {onRetry !== undefined && (
      <div class="row">
        <Button onPress={onRetry}>{t.tryAgain}</Button>
      </div>
    )}
  </Note>
)

/** What went wrong with a form; what is wrong with its fields stands beside those. */
export const FormProblem = ({ problem }: { readonly problem: LinkgateProblem | null }) =>
  problem === null || problem.status === 422 ? null : <ProblemNote problem={problem} />

/** What is wrong with each field. */
export const faultsOf = (problem: LinkgateProblem | null): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries((problem?.errors ?? []).map(({ field, message }) => [field.split('.')[0], message]))
