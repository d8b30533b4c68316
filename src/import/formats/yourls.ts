import { codeOf } from '../words.js'
import type { ImportFormat } from '../words.js'

/**
 * YOURLS has no export of its own. Its table `yourls_url` as CSV: keyword, url, title, timestamp, ip, clicks
 * (YOURLS/YOURLS, includes/functions-install.php); what its API answers to `action=stats`, with `shorturl` in place of
 * `keyword` (includes/functions.php, `yourls_get_stats`); or the plugin Import Export: source as `/keyword/`, target,
 * hits (GautamGupta/YOURLS-Import-Export, fileio/csv.php).
 */
export const yourls: ImportFormat = {
  what: 'its table yourls_url as CSV, the CSV of its plugin Import Export, or its API’s answer (action=stats) as JSON',
  needs: { target: ['url', 'target'], code: ['keyword', 'shorturl', 'source'] },
  isTable: true,
  read: (cell) => {
    const keyword = cell('keyword')
    return [
      {
        code: keyword === '' ? codeOf(cell('shorturl', 'source')) : keyword,
        target: cell('url', 'target'),
        title: cell('title'),
        created_at: cell('timestamp'),
      },
    ]
  },
}
