import { useRef } from 'preact/hooks'

import { Button } from './button'

/** A button that asks for a file. */
export const FileButton = ({
  label,
  accept,
  onFile,
  ...button
}: Omit<Parameters<typeof Button>[0], 'label' | 'onPress'> & {
  /** of the field behind it */
  readonly label: string
  readonly accept: string
  readonly onFile: (file: File) => unknown
}) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // allows choosing the same file again after it was fixed
          currentTarget.value = ''
          if (file !== undefined) void onFile(file)
        }}
      />
      <Button {...button} onPress={() => input.current?.click()} />
    </>
  )
}
