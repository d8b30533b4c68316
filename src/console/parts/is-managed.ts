import type { Link, ManagedLink } from '../api'

/** Whether all of a link is shown: only callers who may change it get its id. */
export const isManaged = (link: Link): link is ManagedLink => link.id !== undefined
