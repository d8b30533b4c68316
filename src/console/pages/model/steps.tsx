import { t } from '../../language/language'
import type { Step } from './matcher'

const signOf = (value: boolean | null): string => (value === null ? '·' : value ? '✓' : '✗')
const nameOf = (value: boolean | null): 'true' | 'false' | 'unseen' =>
  value === null ? 'unseen' : value ? 'true' : 'false'

/** The result of each part of a matcher, from the whole to its comparisons. */
export const Steps = ({ step }: { readonly step: Step }) => (
  <ul class="steps">
    <StepItem step={step} />
  </ul>
)

const StepItem = ({ step: { text, filled, value, parts } }: { readonly step: Step }) => (
  <li class={`is-${nameOf(value)}`}>
    <span>
      <i aria-hidden="true">{signOf(value)}</i> <span class="unseen">{t.model.values[nameOf(value)]}: </span>
      <code>{text}</code>
      {filled !== null && <code class="filled">{filled}</code>}
    </span>
    {parts.length > 0 && (
      <ul>
        {parts.map((part, i) => (
          <StepItem key={i} step={part} />
        ))}
      </ul>
    )}
  </li>
)
