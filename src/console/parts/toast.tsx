import { signal } from '@preact/signals'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import { Button } from './button'
import { problemIn } from './loaded'
import { useLeftFocus } from './focus'

interface Message {
  readonly text: string
  readonly undo?: (() => Promise<unknown>) | undefined
  /** the heading of the page that said it */
  readonly heading: Element | null
}

const shown = signal<Message | null>(null)
/** How often something was undone whose page had been left: whatever is shown now was loaded before. */
export const undone = signal(0)
let timer: ReturnType<typeof setTimeout> | undefined

/** Long enough to read and undo it, in milliseconds. */
const SHOWN_MS = 10_000

const put = (message: Message | null): void => {
  clearTimeout(timer)
  shown.value = message
  if (message !== null) timer = setTimeout(end, SHOWN_MS)
}

/** It stays for whoever is about to press one of its buttons. */
const end = (): void => {
  if (document.querySelector('.toast:is(:hover, :focus-within)') === null) put(null)
  else timer = setTimeout(end, SHOWN_MS)
}

/** Announces that something was done. An error of `undo` is announced as well, because its page may have been left. */
export const say = (text: string, undo?: () => Promise<unknown>): void =>
  put({ text, undo, heading: document.querySelector('h1') })

/**
 * Tries a change of one of many: why it was refused is announced at the foot of the window, which is in sight from any
 * row.
 */
export const sayIfRefused = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    say(failedWords(problemIn(error)))
  }
}

/** Why something failed that had no input to keep. */
export const failedWords = (problem: LinkgateProblem): string => {
  if (problem.code === 'network_error') return t.lost.since(new Date())
  if (problem.code === 'code_taken') return t.trash.taken
  const { status, requestId } = problem
  // by which the operator finds the reason
  const request = status >= 500 && requestId !== undefined ? [`${t.request} ${requestId}`] : []
  return [t.problem(problem), ...request].join(' ')
}

const runUndo = async (undo: () => Promise<unknown>, heading: Message['heading']): Promise<void> => {
  put(null)
  try {
    await undo()
    if (!heading?.isConnected) undone.value += 1
  } catch (error) {
    const problem = problemIn(error)
    const { code, status } = problem
    const mayWorkLater = code === 'network_error' || status === 429 || status >= 500
    put({ text: failedWords(problem), undo: mayWorkLater ? undo : undefined, heading })
  }
}

/** Renders the announcements, once, at the foot of the frame. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {shown.value !== null && <Toast message={shown.value} />}
  </div>
)

const Toast = ({ message }: { readonly message: Message }) => {
  const { text, undo, heading } = message
  return (
    <div class="toast" ref={useLeftFocus<HTMLDivElement>()}>
      {/* another element for each message: screen readers would not announce the same words again */}
      <span key={message}>{text}</span>
      {undo !== undefined && (
        <Button kind="bare" onPress={() => runUndo(undo, heading)}>
          {t.undo}
        </Button>
      )}
      <Button kind="bare" icon="close" label={t.close} onPress={() => put(null)}>
        {''}
      </Button>
    </div>
  )
}
