import type { Id } from './id.js'

/** What becomes of the links of a user who is deleted: they go as well, or to another user. */
export type LinksOfDeleted = 'delete' | { readonly to: Id }
