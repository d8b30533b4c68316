import { z } from 'zod'

/** A built page: a file of the repository, converted to HTML once. */
export const BuiltPage = z.object({
  /** the last part of its URL: `/docs/{name}` */
  name: z.string(),
  /** its source file, relative to the root of the repository */
  file: z.string(),
  title: z.string(),
  /** its first sentence; empty if it has none */
  lead: z.string(),
  headings: z.array(z.object({ id: z.string(), title: z.string(), depth: z.number() })),
  /** the content between header and footer */
  body: z.string(),
})
export type BuiltPage = z.infer<typeof BuiltPage>

/** The content of `dist/docs/site.json`, written by `npm run build`: the package has no `docs/` folder. */
export const BuiltSite = z.object({
  pages: z.array(BuiltPage),
  /** pictures by their names */
  pictures: z.record(z.string(), z.string()),
  /** scripts of the pages by their names */
  scripts: z.object({ copy: z.string(), search: z.string(), send: z.string() }),
})
export type BuiltSite = z.infer<typeof BuiltSite>

/** The built file, relative to the root of the package. */
export const SITE_FILE = 'dist/docs/site.json'
