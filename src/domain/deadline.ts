import { Refusal } from './refusal.js'

/** Until when a request may do something. */
export class Deadline {
  readonly #at: number

  /** `at`: in milliseconds, by performance.now() */
  constructor(at: number) {
    this.#at = at
  }

  /** Milliseconds; 0 once it has passed. */
  left(): number {
    return Math.max(0, this.#at - performance.now())
  }

  /** Throws `deadline_exceeded` (503) once it has passed. */
  require(): void {
    if (this.left() === 0) throw deadlineExceeded()
  }
}

export const deadlineExceeded = (cause?: unknown): Refusal =>
  new Refusal('deadline_exceeded', { headers: { 'Retry-After': '1' }, cause })
