import { useSignal } from '@preact/signals'

import { t } from '../language/language'
import { useAttempt } from './attempt'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './note'

/** False if the service has no trash (TRASH_DAYS=0), as it wrote into the document. */
export const hasTrash = document.querySelector<HTMLMetaElement>('meta[name="trash"]')?.content !== 'none'

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
      hasTrash ? work() : (asks.value = { count, work }),
    dialog: asks.value && <DeleteDialog of={asks.value} onClose={close} />,
  }
}

const DeleteDialog = ({ of: { count, work }, onClose }: { readonly of: Deletion; readonly onClose: () => unknown }) => {
  const { busy, problem, attempt } = useAttempt()
  return (
    <Dialog title={t.links.forGood.title(count)} onClose={onClose}>
      {problem.value !== null && <ProblemNote problem={problem.value} />}
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
