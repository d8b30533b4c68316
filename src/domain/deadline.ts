import { Refusal } from './refusal.js'

/** The time limit of a request. */
export class Deadline {
  readonly #at: number
  #outcomes = 0

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

  /**
   * Sends a commit. The caller then gets its outcome even after the deadline: a 503 would say that nothing was changed.
   * Throws `deadline_exceeded` (503), and sends nothing, once it has passed.
   */
  async awaitOutcome<T>(commit: () => Promise<T>): Promise<T> {
    this.require()
    this.#outcomes += 1
    try {
      return await commit()
    } catch (error) {
      this.#outcomes -= 1
      throw error
    }
  }

  /** True while a commit is on its way, and after it has succeeded. */
  get isOutcomeAwaited(): boolean {
    return this.#outcomes > 0
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
