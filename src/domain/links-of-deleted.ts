import type { Id } from './id.js'

/** What happens to the links of a deleted user: they are deleted as well, or go to another user. */
export type LinksOfDeleted = 'delete' | { readonly to: Id }
