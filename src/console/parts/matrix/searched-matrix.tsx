import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

import { t } from '../../language/language'
import { Button } from '../button'
import { Options } from '../field'
import { Icon } from '../icon'
import { useMedia } from '../use-media'
import { MOST_AT_ONCE, findNames, type MatrixView } from './find-names'
import { Matrix, type MatrixProps } from './matrix'
import { OTHER_ROLE } from './matrix-model'
import { RolesMenu } from './roles-menu'

export interface SearchedMatrixProps extends Pick<MatrixProps, 'label' | 'model' | 'open' | 'onOpen'> {
  /** only roles and actions that have a changed cell */
  readonly onlyChanged?: boolean
  readonly view: Signal<MatrixView>
  readonly inherits?: MatrixProps['inherits']
  readonly children?: ComponentChildren
}

/** The matrix with a search, pinned roles if there are many, and one role at a time on a phone. */
export const SearchedMatrix = ({
  model,
  onlyChanged = false,
  view,
  inherits = () => [],
  children,
  ...matrix
}: SearchedMatrixProps) => {
  const isNarrow = useMedia('(width < 40rem)')
  const names = useMemo(() => {
    const all = { roles: model.roles.map(({ role }) => role), actions: model.actions }
    if (!onlyChanged) return all
    return {
      roles: all.roles.filter((role) => all.actions.some((action) => model.isChanged(role, action))),
      actions: all.actions.filter((action) => all.roles.some((role) => model.isChanged(role, action))),
    }
  }, [model, onlyChanged])
  const { roles, actions } = findNames(names.roles, names.actions, view.value)
  // the default is a role that users have, not `anonymous`
  const first = roles.find((role) => model.roles.some((each) => each.role === role && each.relations.length > 1))
  const chosen = roles.find((role) => role === view.value.role) ?? first ?? roles[0]
  const change = (next: Partial<MatrixView>) => (view.value = { ...view.value, ...next })
  return (
    <>
      <div class="row">
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label={t.policy.find}
            placeholder={t.policy.find}
            value={view.value.find}
            onInput={({ currentTarget }) => change({ find: currentTarget.value })}
          />
        </div>
        {names.roles.length > MOST_AT_ONCE && !isNarrow && (
          <RolesMenu roles={names.roles} pinned={view.value.pinned} onPin={(pinned) => change({ pinned })} />
        )}
        {children}
        {isNarrow && chosen !== undefined && (
          <select
            aria-label={t.policy.role}
            value={chosen}
            onChange={({ currentTarget }) => change({ role: currentTarget.value })}
          >
            <Options
              names={roles}
              words={(role) =>
                [
                  role === OTHER_ROLE ? t.policy.otherRole : role,
                  ...(inherits(role).length > 0 ? [t.policy.inherits(inherits(role))] : []),
                ].join(', ')
              }
            />
          </select>
        )}
      </div>
      {chosen === undefined || actions.length === 0 ? (
        <div class="card empty">
          <p>{t.policy.nothing(view.value.find)}</p>
          <Button onPress={() => change({ find: '' })}>{t.policy.clearFind}</Button>
        </div>
      ) : (
        <Matrix {...matrix} model={model} roles={isNarrow ? [chosen] : roles} actions={actions} inherits={inherits} />
      )}
    </>
  )
}
