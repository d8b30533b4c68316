import { Option, type Command } from 'commander'

import type { Database } from '../../database/database.js'
import { isId } from '../../domain/id.js'
import { PROPOSAL_STATES, type ProposalState } from '../../domain/proposal-state.js'
import { Refusal } from '../../domain/refusal.js'
import { createAccounts } from '../../identity/accounts.js'
import { requireUser } from '../../layers/4-data/context.js'
import { escapeInLine } from '../../log/escape-invisible.js'
import { commitEdit } from '../../policy/commit-edit.js'
import { PolicyError } from '../../policy/policy-error.js'
import { closeProposal } from '../../policy/proposal-statements.js'
import {
  findProposal,
  listProposals,
  originOfApproved,
  planProposal,
  requireOpen,
  requireProposer,
  weighProposal,
  type Proposal,
} from '../../policy/proposals.js'
import { checked, count, jsonOption, reason } from '../arguments.js'
import { print } from '../print.js'
import { withProgress } from '../progress.js'
import { enterUnder, explainReplaced } from './propose.js'
import { diffLines, renderChanges, renderTable } from './render.js'
import { terminalActor, withPolicy, type PolicySession } from './session.js'
import { nameOf } from './show.js'

const id = checked(isId, 'must be the number of a proposal')

interface ListOptions {
  readonly state?: ProposalState
  readonly limit: number
  readonly json?: true
}

export const proposalsCommand = (policy: Command) =>
  policy
    .command('proposals')
    .description('print proposed edits, or one of them and what it would change now')
    .argument('[proposal]', 'print this proposal', id)
    .addOption(new Option('--state <state>', 'only proposals in this state').choices([...PROPOSAL_STATES]))
    .option('--limit <count>', 'how many of the newest', count(9_999), 50)
    .addOption(jsonOption())
    .action((one: string | undefined, { state, limit, json }: ListOptions) =>
      withPolicy(async (session) => {
        if (one !== undefined) return showProposal(session, one, json)
        const { data } = await listProposals(session.database, { limit, state })
        const lines = data.map((each) => [
          each.id,
          each.state,
          each.time,
          nameOf(each.actor),
          `+${each.added.length} -${each.removed.length}`,
          String(each.comments.length),
          each.reason,
        ])
        print(
          json
            ? JSON.stringify({ data })
            : renderTable(['proposal', 'state', 'time', 'by', 'rows', 'comments', 'reason'], lines),
        )
      }),
    )

const showProposal = async (session: PolicySession, wanted: string, json: true | undefined): Promise<void> => {
  const { database, rules, stored } = session
  const proposal = await requireProposal(database, wanted)
  const against =
    proposal.state === 'open' ? await weighProposal(stored.lastGood, proposal, rules, findUser(database)) : null
  if (json) return print(JSON.stringify({ ...proposal, against }))
  const { closed } = proposal
  print(
    [
      `proposal ${proposal.id}, ${proposal.state}, ${proposal.time}, by ${escapeInLine(nameOf(proposal.actor))}`,
      `reason: ${escapeInLine(proposal.reason)}`,
      ...(closed === null ? [] : [escapeInLine(`${closed.time} by ${nameOf(closed.actor)}: ${closed.reason ?? '-'}`)]),
      ...diffLines(proposal.removed, proposal.added, proposal.comments),
      ...(against === null ? [] : [`against revision ${against.revision}, which is in force:`]),
      ...(against === null
        ? []
        : 'problem' in against
          ? [escapeInLine(against.problem.detail ?? against.problem.title)]
          : [renderChanges(against.decisions_changed)]),
    ].join('\n'),
  )
}

export const approveCommand = (policy: Command) =>
  policy
    .command('approve')
    .description("approve somebody else's proposal: puts it in force, with the checks that every edit passes, made now")
    .argument('<proposal>', 'number of the proposal', id)
    .option('--reason <text>', 'the reason, for the history', reason)
    .action((wanted: string, { reason: why }: { readonly reason?: string }) =>
      withPolicy(async ({ database, rules, stored }) => {
        const proposal = await requireOthers(database, wanted)
        if (stored.fault !== null) throw new PolicyError('the stored rows cannot be in force: restore a revision first')
        const { plan, proposer } = await withProgress('checking invariants and comparing decisions', async () => {
          const planned = await planProposal(stored.lastGood, proposal, rules, 'unbounded')
          const found = await requireProposer(stored.lastGood, planned, proposal, findUser(database))
          return { plan: planned, proposer: found }
        })
        await commitEdit(database, plan, {
          ...originOfApproved(proposal, terminalActor(), why ?? null),
          proofs: proposer === null ? [] : [requireUser(proposer)],
          decision: null,
        }).catch(explainReplaced)
        print(diffLines(plan.remove, plan.add, plan.commented).join('\n'))
        print(renderChanges(plan.changes))
        print(`revision ${plan.candidate.revision} is in force`)
      }),
    )

export const declineCommand = (policy: Command) =>
  policy
    .command('decline')
    .description("decline somebody else's proposal")
    .argument('<proposal>', 'number of the proposal', id)
    .requiredOption('--reason <text>', 'the reason, for the proposer', reason)
    .action((wanted: string, { reason: why }: { readonly reason: string }) =>
      withPolicy(async (session) => {
        await close(session, await requireOthers(session.database, wanted), 'declined', why)
      }),
    )

export const withdrawCommand = (policy: Command) =>
  policy
    .command('withdraw')
    .description('withdraw a proposal of your own')
    .argument('<proposal>', 'number of the proposal', id)
    .action((wanted: string) =>
      withPolicy(async (session) => {
        const proposal = await requireProposal(session.database, wanted)
        if (!isOwn(proposal)) throw new Refusal('others_proposal')
        requireOpen(proposal)
        await close(session, proposal, 'withdrawn', null)
      }),
    )

const close = async (
  { database, stored }: PolicySession,
  proposal: Proposal,
  state: 'declined' | 'withdrawn',
  why: string | null,
): Promise<void> => {
  const closing = closeProposal(proposal.id, { state, actor: terminalActor(), reason: why })
  await database.flush([enterUnder(stored.revision), closing]).catch(explainReplaced)
  print(`proposal ${proposal.id} is ${state}`)
}

const requireProposal = async (database: Database, wanted: string): Promise<Proposal> => {
  const proposal = await findProposal(database, wanted)
  if (proposal === null) throw new PolicyError(`there is no proposal ${wanted}`)
  return proposal
}

/** At a terminal, the system's user name identifies the person. */
const isOwn = ({ actor }: Proposal): boolean => actor.id === null && actor.name === terminalActor().name

const requireOthers = async (database: Database, wanted: string): Promise<Proposal> => {
  const proposal = await requireProposal(database, wanted)
  if (isOwn(proposal)) throw new Refusal('own_proposal')
  requireOpen(proposal)
  return proposal
}

const findUser = (database: Database) => (user: string) => createAccounts(database).find(user)
