/** The address of an installation's first account, until it is changed. */
export const FIRST_ADMIN = 'admin@localhost'
