import { useSignal } from '@preact/signals'

import { t } from '../language/language'
import { Confirm } from './confirm'

/** How long deleted links can be restored (TRASH_DAYS), as the service wrote it into the document; 0: not at all. */
export const trashDays = Number(document.querySelector<HTMLMetaElement>('meta[name="trash-days"]')?.content ?? 0)

/** Deletes links: at once if they can be restored, otherwise once the user has confirmed it. Render the `dialog`. */
export const useDeletion = () => {
  const asks = useSignal<{ readonly count: number; readonly work: () => Promise<unknown> } | null>(null)
  const close = () => (asks.value = null)
  const { forGood } = t.links
  return {
    remove: (count: number, work: () => Promise<unknown>): unknown =>
      trashDays > 0 ? work() : (asks.value = { count, work }),
    dialog: asks.value && (
      <Confirm
        title={forGood.title(asks.value.count)}
        lead={forGood.text}
        yes={t.links.delete}
        onYes={async () => {
          await asks.value?.work()
          close()
        }}
        onNo={close}
      />
    ),
  }
}
