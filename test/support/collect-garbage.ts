import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Runs V8's collector now, as `node --expose-gc` lets a program do. */
export const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('no collector to run')
  collect()
}
