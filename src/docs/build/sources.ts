import { readdir } from 'node:fs/promises'

/** A source file of a page, and the page's name. */
export interface Source {
  readonly name: string
  /** relative to the root of the repository, such as `docs/visits.md` */
  readonly file: string
}

/** Markdown files outside `docs/`. */
const ELSEWHERE: readonly Source[] = [
  { name: 'readme', file: 'README.md' },
  { name: 'security-policy', file: 'SECURITY.md' },
  { name: 'contributing', file: 'CONTRIBUTING.md' },
  { name: 'changelog', file: 'CHANGELOG.md' },
  { name: 'policies', file: 'policies/README.md' },
]

const LICENCE: Source = { name: 'license', file: 'LICENSE' }
const MODEL: Source = { name: 'model.conf', file: 'model.conf' }

const filesIn = async (root: URL, folder: string, ending: string): Promise<readonly Source[]> =>
  (await readdir(new URL(folder, root)))
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => ({ name: file.replace(/\.md$/, ''), file: `${folder}${file}` }))

/**
 * All files of the repository at `root` that have a page. Each name belongs to one file: the build fails if two files
 * claim the same name.
 */
export const findSources = async (root: URL) => {
  const [docs, decisions, policies, pictures] = await Promise.all([
    filesIn(root, 'docs/', '.md'),
    filesIn(root, 'docs/decisions/', '.md'),
    filesIn(root, 'policies/', '.csv'),
    filesIn(root, 'docs/', '.svg'),
  ])
  const markdown = [...ELSEWHERE, ...docs, ...decisions]
  const plain = [LICENCE, MODEL, ...policies]
  const names = [...markdown, ...plain, ...pictures].map(({ name }) => name)
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  if (twice.length > 0) throw new Error(`two files ask for the same page: ${twice.join(', ')}`)
  return { markdown, plain, pictures }
}
