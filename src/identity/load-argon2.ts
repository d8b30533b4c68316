import { createRequire } from 'node:module'
import { inspect } from 'node:util'

import { StartError } from '../domain/start-error.js'

export type Argon2 = Pick<typeof import('@node-rs/argon2'), 'hash' | 'verify'>

/**
 * Loads argon2. If its build for this platform is missing, throws a StartError that says what to install:
 * `npm install --omit=optional` leaves it out (docs/decisions/0029).
 */
export const loadArgon2 = async (): Promise<Argon2> => {
  try {
    return await import('@node-rs/argon2')
  } catch (cause) {
    // it tries several builds, and each failure is the cause of the previous one; a build for browsers is no use here
    const tried = inspect(cause, { depth: null }).matchAll(/'(@node-rs\/argon2-(?!wasm)[^']+)'/g)
    const [name = '@node-rs/argon2'] = [...tried].map(([, found]) => found)
    const { version }: { readonly version: string } = createRequire(import.meta.url)('@node-rs/argon2/package.json')
    throw new StartError(`passwords need a package that is not installed: npm install "${name}@${version}"`, { cause })
  }
}
