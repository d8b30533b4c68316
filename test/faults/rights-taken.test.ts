import { describeRightsTaken } from '../support/rights-taken.js'

describeRightsTaken(10_000)
