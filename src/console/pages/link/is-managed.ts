import type { Link, ManagedLink } from '../../api'

/** Whether all of a link is shown: the service shows its id to those alone who may change it. */
export const isManaged = (link: Link): link is ManagedLink => link.id !== undefined
