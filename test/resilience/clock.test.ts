import { describeMovedClock } from '../support/moved-clock.js'

describeMovedClock({ offsets: [['-3d', 401]], years: false })
