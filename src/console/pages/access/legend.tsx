import { t } from '../../language/language'
import { EffectWord } from '../../parts/matrix/verdict'

/** What the signs of the matrix mean, and what stands for names that are not in it. */
export const Legend = ({ withUser }: { readonly withUser: readonly string[] }) => (
  <div class="stack legend">
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
