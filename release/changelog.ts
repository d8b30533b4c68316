const UNRELEASED = '## Unreleased'

/** Why a changelog cannot be released as this version; undefined where it can. */
export const faultOf = (changelog: string, version: string): string | undefined => {
  const lines = changelog.split('\n')
  const start = lines.indexOf(UNRELEASED)
  if (start === -1) return `it has no heading "${UNRELEASED}"`
  if (lines.some((line) => line.startsWith(`## ${version} `))) return `it has version ${version} already`
  const next = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  const section = lines.slice(start + 1, next === -1 ? undefined : next)
  return section.some((line) => line.startsWith('- ')) ? undefined : `nothing stands under "${UNRELEASED}"`
}

/** The changelog with what was unreleased under the version and its day (UTC), and an empty section above it. */
export const released = (changelog: string, version: string, at: Date): string =>
  changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} - ${at.toISOString().slice(0, 10)}\n`)
