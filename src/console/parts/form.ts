import type { TargetedSubmitEvent } from 'preact'

/**
 * Fields take no typing and no choice until the returned function is called. They are not disabled, which would take
 * the focus away.
 */
const hold = (form: HTMLFormElement): (() => void) => {
  const ended = new AbortController()
  const written = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(':is(input, textarea):read-write')
  for (const each of written) each.readOnly = true
  const refuse = (event: Event) => {
    const leaves = event instanceof KeyboardEvent && ['Tab', 'Escape'].includes(event.key)
    if (event.target instanceof Element && event.target.matches('select, [type=checkbox], [type=radio]') && !leaves)
      event.preventDefault()
  }
  for (const type of ['mousedown', 'click', 'keydown']) form.addEventListener(type, refuse, { signal: ended.signal })
  return () => {
    ended.abort()
    for (const each of written) each.readOnly = false
  }
}

/**
 * A handler of `submit` that gets the form; the browser does not send it. Until the work ends, fields take no more
 * input, which a success would drop. If the service refuses a field, the first of them gets the focus, so that it is
 * read out with what is wrong.
 */
export const handleSubmit =
  (submit: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const { currentTarget: form } = event
    const run = async () => {
      const release = hold(form)
      try {
        await submit(form)
      } finally {
        release()
      }
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    }
    void run()
  }

/** The text of a field of a form. */
export const textOf = (form: HTMLFormElement, name: string): string => {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

/** The tags in a text in which commas separate them. */
export const tagsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]
