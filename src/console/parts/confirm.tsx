import { t } from '../language/language'
import { useAttempt } from './attempt'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './note'

/** Asks before something that nothing could bring back. */
export const Confirm = ({
  title,
  lead,
  yes,
  no = t.cancel,
  onYes,
  onNo,
}: {
  readonly title: string
  readonly lead: string
  readonly yes: string
  readonly no?: string
  /** a refusal is shown, and the question stays */
  readonly onYes: () => unknown
  readonly onNo: () => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  return (
    <Dialog title={title} onClose={onNo}>
      <ProblemNote problem={problem.value} />
      <p>{lead}</p>
      <div class="row">
        <Button kind="risk" busy={busy.value} onPress={() => attempt(async () => onYes())}>
          {yes}
        </Button>
        <Button onPress={onNo}>{no}</Button>
      </div>
    </Dialog>
  )
}
