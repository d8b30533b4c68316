import { t } from '../../language/language'
import { EffectWord } from '../../parts/matrix/verdict'

/** Explains the signs of the matrix, and the entries that stand for unnamed roles and actions. */
export const Legend = ({ withUser }: { readonly withUser: readonly string[] }) => (
  <div class="stack signs">
    <p class="row caption">
      <EffectWord effect="allow" />
      <EffectWord effect="deny" />
      <span>{t.access.legend}</span>
    </p>
    <p class="caption">
      {withUser.length > 0 && `${t.access.withUser(withUser)} `}
      {t.access.exact}
    </p>
  </div>
)
