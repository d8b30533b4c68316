import { useSignal } from '@preact/signals'

import { api } from '../../api'
import type { ManagedLink } from '../../api'
import { t } from '../../language/language'
import { Button, buttonClass } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { download } from '../../parts/download'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { reasonOf } from '../../parts/rights'
import type { LinkRights } from '../links/use-rights'
import { TransferDialog } from './transfer-dialog'

/** What can be done with a link; what this caller may not do says why. */
export const LinkActions = ({
  link,
  rights,
  attempt,
  onEdit,
  onDelete,
  onGiven,
}: {
  readonly link: ManagedLink
  readonly rights: LinkRights | undefined
  /** runs what may be refused, and shows that */
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>
  readonly onEdit: () => unknown
  readonly onDelete: () => Promise<unknown>
  readonly onGiven: (link: ManagedLink) => unknown
}) => {
  const isGiving = useSignal(false)
  const { code, url } = link
  return (
    <span class="row">
      <CopyButton text={url} label={t.links.copyOne(url)} />
      <a class={buttonClass({})} href={url} target="_blank" rel="noopener">
        <Icon name="open" />
        {t.links.open}
      </a>
      <Button kind="main" icon="edit" off={reasonOf(rights?.['link:update'])} onPress={onEdit}>
        {t.link.edit.edit}
      </Button>
      <Menu icon="more" label={t.links.actionsFor(code)}>
        <Button
          kind="bare"
          icon="download"
          onPress={() => attempt(() => download(`visits-${code}.csv`, api.exportLinkVisits(code)))}
        >
          {t.link.export}
        </Button>
        <Button
          kind="bare"
          icon="user"
          off={reasonOf(rights?.['link:transfer'])}
          onPress={() => (isGiving.value = true)}
        >
          {t.link.transfer.open}
        </Button>
        <Button kind="bare" icon="trash" off={reasonOf(rights?.['link:delete'])} onPress={() => attempt(onDelete)}>
          {t.links.delete}
        </Button>
      </Menu>
      {isGiving.value && (
        <TransferDialog
          link={link}
          onGiven={(given) => {
            isGiving.value = false
            onGiven(given)
          }}
          onClose={() => (isGiving.value = false)}
        />
      )}
    </span>
  )
}
