import type { Command } from 'commander'

import { publicKeyOf, type StatementKeys } from '../../audit/signed-statement.js'
import { collect } from '../arguments.js'
import { UsageError } from '../errors.js'
import { readTextFile } from '../read-text-file.js'

const EARLIER = 'an earlier signing key (PEM) that signed checkpoints'

export const withKeys = (command: Command, description = EARLIER): Command =>
  command.option('--key <file>', `${description}; repeatable`, collect)

/** The keys of PEM files, private or public, by their thumbprints. */
export const readKeys = async (files: readonly string[]): Promise<StatementKeys> =>
  new Map(await Promise.all(files.map(readKey)))

const readKey = async (file: string) => {
  const pem = await readTextFile(file)
  return publicKeyOf(pem).catch(() => {
    throw new UsageError(`${file} is not a key in PEM form`)
  })
}
