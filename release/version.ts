const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** Major, minor and patch; undefined for what is no released version of SemVer. */
const parse = (text: string): readonly number[] | undefined => VERSION.exec(text)?.slice(1).map(Number)

/** True where a version may be released while package.json says `current`: a newer one, or that one. */
export const mayFollow = (version: string, current: string): boolean => {
  const [next, last] = [parse(version), parse(current)]
  if (next === undefined || last === undefined) return false
  const difference = next.map((part, index) => part - (last[index] ?? 0)).find((part) => part !== 0)
  return difference === undefined || difference > 0
}
