import { t } from '../language/language'
import { LoadProblem } from './load-problem'
import type { Loaded } from './loaded'
import { Page } from './page'

/** A page whose record is not loaded yet, or cannot be; then `back` leads elsewhere. */
export const LoadingPage = ({
  title,
  of,
  back,
}: {
  readonly title: string
  readonly of: Omit<Loaded<unknown>, 'put'>
  readonly back: { readonly href: string; readonly words: string }
}) => (
  <Page title={title}>
    {of.busy && <p class="hint">{t.loading}</p>}
    <LoadProblem of={of} />
    {of.problem !== null && (
      <p>
        <a href={back.href}>{back.words}</a>
      </p>
    )}
  </Page>
)
