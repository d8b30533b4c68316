import type { User } from '../../api'
import { date } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { SelectCell, type Selection } from '../../parts/selection'
import type { UserRights } from './use-user-rights'
import { UserState } from './user-state'

/** One user of the list. */
export const UserRow = ({
  user,
  rights: { offFor },
  selection,
  onRole,
  onSuspend,
  onDelete,
}: {
  readonly user: User
  readonly rights: UserRights
  readonly selection: Selection<User>
  readonly onRole: (user: User) => unknown
  readonly onSuspend: (user: User) => unknown
  readonly onDelete: (user: User) => unknown
}) => {
  const { id, name, email, role, suspended, created_at: since } = user
  return (
    <tr aria-selected={selection.has(user)}>
      <SelectCell item={user} label={t.users.select(name)} of={selection} />
      <td class="link-cell">
        <a href={`/console/users/${id}`} title={name}>
          <strong class="cut" dir="auto">
            {name}
          </strong>
        </a>
        <div class="caption cut" title={email}>
          {email}
        </div>
      </td>
      <td>
        <code>{role}</code>
      </td>
      <td>
        <UserState user={user} />
      </td>
      <td class="caption since">{date(since)}</td>
      <td class="actions-cell">
        <span class="row">
          <Menu bare icon="more" label={t.users.actionsFor(name)}>
            <a class="button bare" href={`/console/users/${id}`}>
              <Icon name="user" />
              {t.users.open}
            </a>
            <Button kind="bare" icon="key" off={offFor('role', user)} onPress={() => onRole(user)}>
              {t.users.changeRole}
            </Button>
            <Button
              kind="bare"
              icon={suspended ? 'play' : 'pause'}
              off={offFor(suspended ? 'reactivate' : 'suspend', user)}
              onPress={() => onSuspend(user)}
            >
              {suspended ? t.users.reactivate : t.users.suspend}
            </Button>
            <Button kind="bare risk" icon="trash" off={offFor('delete', user)} onPress={() => onDelete(user)}>
              {t.links.delete}
            </Button>
          </Menu>
        </span>
      </td>
    </tr>
  )
}
