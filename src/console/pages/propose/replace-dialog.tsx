import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import type { Offered, UsedDraft } from './use-draft'

/** Asks whether a draft from elsewhere takes the place of the user's own, which nothing could bring back. */
export const ReplaceDialog = ({ mine, offered }: { readonly mine: UsedDraft; readonly offered: Offered }) => {
  const keep = () => (mine.offered.value = null)
  return (
    <Dialog title={t.propose.replaceAsk} onClose={keep}>
      <p>{t.propose.replaceLead}</p>
      <div class="row">
        <Button kind="risk" onPress={() => mine.take(offered)}>
          {t.propose.replace}
        </Button>
        <Button onPress={keep}>{t.propose.keepMine}</Button>
      </div>
    </Dialog>
  )
}
