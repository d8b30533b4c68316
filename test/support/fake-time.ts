import { existsSync, readdirSync } from 'node:fs'

/** Debian's libfaketime, wherever this machine's architecture keeps it; undefined where there is none. */
const library = (existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])
  .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))

export const hasFakeTime = library !== undefined

/**
 * The environment of a process whose clock is so far off (`+3d`, `-20s`). What measures spans of time stays as it is.
 */
export const clockMovedBy = (offset: string): Readonly<Record<string, string>> => {
  if (library === undefined) throw new Error('libfaketime is not installed')
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' }
}
