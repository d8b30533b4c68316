import { describeMovedClock } from '../support/moved-clock.js'

describeMovedClock({
  offsets: [
    ['-20s', 201],
    ['+20s', 201],
    ['-3d', 401],
    ['+3d', 401],
  ],
  years: true,
})
