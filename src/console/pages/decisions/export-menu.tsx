import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { download } from '../../parts/download'
import { Menu } from '../../parts/menu'
import type { AskedLog } from './meaning'

async function* linesOf(entries: AsyncIterable<object>) {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`
}

/** Saves the whole search result, oldest first. */
export const ExportMenu = ({
  asked,
  off,
  busy,
  attempt,
}: {
  readonly asked: AskedLog
  /** why exports are disabled */
  readonly off: string | null
  readonly busy: boolean
  readonly attempt: (work: () => Promise<unknown>) => unknown
}) => {
  const csv = () => download('decisions.csv', api.getTimeline({ ...asked, format: 'csv' }))
  const ndjson = () => download('decisions.ndjson', linesOf(api.getTimeline({ ...asked, format: 'ndjson' })))
  if (off !== null)
    return (
      <Button icon="download" off={off}>
        {t.links.export}
      </Button>
    )
  return (
    <Menu icon="download" label={t.links.export} text={busy ? t.proof.making : t.links.export}>
      <p class="hint">{t.decisions.exportHint}</p>
      <Button kind="bare" onPress={() => attempt(csv)}>
        CSV
      </Button>
      <Button kind="bare" onPress={() => attempt(ndjson)}>
        NDJSON
      </Button>
    </Menu>
  )
}
