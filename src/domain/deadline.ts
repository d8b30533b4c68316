import { Refusal } from './refusal.js'

/** The time limit of a request. */
export class Deadline {
  readonly #at: number
  #isAnswerKept = false

  /** `at`: in milliseconds, by performance.now() */
  constructor(at: number) {
    this.#at = at
  }

  /** Milliseconds; 0 once it has passed. */
  left(): number {
    return Math.max(0, this.#at - performance.now())
  }

  /** This deadline, or the one after so many milliseconds if that is earlier. */
  within(milliseconds: number): Deadline {
    return new Deadline(Math.min(this.#at, performance.now() + milliseconds))
  }

  /** Has the caller get the answer even after the deadline, since a 503 would hide what has been committed. */
  keepAnswer(): void {
    this.#isAnswerKept = true
  }

  get isAnswerKept(): boolean {
    return this.#isAnswerKept
  }

  /** Throws `deadline_exceeded` (503) once it has passed. */
  require(): void {
    if (this.left() === 0) throw deadlineExceeded()
  }
}

/** 503 with a Retry-After of one second. `detail`: for the caller, if there is more to say. */
export const deadlineExceeded = (why: { readonly detail?: string; readonly cause?: unknown } = {}): Refusal =>
  new Refusal('deadline_exceeded', { ...why, headers: { 'Retry-After': '1' } })

/** For a `catch`: says in `deadline_exceeded` what the caller can do about it. Rethrows every other error. */
export const adviseIfLate =
  (detail: string) =>
  (error: unknown): never => {
    const isLate = error instanceof Refusal && error.code === 'deadline_exceeded'
    throw isLate ? deadlineExceeded({ detail, cause: error }) : error
  }
