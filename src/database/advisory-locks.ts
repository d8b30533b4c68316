/**
 * Numbers of PostgreSQL's advisory locks, which the whole database shares. SQL functions also take `policy`,
 * 7274505 (add_months) and 7274510 (whatever counts visits).
 */
export const ADVISORY_LOCKS = {
  migrations: 7_274_500,
  /** shared by every change, exclusive for a policy edit */
  policy: 7_274_501,
  firstAccount: 7_274_502,
  /** one process at a time signs the decision log */
  checkpoint: 7_274_506,
  /** the refresh tokens of one sign-in, one rotation at a time */
  rotation: 7_274_508,
} as const
