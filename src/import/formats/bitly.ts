import { codeOf, type ImportFormat } from '../words.js'

/** Hosts of Bitly itself. Their codes cannot be moved to another host, so they count only if a link has no other. */
const SHARED_HOST = /^(?:https?:\/\/)?(?:bit\.ly|j\.mp|bitly\.is)\//i

const TARGETS = ['destinationurl', 'longurl', 'originalurl', 'destination']
const CUSTOM = ['customlink', 'custombitlinks', 'custombitlink']
const SHORT = ['link', 'bitlink', 'shortlink', 'shorturl', 'id']

/**
 * The export of Bitly's Links page, with the columns Link, Custom Link, Destination URL and others (URLR/urlr-docs,
 * docs/migration/bitly.md; Bitly publishes no list); CSV made with its API; and responses of the API itself
 * (`GET /v4/groups/{guid}/bitlinks`, https://dev.bitly.com/api-reference): link, custom_bitlinks, long_url, title,
 * tags, created_at. A bitlink may have several custom back-halves, each of which becomes a link.
 */
export const bitly: ImportFormat = {
  what: 'the CSV of Bitly’s Links page, or a response of its API (/v4/groups/…/bitlinks) as JSON',
  needs: { target: TARGETS, code: [...CUSTOM, ...SHORT] },
  read: (cell) => {
    if (/^(?:true|yes|1)$/i.test(cell('isdeleted'))) return { reason: 'was deleted at Bitly' }
    const shortUrls = [...cell(...CUSTOM).split(/[\s,;|]+/), cell(...SHORT)].filter((text) => text !== '')
    const own = shortUrls.filter((text) => !SHARED_HOST.test(text))
    const codes = new Set((own.length > 0 ? own : shortUrls.slice(0, 1)).map(codeOf))
    return [...(codes.size > 0 ? codes : [''])].map((code) => ({
      code,
      target: cell(...TARGETS),
      title: cell('title'),
      tags: cell('tags', 'tag'),
      created_at: cell('createdat', 'created', 'datecreated', 'createddate', 'creationdate'),
    }))
  },
}
