import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'

import { api, type ManagedLink } from '../../api'
import { t } from '../../language/language'
import type { Attempts } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { trashDays, useDeletion } from '../../parts/delete-dialog'
import { deleteExactly } from '../../parts/exactly'
import { download } from '../../parts/download'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { linkReasonOf } from '../../parts/rights'
import { say } from '../../parts/toast'
import { askUnsaved } from '../../parts/unsaved'
import { useLateRoute } from '../../parts/use-late-route'
import type { LinkRights } from '../../parts/use-link-rights'
import { TransferDialog } from './transfer-dialog'

/** The actions on a link; disabled ones say why. */
export const LinkActions = ({
  code,
  url,
  link,
  rights,
  off,
  onEdit,
  onGiven,
  attempt,
}: {
  readonly code: string
  readonly url: string
  /** known only to callers who may change it */
  readonly link?: ManagedLink
  readonly rights: LinkRights | undefined
  /** why this caller may not change it */
  readonly off: string | null
  readonly onEdit?: () => unknown
  readonly onGiven: (link: ManagedLink) => unknown
  readonly attempt: Attempts['attempt']
}) => {
  const { route } = useLocation()
  const lateRoute = useLateRoute()
  const isGiving = useSignal(false)
  const restore = async (deleted: string) => {
    const { code: restored } = await api.restoreLink(deleted)
    askUnsaved(() => route(`/console/links/${restored}`))
  }
  const remove = async () => {
    await (link === undefined ? api.deleteLink(code) : deleteExactly(link))
    if (trashDays > 0) say(t.links.deleted(1, trashDays), link && (() => restore(link.id)))
    else say(t.links.forGood.done)
    lateRoute('/console')
  }
  const deletion = useDeletion()
  return (
    <span class="row">
      <CopyButton text={url} label={t.links.copyOne(url)} />
      <a class="button" href={url} target="_blank" rel="noopener">
        <Icon name="open" />
        {t.links.open}
      </a>
      <Button kind="main" icon="edit" off={off} onPress={() => onEdit?.()}>
        {t.link.edit.edit}
      </Button>
      <Menu icon="more" label={t.links.actionsFor(code)}>
        <Button
          kind="bare"
          icon="download"
          off={off}
          onPress={() => attempt(() => download(`visits-${code}.csv`, api.exportLinkVisits(code)))}
        >
          {t.link.export}
        </Button>
        <Button
          kind="bare"
          icon="user"
          off={linkReasonOf(rights?.['link:transfer'])}
          onPress={() => askUnsaved(() => (isGiving.value = true))}
        >
          {t.link.transfer.open}
        </Button>
        <Button
          kind="bare"
          icon="trash"
          off={linkReasonOf(rights?.['link:delete'])}
          onPress={() => askUnsaved(() => deletion.remove(1, () => attempt(remove)))}
        >
          {t.links.delete}
        </Button>
      </Menu>
      {deletion.dialog}
      {isGiving.value && (
        <TransferDialog
          code={code}
          link={link}
          onGiven={(given) => {
            isGiving.value = false
            say(t.link.transfer.given(code))
            onGiven(given)
          }}
          onClose={() => (isGiving.value = false)}
        />
      )}
    </span>
  )
}
