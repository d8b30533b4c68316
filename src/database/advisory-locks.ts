/**
 * Numbers of PostgreSQL's advisory locks, which are shared by the whole database. Also taken: 7274500 (migrate.ts),
 * 7274502 (identity/accounts.ts), 7274505 (the SQL function add_decision_months).
 */
export const ADVISORY_LOCKS = {
  /** shared by every change, exclusive for a policy edit */
  policy: 7_274_501,
  /** one process at a time signs the decision log */
  checkpoint: 7_274_506,
} as const
