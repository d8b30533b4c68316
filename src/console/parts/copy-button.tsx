import { useSignal } from '@preact/signals'

import { t } from '../language/language'
import { Button } from './button'

/** Copies a text, and confirms it in place. */
export const CopyButton = ({
  text,
  bare = false,
  label,
  words = t.copy,
}: {
  readonly text: string
  readonly bare?: boolean
  readonly label?: string
  /** the label of the button */
  readonly words?: string
}) => {
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), 2_000)
  }
  return (
    <>
      <Button icon={isCopied.value ? 'check' : 'copy'} onPress={copy} label={label} kind={bare ? 'bare' : undefined}>
        {isCopied.value ? t.copied : words}
      </Button>
      <span class="unseen" role="status">
        {isCopied.value ? t.copied : ''}
      </span>
    </>
  )
}
