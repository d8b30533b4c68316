import type { User } from '../../api'
import { t } from '../../language/language'
import { userId } from '../../session'
import { Icon } from '../../parts/icon'

/** The special states of a user. */
export const UserState = ({ user: { id, suspended } }: { readonly user: User }) => (
  <span class="row">
    {suspended ? (
      <span class="badge deny">
        <Icon name="pause" />
        {t.users.states.suspended}
      </span>
    ) : (
      <span class="badge">{t.users.states.active}</span>
    )}
    {id === userId() && <span class="badge">{t.link.you}</span>}
  </span>
)
