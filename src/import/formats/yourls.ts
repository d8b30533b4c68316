import { codeOf, type ImportFormat } from '../words.js'

/**
 * YOURLS has no export of its own. Accepts its table `yourls_url` as CSV: keyword, url, title, timestamp, ip, clicks
 * (YOURLS/YOURLS, includes/functions-install.php); the API response to `action=stats`, with `shorturl` instead of
 * `keyword` (includes/functions.php, `yourls_get_stats`); and the plugin Import Export: source as `/keyword/`, target,
 * hits (GautamGupta/YOURLS-Import-Export, fileio/csv.php).
 */
export const yourls: ImportFormat = {
  what: 'its table yourls_url as CSV, the CSV of its plugin Import Export, or an API response (action=stats) as JSON',
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
