/** Words of the service, each with its German sentence. */
export type Words = readonly (readonly [pattern: RegExp, german: string])[]

/** What the service says, in German; in its own words if these are not known. */
export const translated = (words: Words, text: string): string => {
  const [pattern, german] = words.find(([each]) => each.test(text)) ?? ['', '']
  return text.replace(pattern, german)
}
