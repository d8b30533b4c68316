import { Deadline } from '../../src/domain/deadline.js'

/** A deadline that no test reaches. */
export const soon = (): Deadline => new Deadline(performance.now() + 60_000)
