import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'

import type { LinkgateProblem } from '../api'
import { problemIn } from './loaded'

/** Work that may be refused: whether it is running, and the error of the last attempt. */
export interface Attempt {
  readonly busy: Signal<boolean>
  readonly problem: Signal<LinkgateProblem | null>
  /** Resolves with whether it succeeded. A second press while it is running does nothing. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>
}

export const useAttempt = (): Attempt => {
  const busy = useSignal(false)
  const problem = useSignal<LinkgateProblem | null>(null)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy.peek()) return false
    busy.value = true
    problem.value = null
    try {
      await work()
      return true
    } catch (error) {
      problem.value = problemIn(error)
      return false
    } finally {
      busy.value = false
    }
  }
  return { busy, problem, attempt }
}
