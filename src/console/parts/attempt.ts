import { useSignal, type Signal } from '@preact/signals'

import type { LinkgateProblem } from '../api'
import { problemIn } from './loaded'

/** Work that may be refused: the problem of the last attempt. Several attempts may run at once. */
export interface Attempts {
  readonly problem: Signal<LinkgateProblem | null>
  /** Resolves with whether it succeeded. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>
}

export const useAttempts = (): Attempts => {
  const problem = useSignal<LinkgateProblem | null>(null)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    problem.value = null
    try {
      await work()
      return true
    } catch (error) {
      problem.value = problemIn(error)
      return false
    }
  }
  return { problem, attempt }
}

/** Attempts one at a time: while one is running, another press does nothing, and resolves with false. */
export interface Attempt extends Attempts {
  readonly busy: Signal<boolean>
}

export const useAttempt = (): Attempt => {
  const busy = useSignal(false)
  const { problem, attempt } = useAttempts()
  const attemptAlone = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy.peek()) return false
    busy.value = true
    try {
      return await attempt(work)
    } finally {
      busy.value = false
    }
  }
  return { busy, problem, attempt: attemptAlone }
}
