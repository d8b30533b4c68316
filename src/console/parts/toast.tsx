import { signal } from '@preact/signals'

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

const runUndo = async (undo: () => Promise<unknown>): Promise<void> => {
  put(null)
  try {
    await undo()
  } catch (error) {
    say(t.problem(problemIn(error)))
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
