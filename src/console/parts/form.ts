import type { TargetedSubmitEvent } from 'preact'

/**
 * A handler of `submit` that gets the form; the browser does not send it. Until the work ends, fields take no more
 * typing, which a success would drop. If the service refuses a field, the first of them gets the focus, so that it is
 * read out with what is wrong.
 */
export const handleSubmit =
  (submit: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const { currentTarget: form } = event
    const refuse = (typing: Event) => typing.preventDefault()
    const run = async () => {
      form.addEventListener('beforeinput', refuse)
      try {
        await submit(form)
      } finally {
        form.removeEventListener('beforeinput', refuse)
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
