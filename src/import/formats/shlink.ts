import { codeOf, type ImportFormat } from '../words.js'

/**
 * The export of Shlink's web client: createdAt, domain, shortCode, shortUrl, longUrl, title, tags (separated by `|`),
 * visits (shlinkio/shlink-web-component, src/short-urls/helpers/ExportShortUrlsBtn.tsx); or the response of its REST
 * API (`GET /rest/v3/short-urls`), which also contains the limits of a link.
 */
export const shlink: ImportFormat = {
  what: 'the CSV of Shlink’s web client, or a response of its API (/rest/v3/short-urls) as JSON',
  needs: { target: ['longurl'], code: ['shortcode', 'shorturl'] },
  read: (cell) => {
    const code = cell('shortcode')
    return [
      {
        code: code === '' ? codeOf(cell('shorturl')) : code,
        target: cell('longurl'),
        title: cell('title'),
        tags: cell('tags'),
        created_at: cell('createdat', 'datecreated'),
        starts_at: cell('metavalidsince', 'validsince'),
        expires_at: cell('metavaliduntil', 'validuntil'),
        max_visits: cell('metamaxvisits', 'maxvisits'),
        forward_query: cell('forwardquery'),
      },
    ]
  },
}
