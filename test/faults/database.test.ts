import { describeDatabaseTrouble } from '../support/database-trouble.js'

// the deadline that is set where nobody sets one
describeDatabaseTrouble({
  stops: 10,
  stormMs: 30_000,
  deadlineMs: 5_000,
  tell: (figures) => console.log(JSON.stringify(figures)),
})
