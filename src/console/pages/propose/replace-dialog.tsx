import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'

/** Asks whether a draft from elsewhere takes the place of the user's own, which nothing could bring back. */
export const ReplaceDialog = ({
  onReplace,
  onKeep,
}: {
  readonly onReplace: () => unknown
  readonly onKeep: () => unknown
}) => (
  <Dialog title={t.propose.replaceAsk} onClose={onKeep}>
    <p>{t.propose.replaceLead}</p>
    <div class="row">
      <Button kind="risk" onPress={onReplace}>
        {t.propose.replace}
      </Button>
      <Button onPress={onKeep}>{t.propose.keepMine}</Button>
    </div>
  </Dialog>
)
