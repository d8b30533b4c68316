import type { TargetedSubmitEvent } from 'preact'

/** A handler of `submit` that gets the form; the browser does not send it. */
export const handleSubmit =
  (submit: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void submit(event.currentTarget)
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
