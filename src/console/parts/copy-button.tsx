import { useSignal } from '@preact/signals'

import { t } from '../language/language'
import { Button } from './button'
import { copyText } from './copy-text'

/** Copies a text, and says in place whether that was possible. */
export const CopyButton = ({
  text,
  bare = false,
  label,
  words = t.copy,
}: {
  readonly text: string
  readonly bare?: boolean
  readonly label?: string
  readonly words?: string
}) => {
  const said = useSignal<string | null>(null)
  const copy = async () => {
    said.value = (await copyText(text)) ? t.copied : t.notCopied
    setTimeout(() => (said.value = null), 2_000)
  }
  return (
    <>
      <Button
        icon={said.value === t.copied ? 'check' : 'copy'}
        onPress={copy}
        label={label}
        kind={bare ? 'bare' : undefined}
      >
        {said.value ?? words}
      </Button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  )
}
