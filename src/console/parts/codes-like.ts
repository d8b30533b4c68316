import { isCode } from '../../domain/link.js'

/** A link whose code somebody else's link has already. */
export interface Wanted {
  readonly code: string
  readonly target: string
  readonly title: string | null
  readonly tags: readonly string[]
}

const LONGEST = 64
/** How many numbers are tried. */
const NUMBERED = 4

/** Words as a code: `Ärger im Büro` becomes `arger-im-buro`. Other alphabets leave nothing. */
const codeOf = (words: string): string =>
  words
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-|-$/g, '')

/** Other codes for such a link, the most likely first: the next number, its title, its first tag, further numbers. */
export const codesLike = ({ code, title, tags: [tag = ''] }: Wanted): readonly string[] => {
  const [, stem = code, number = '1'] = /^(.+)-([1-9]\d?)$/.exec(code) ?? []
  const [next = '', ...later] = Array.from({ length: NUMBERED }, (_, i) => {
    const end = `-${Number(number) + i + 1}`
    return stem.slice(0, LONGEST - end.length) + end
  })
  const tagged = codeOf(tag) === '' ? '' : `${codeOf(tag)}-${code}`
  return [...new Set([next, codeOf(title ?? ''), tagged, ...later])].filter((each) => isCode(each) && each !== code)
}
