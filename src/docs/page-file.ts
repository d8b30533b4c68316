import { z } from 'zod'

/** A page as the build leaves it: a file of the repository, made into HTML once. */
export const BuiltPage = z.object({
  /** the last part of its address: `/docs/{name}` */
  name: z.string(),
  /** the file that it is made from, from the root of the repository */
  file: z.string(),
  title: z.string(),
  /** its first sentence; empty for a page that has none */
  lead: z.string(),
  headings: z.array(z.object({ id: z.string(), title: z.string(), depth: z.number() })),
  /** what stands between header and footer */
  body: z.string(),
})
export type BuiltPage = z.infer<typeof BuiltPage>

/** What `npm run build` writes into `dist/docs/site.json`: the package has no `docs/` folder. */
export const BuiltSite = z.object({
  pages: z.array(BuiltPage),
  /** pictures by their names */
  pictures: z.record(z.string(), z.string()),
  /** scripts of the pages by their names */
  scripts: z.object({ copy: z.string(), search: z.string(), send: z.string() }),
})
export type BuiltSite = z.infer<typeof BuiltSite>

/** Where the build writes and the service reads, from the root of the package. */
export const SITE_FILE = 'dist/docs/site.json'
