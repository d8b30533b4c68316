import { describeDatabaseTrouble } from '../support/database-trouble.js'

describeDatabaseTrouble({ stops: 1, stormMs: 1_500, deadlineMs: 1_000 })
