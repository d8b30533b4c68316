import { createReadStream } from 'node:fs'

import type { Command } from 'commander'

import { keepFaults } from '../../audit/verdict.js'
import { verifyEvidence, type EvidenceFault, type EvidenceVerdict } from '../../audit/verify-evidence.js'
import { counted } from '../../domain/counted.js'
import { jsonOption } from '../arguments.js'
import { entryCount, notIntact, printVerdict } from './fault-text.js'
import { unreadable } from '../read-text-file.js'
import { readKeys, withKeys } from './keys.js'

interface VerifyOptions {
  readonly key?: readonly string[]
  readonly json?: boolean
}

/** Verifying a file needs no database, so the code that opens one is loaded only if no file is given. */
export const register = (audit: Command) =>
  withKeys(
    audit.command('verify').argument('[file]', 'an evidence file, which needs no database and no settings'),
    'a key of the installation (PEM): an earlier one that signed checkpoints, or the one that a file must be signed by',
  )
    .description('verify the log, or an evidence file, and name altered, missing and inserted entries')
    .addOption(jsonOption())
    .action(async (file: string | undefined, { key = [], json = false }: VerifyOptions) => {
      if (file !== undefined) return verifyFile(file, key, json)
      return (await import('./verify-stored.js')).verifyStored(key, json)
    })

/** Verifies an evidence file with the given keys, or its own. Throws AnswerIsNo if it is not intact. */
const verifyFile = async (file: string, keyFiles: readonly string[], json: boolean): Promise<void> => {
  const pinned = await readKeys(keyFiles)
  const { faults, onFault } = keepFaults<EvidenceFault>()
  const verdict = await verifyEvidence(bytesOf(file), { pinned, onFault })
  printVerdict(verdict, faults, json ? undefined : render(verdict, faults))
}

async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file)) if (Buffer.isBuffer(chunk)) yield chunk
  } catch (error) {
    throw unreadable(file, error)
  }
}

const render = (verdict: EvidenceVerdict, faults: readonly EvidenceFault[]): string => {
  const { header, entries, chains, checkpoints } = verdict
  const what = `${entryCount(entries)} in ${counted(chains, 'chain')}, with ${counted(checkpoints, 'checkpoint')}`
  if (verdict.faults > 0) return [notIntact(verdict.faults, what, faults), ...signedBy(verdict)].join('\n')
  return [
    `intact: ${what}`,
    ...(header === null
      ? []
      : [
          `period: ${header.from ?? 'the beginning of the log'} to ${header.to}, ${entryCount(verdict.in_period)}`,
          `made at ${header.made_at} for ${header.made_for}, by ${header.issuer}`,
        ]),
    verdict.checkpoint === null
      ? 'it contains no checkpoint: only the signature of the file proves it'
      : `matches the checkpoint signed at ${verdict.checkpoint}` +
        (verdict.after_checkpoint === 0
          ? ''
          : `; ${entryCount(verdict.after_checkpoint)} after it are proved only by the signature of the file`),
    ...signedBy(verdict),
  ].join('\n')
}

const signedBy = ({ signed_by, pinned }: EvidenceVerdict): readonly string[] => {
  if (signed_by === null) return []
  return pinned
    ? [`signed by the key ${signed_by}, which was given`]
    : [
        `signed by the key ${signed_by}, which only the file itself names: compare it with the installation's ` +
          '(key.thumbprint of GET /audit/proof), or give it with --key',
      ]
}
