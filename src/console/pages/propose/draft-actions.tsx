import { useSignal } from '@preact/signals'

import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/confirm'
import { copyText } from '../../parts/copy-text'
import { save } from '../../parts/download'
import { FileButton } from '../../parts/file-button'
import { say } from '../../parts/toast'
import { draftHash, draftText, parseDraft } from './kept-draft'
import type { UsedDraft } from './use-draft'

/** Some programs truncate longer URLs. */
const MOST_ADDRESS = 8_000

/** Actions on a draft: copy a link, save as a file, open a file, discard. */
export const DraftActions = ({ mine, isEmpty }: { readonly mine: UsedDraft; readonly isEmpty: boolean }) => {
  const { draft, offered } = mine
  const asks = useSignal(false)
  const off = isEmpty ? t.propose.off.nothing : null
  const send = async () => {
    const address = `${location.origin}/console/policy${draftHash(draft.value)}`
    if (address.length > MOST_ADDRESS) return say(t.propose.tooLongToSend)
    say((await copyText(address)) ? t.propose.sent : t.notCopied)
  }
  const open = async (file: File) => {
    // a folder, or a file that has changed since, cannot be read
    const kept = parseDraft(await file.text().catch(() => ''))
    if (kept === null) return say(t.propose.notADraft)
    return mine.offer({ kept, isSent: false })
  }
  const discard = () => {
    mine.clear()
    asks.value = false
  }
  return (
    <div class="row">
      <Button icon="copy" off={off} onPress={send}>
        {t.propose.send}
      </Button>
      <Button
        icon="download"
        off={off}
        onPress={() => save('policy-draft.json', new Blob([draftText(draft.value)], { type: 'application/json' }))}
      >
        {t.propose.saveFile}
      </Button>
      <FileButton icon="import" label={t.propose.openFile} accept=".json,application/json" onFile={open}>
        {t.propose.openFile}
      </FileButton>
      <Button icon="restore" off={off} onPress={() => (asks.value = true)}>
        {t.propose.discard}
      </Button>
      {asks.value && (
        <Confirm
          title={t.propose.discardAsk}
          lead={t.propose.discardLead}
          yes={t.propose.discard}
          onYes={discard}
          onNo={() => (asks.value = false)}
        />
      )}
      {offered.value !== null && (
        <Confirm
          title={t.propose.replaceAsk}
          lead={t.propose.replaceLead}
          yes={t.propose.replace}
          no={t.propose.keepMine}
          onYes={() => offered.value && mine.take(offered.value)}
          onNo={() => (offered.value = null)}
        />
      )}
    </div>
  )
}
