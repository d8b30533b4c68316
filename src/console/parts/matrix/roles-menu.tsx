import { useSignal } from '@preact/signals'

import { t } from '../../language/language'
import { Button } from '../button'
import { Choice } from '../field'
import { Menu } from '../menu'

/** A searchable menu for pinning roles. */
export const RolesMenu = ({
  roles,
  pinned,
  onPin,
}: {
  readonly roles: readonly string[]
  readonly pinned: readonly string[]
  readonly onPin: (pinned: readonly string[]) => unknown
}) => {
  const find = useSignal('')
  const found = roles.filter((role) => role.includes(find.value.trim().toLowerCase()))
  return (
    <Menu start icon="user" label={t.policy.pin} text={t.policy.pinned(pinned.length, roles.length)}>
      <input
        type="search"
        aria-label={t.policy.findRole}
        placeholder={t.policy.findRole}
        value={find.value}
        onInput={({ currentTarget }) => (find.value = currentTarget.value)}
      />
      <p class="hint">{t.policy.pinHint}</p>
      {pinned.length > 0 && (
        <Button kind="bare" icon="close" onPress={() => void onPin([])}>
          {t.policy.unpin}
        </Button>
      )}
      {found.map((role) => (
        <Choice
          key={role}
          label={role}
          checked={pinned.includes(role)}
          onChange={(isPinned) => onPin(isPinned ? [...pinned, role] : pinned.filter((each) => each !== role))}
        />
      ))}
    </Menu>
  )
}
