import { useSignal } from '@preact/signals'

import { t } from '../language/language'
import { useAttempt } from './attempt'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './note'

/** How long deleted links can be restored (TRASH_DAYS), as the service wrote it into the document; 0: not at all. */
export const trashDays = Number(document.querySelector<HTMLMetaElement>('meta[name="trash-days"]')?.content ?? 0)

interface Deletion {
  readonly count: number
  readonly work: () => Promise<unknown>
}

/** Deletes links: at once if they can be restored, otherwise once the user has confirmed it. Render the `dialog`. */
export const useDeletion = () => {
  const asks = useSignal<Deletion | null>(null)
  const close = () => (asks.value = null)
  return {
    remove: (count: number, work: () => Promise<unknown>): unknown =>
      trashDays > 0 ? work() : (asks.value = { count, work }),
    dialog: asks.value && <DeleteDialog of={asks.value} onClose={close} />,
  }
}

const DeleteDialog = ({ of: { count, work }, onClose }: { readonly of: Deletion; readonly onClose: () => unknown }) => {
  const { busy, problem, attempt } = useAttempt()
  return (
    <Dialog title={t.links.forGood.title(count)} onClose={onClose}>
      <ProblemNote problem={problem.value} />
      <p>{t.links.forGood.text}</p>
      <div class="row">
        <Button kind="risk" busy={busy.value} onPress={async () => (await attempt(work)) && onClose()}>
          {t.links.delete}
        </Button>
        <Button onPress={onClose}>{t.cancel}</Button>
      </div>
    </Dialog>
  )
}
