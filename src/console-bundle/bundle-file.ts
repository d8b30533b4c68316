import { z } from 'zod'

/** The built console, made by `npm run build` and served by the service. */
export const Bundle = z.object({
  /** the document, which is served at every URL of the console */
  document: z.string(),
  /** scripts and styles, by names that change with their content */
  files: z.record(z.string(), z.string()),
})
export type Bundle = z.infer<typeof Bundle>

/** The bundle file, relative to the root of the package. */
export const BUNDLE_FILE = 'dist/console-bundle/bundle.json'
