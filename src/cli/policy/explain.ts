import { Option, type Command } from 'commander'

import { explainRecord, type EndpointRefusal, type RecordExplanation } from '../../audit/record-explanation.js'
import { isCode } from '../../domain/link.js'
import type { PolicyRow } from '../../domain/policy-row.js'
import { ENGINE_ROLES } from '../../domain/role.js'
import { requestDecisions, type RequestDecision } from '../../layers/4-data/request-decisions.js'
import { explain, type Considered, type Explanation } from '../../policy/explanation.js'
import { rowText } from '../../policy/parse-row.js'
import { nullIfUnreadable } from '../../policy/past-snapshots.js'
import { PolicyError } from '../../policy/policy-error.js'
import { relationOf, roleOf } from '../../policy/snapshot.js'
import { findLink } from '../../redirects/find-link.js'
import { action, callerRole, checked, jsonOption, revision } from '../arguments.js'
import { counted } from '../../domain/counted.js'
import { UsageError } from '../errors.js'
import { complain, print } from '../print.js'
import { withProgress } from '../progress.js'
import { lookUpUser } from '../session.js'
import { renderTable } from './render.js'
import { snapshotOfRevision, withPolicy, type PolicySession } from './session.js'

const code = checked(isCode, 'must be the code of a link')

interface Options {
  readonly user?: string
  readonly role?: string
  readonly request?: string
  readonly action?: string
  readonly link?: string
  readonly relation?: 'own' | 'other'
  readonly revision?: number
  readonly json?: true
}

export const explainCommand = (policy: Command) =>
  policy
    .command('explain')
    .description('explain why the policy allows or denies; the exit code is 0 either way')
    .addOption(
      new Option('--request <id>', 'explain the decisions on a past request, by its X-Request-ID').conflicts([
        'user',
        'role',
        'action',
        'link',
        'relation',
        'revision',
      ]),
    )
    .option('--user <id or e-mail>', 'the caller: a user, or anonymous')
    .addOption(
      new Option('--role <role>', 'the caller: any user with this role').argParser(callerRole).conflicts('user'),
    )
    .option('--action <action>', 'the action, such as link:delete', action)
    .addOption(new Option('--link <code>', 'the link in question').argParser(code).conflicts('role'))
    .addOption(
      new Option('--relation <relation>', "the caller's own record or another's, instead of a link")
        .choices(['own', 'other'])
        .conflicts('link'),
    )
    .option('--revision <revision>', 'decide under an earlier revision', revision)
    .addOption(jsonOption())
    .action(({ request, ...options }: Options) =>
      request === undefined ? explainQuestion(options) : explainRequest(request, options),
    )

const explainQuestion = async (options: Options): Promise<void> => {
  const { action, revision } = options
  if (action === undefined) throw new UsageError('--action is required, or --request for a decision of the past')
  if (options.user === undefined && options.role === undefined) throw new UsageError('--user or --role is required')
  await withPolicy(async (session) => {
    const asked = await questionOf(session, options)
    const explanation = await withProgress('explaining', async () => {
      const snapshot = revision === undefined ? session.stored.lastGood : await snapshotOfRevision(session, revision)
      return explain(snapshot, asked.role, action, asked.relation)
    })
    print(options.json ? JSON.stringify(explanation) : renderExplanation(explanation))
  })
}

/** The role and the relation that the options describe. Throws if there is no such user or link. */
const questionOf = async ({ database }: PolicySession, { user, role, link, relation }: Options) => {
  const isAnonymous = (user ?? role) === ENGINE_ROLES.anonymous
  const subject = isAnonymous ? null : role === undefined ? await lookUpUser(database, user ?? '') : { role }
  if (subject && 'suspended' in subject && subject.suspended)
    complain(`warning: ${user} is suspended: their tokens are refused, and the policy treats them as anonymous`)
  const record = link === undefined ? null : await findLink(database)(link)
  if (link !== undefined && record === null) throw new PolicyError(`there is no link ${link}`)
  const actual = relationOf(subject, record)
  if (actual === 'anonymous' && relation === 'own')
    throw new UsageError('--relation own needs a user: an anonymous caller owns nothing')
  return { role: roleOf(subject), relation: actual === 'anonymous' ? actual : (relation ?? actual) }
}

