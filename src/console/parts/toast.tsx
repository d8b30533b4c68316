import { signal } from '@preact/signals'

import { t } from '../language/language'
import { Button } from './button'

interface Message {
  readonly text: string
  /** undoes it */
  readonly undo?: (() => unknown) | undefined
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

/** Announces that something was done. */
export const say = (text: string, undo?: () => unknown): void => put({ text, undo })

/** Renders the announcements, once, at the foot of the frame. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {shown.value !== null && (
      <div class="toast">
        <span>{shown.value.text}</span>
        {shown.value.undo !== undefined && (
          <Button
            kind="bare"
            onPress={() => {
              const { undo } = shown.value ?? {}
              put(null)
              return undo?.()
            }}
          >
            {t.undo}
          </Button>
        )}
        <Button kind="bare" icon="close" label={t.close} onPress={() => put(null)}>
          {''}
        </Button>
      </div>
    )}
  </div>
)
