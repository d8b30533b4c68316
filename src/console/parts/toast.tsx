import { signal } from '@preact/signals'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import { Button } from './button'
import { problemIn } from './loaded'

interface Message {
  readonly text: string
  readonly undo?: (() => Promise<unknown>) | undefined
}

const shown = signal<Message | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Long enough to read and undo it, in milliseconds. */
const SHOWN_MS = 10_000

const put = (message: Message | null): void => {
  clearTimeout(timer)
  shown.value = message
  if (message !== null) timer = setTimeout(() => (shown.value = null), SHOWN_MS)
}

/** Announces that something was done. An error of `undo` is announced as well, because its page may have been left. */
export const say = (text: string, undo?: () => Promise<unknown>): void => put({ text, undo })

/** Announces why something failed that had no input to keep. Offers `undo` again if it may succeed later. */
export const sayProblem = (problem: LinkgateProblem, undo?: () => Promise<unknown>): void => {
  const { code, status } = problem
  const isLost = code === 'network_error'
  const text = isLost ? t.lost.since(new Date()) : code === 'code_taken' ? t.trash.taken : t.problem(problem)
  say(text, isLost || status === 429 || status >= 500 ? undo : undefined)
}

const runUndo = async (undo: () => Promise<unknown>): Promise<void> => {
  put(null)
  try {
    await undo()
  } catch (error) {
    sayProblem(problemIn(error), undo)
  }
}

/** Renders the announcements, once, at the foot of the frame. */
export const Toasts = () => {
  if (shown.value === null) return <div class="toasts" role="status" />
  const { text, undo } = shown.value
  return (
    <div class="toasts" role="status">
      <div class="toast">
        <span>{text}</span>
        {undo !== undefined && (
          <Button kind="bare" onPress={() => runUndo(undo)}>
            {t.undo}
          </Button>
        )}
        <Button kind="bare" icon="close" label={t.close} onPress={() => put(null)}>
          {''}
        </Button>
      </div>
    </div>
  )
}
