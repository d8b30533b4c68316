/** Words of the service, each with its German ones. */
export type Words = readonly (readonly [pattern: RegExp, german: string])[]

/** What the service says, in German; in its own words as far as these are not known. */
export const translated = (words: Words, text: string): string =>
  words.reduce((said, [pattern, german]) => said.replace(pattern, german), text)
