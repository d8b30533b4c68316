import { keepFaults, viewVerdict } from '../../audit/verdict.js'
import { PROOF_STATEMENTS, proofState, type StoredProof } from '../../audit/proof-state.js'
import { walkLog, type LogFault, type LogVerdict, type Progress } from '../../audit/verify-log.js'
import { writeEvidence, type EvidenceSigner } from '../../audit/write-evidence.js'
import type { Database } from '../../database/database.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataRule } from '../rules.js'
import { AS_READER } from './decisions.js'

/** A verification's progress or final verdict. */
type VerificationStep =
  { readonly name: 'progress'; readonly data: Progress } | { readonly name: 'verdict'; readonly data: ProofVerdict }

type ProofVerdict = ReturnType<typeof viewVerdict<LogVerdict, LogFault>>

export interface LogProof {
  state(): ReturnType<typeof proofState>
  /** The evidence file of a period, in parts. */
  evidence(period: { readonly from: string | null; readonly to: string | null }): AsyncGenerator<string>
  /** Verifies the whole log. Only one verification per process; throws `exports_busy` for a second one. */
  verify(): AsyncGenerator<VerificationStep>
}

/** How many progress events there are at most. */
const STEPS = 1_000
const COME_AGAIN_S = 10

/**
 * The data layer of the log's proof. It uses a database role that may only read the log. A verification stops when its
 * reader leaves; then the next one may begin.
 */
export const logProofStore = (database: Database, signer: EvidenceSigner): DataRule<LogProof> => {
  const keys = new Map([[signer.key.kid, signer.key.publicKey]])
  let isVerifying = false
  return {
    rows: 'the decision log and its checkpoints, to read alone',
    open: ({ caller }) => {
      const id = caller.user?.id ?? 'anonymous'
      const reader = { id, enter: AS_READER.enterRead }

      const walk = (): AsyncGenerator<VerificationStep> =>
        database.parts(reader, async function* (client): AsyncGenerator<VerificationStep> {
          const { faults, onFault } = keepFaults<LogFault>()
          const walking = walkLog(client, { keys, onFault })
          let told = -1
          let toldAt = 0
          for (;;) {
            const step = await walking.next()
            if (step.done === true) {
              yield { name: 'verdict', data: viewVerdict(step.value, faults) }
              return
            }
            const { done, of } = step.value
            const part = Math.floor((done / Math.max(of, 1)) * STEPS)
            // an event a second at the least: a read that yields nothing for a request's deadline is ended
            if (part === told && performance.now() - toldAt < 1_000) continue
            told = part
            toldAt = performance.now()
            yield { name: 'progress', data: step.value }
          }
        })

      return {
        state: async () => {
          const [, ...results] = await database.flush([
            AS_READER.enterRead,
            ...PROOF_STATEMENTS.map((text) => ({ text })),
          ])
          const [chains = [], checkpoints = [], expiries = []] = results.map(({ rows }) => rows)
          const stored: StoredProof = { chains, checkpoints, expiries }
          return proofState(stored, keys)
        },
        evidence: (period) =>
          database.parts(reader, (client) =>
            writeEvidence(client, { ...signer, ...period, keys, madeFor: `user ${id}` }),
          ),
        verify: async function* () {
          if (isVerifying)
            throw new Refusal('exports_busy', {
              detail: 'The log is being verified already.',
              headers: { 'Retry-After': String(COME_AGAIN_S) },
            })
          isVerifying = true
          try {
            yield* walk()
          } finally {
            isVerifying = false
          }
        },
      }
    },
  }
}
