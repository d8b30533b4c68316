/** The address of an installation's first account, until somebody gives it another. */
export const FIRST_ADMIN = 'admin@localhost'
