import { z } from 'zod'

/** What `npm run build` makes of the console, and the service serves. */
export const Bundle = z.object({
  /** the one document: every address of the console answers it */
  document: z.string(),
  /** scripts and styles, by names that change with what is in them */
  files: z.record(z.string(), z.string()),
})
export type Bundle = z.infer<typeof Bundle>

/** Where the build writes and the service reads, from the root of the package. */
export const BUNDLE_FILE = 'dist/console-bundle/bundle.json'