/** Explains each recorded decision of a request under the revision of its time. */
const explainRequest = async (requestId: string, { json }: Options): Promise<void> =>
  withPolicy(async (session) => {
    const { records, more } = await requestDecisions(session.database).of(requestId)
    if (records.length === 0) throw new PolicyError(`no decision is recorded for the request ${requestId}`)
    const data = await withProgress('building the policy of that time', async () => {
      const explained = []
      for (const record of records) {
        const revision = Number(record.revision)
        // Refusals of the gateway have no revision.
        const snapshot = revision === 0 ? null : await snapshotOfRevision(session, revision).catch(nullIfUnreadable)
        explained.push({ ...record, revision, explanation: explainRecord(record, snapshot) })
      }
      return explained
    })
    if (json) return print(JSON.stringify({ request_id: requestId, data, more }))
    const texts = data.map((each) => `${recordText(each)}\n${explanationText(each.explanation)}`)
    print([...texts, ...(more ? ['and older ones'] : [])].join('\n\n'))
  })

const recordText = (record: Omit<RequestDecision, 'revision'>): string => {
  const { time, subject_id: id, subject_role: role, action, resource_code: code, effect, rule, layer, status } = record
  const who = id === null ? role : `user ${id} (${role})`
  const what = code === null ? action : `${action} ${code}`
  return `${time.toISOString()} ${who} ${what}: ${effect} ${rule} by the ${layer} layer, ${status}`
}

const explanationText = (explanation: RecordExplanation | null): string => {
  if (explanation === null) return 'the rows of that revision cannot be read'
  if ('code' in explanation) return explanation.why
  const text = renderExplanation(explanation)
  return explanation.agrees ? text : `${text}\nthese rows now decide differently: model.conf has changed since`
}

const ON = { anonymous: '', own: ' on an own record', other: " on another's record, or none" } as const

/** The decision, then the considered rows. */
const renderExplanation = (explanation: Explanation | EndpointRefusal): string => {
  const { revision, role, inherits, action, layer, endpoint } = explanation
  const object = 'object' in explanation ? explanation.object : null
  const on = 'relation' in explanation ? ON[explanation.relation] : ''
  const answer = layer === 'object' && object ? `${object.effect} ${object.rule}` : 'deny at the endpoint'
  return [
    `${role} ${action}${on}: ${answer} (revision ${revision})`,
    ...(inherits.length === 0 ? [] : [`considering the rows of ${[role, ...inherits].join(', ')}`]),
    '',
    endpoint.effect === 'allow'
      ? 'endpoint: allow'
      : 'endpoint: deny, because no endpoint row allows the role; the record is not looked up',
    ...rowsTable(endpoint),
    ...(object === null
      ? []
      : [
          '',
          `record${layer === 'endpoint' ? ', if it is asked all the same (AuthZEN)' : ''}: ` +
            `${object.effect} ${object.rule}${object.row === null ? ', because no row matches' : ''}`,
          ...rowsTable(object),
        ]),
  ].join('\n')
}

interface Rows {
  readonly considered: readonly Considered<PolicyRow>[]
  readonly not_listed: number
}

const rowsTable = ({ considered, not_listed }: Rows): readonly string[] => {
  const rows = considered.map(({ row, outcome, why }) => [
    rowText(row),
    `${outcome.replaceAll('_', ' ')}${why === null ? '' : `: ${why}`}`,
  ])
  return [
    ...(rows.length === 0 ? [] : [renderTable(['row', 'outcome'], rows)]),
    ...(not_listed === 0 ? [] : [`and ${counted(not_listed, 'row')} more`]),
  ]
}
