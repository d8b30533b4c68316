/**
 * Numbers of PostgreSQL's advisory locks, which the whole database shares. SQL functions alone (migrations/functions/)
 * take 7274503 (active admins), 7274504 (external identities), 7274505 (months), 7274507 (the rights of a user),
 * 7274510 (what counts visits), 7274511 (old idempotency keys) and 7274512 (the start of a day of visitors).
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
