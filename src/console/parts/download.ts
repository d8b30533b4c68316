/** Saves a streamed text as a file. All of it is collected before the browser asks where to save it. */
export const download = async (name: string, parts: AsyncIterable<string>): Promise<void> => {
  const texts: string[] = []
  for await (const text of parts) texts.push(text)
  save(name, new Blob(texts, { type: 'text/csv' }))
}

/** Saves a file under a name. */
export const save = (name: string, file: Blob): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
