import type { ImportFormat } from '../words.js'

/**
 * `password` in the API says whether there is one; in the table it is a bcrypt hash. Anything else is a new password.
 */
const GUARDED = /^(?:true|t|1|\$2[abxy]\$.*)$/i
const NOT_GUARDED = /^(?:|false|f|0|null|\\n)$/i

/**
 * The response of Kutt's API (`GET /api/v2/links`; thedevs-network/kutt, server/utils/utils.js, `sanitize.link`), which
 * is its only export; or its table `links` as CSV (server/models/link.model.js).
 */
export const kutt: ImportFormat = {
  what: 'a response of Kutt’s API (/api/v2/links) as JSON, or its table `links` as CSV',
  needs: { target: ['target'], code: ['address'] },
  isTable: true,
  read: (cell) => {
    const password = cell('password')
    const isNew = !GUARDED.test(password) && !NOT_GUARDED.test(password)
    return [
      {
        code: cell('address'),
        target: cell('target'),
        note: cell('description'),
        created_at: cell('createdat'),
        expires_at: cell('expirein'),
        active: /^(?:true|t|1)$/i.test(cell('banned')) ? 'false' : '',
        has_password: GUARDED.test(password) ? 'true' : '',
        password: isNew ? password : '',
      },
    ]
  },
}
