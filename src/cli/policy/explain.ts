import { Command, InvalidArgumentError, Option } from 'commander'

import { isAction } from '../../domain/action.js'
import type { Relation } from '../../domain/decision.js'
import { isCode } from '../../domain/link.js'
import { ENGINE_ROLES, isRoleName } from '../../domain/role.js'
import { createAccounts } from '../../identity/accounts.js'
import { findLink } from '../../redirects/find-link.js'
import { explain } from '../../policy/explanation.js'
import { PolicyError } from '../../policy/policy-error.js'
import { relationOf, roleOf } from '../../policy/snapshot.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { explainRequest } from './explain-request.js'
import { warn, withProgress } from '../progress.js'
import { renderExplanation } from './render-explanation.js'
import { revisionOf } from './restore.js'
import { snapshotOfRevision, withPolicy } from './session.js'
import type { PolicySession } from './session.js'

const action = (text: string): string => {
  if (!isAction(text)) throw new InvalidArgumentError('must be <resource>:<verb>, such as link:delete')
  return text
}

const role = (text: string): string => {
  if (!isRoleName(text) || text === ENGINE_ROLES.anyone)
    throw new InvalidArgumentError('must be a role, user for any other role, or anonymous')
  return text
}

const code = (text: string): string => {
  if (!isCode(text)) throw new InvalidArgumentError('must be the code of a link')
  return text
}

interface ExplainOptions {
  readonly user?: string
  readonly role?: string
  readonly request?: string
  readonly action?: string
  readonly link?: string
  readonly relation?: 'own' | 'other'
  readonly revision?: number
  readonly json?: true
}

/** `linkgate policy explain`: a question asked ahead, with the rows that were looked at. */
export const explainCommand = (): Command =>
  new Command('explain')
    .description('say what the policy answers to a question, and why; exit code 0 whatever the answer is')
    .addOption(
      new Option('--request <id>', 'why a request was answered as it was: its X-Request-ID').conflicts([
        'user',
        'role',
        'action',
        'link',
        'relation',
        'revision',
      ]),
    )
    .option('--user <id or e-mail>', 'who asks; anonymous: a caller without a user')
    .addOption(new Option('--role <role>', 'a role in place of a user').argParser(role).conflicts('user'))
    .option('--action <action>', 'what they would do, such as link:delete', action)
    .addOption(new Option('--link <code>', 'the link that it is about').argParser(code).conflicts('role'))
    .addOption(
      new Option(
        '--relation <relation>',
        'how the caller stands to the record, in place of a link; other also where there is none',
      )
        .choices(['own', 'other'])
        .conflicts('link'),
    )
    .option('--revision <revision>', 'under an earlier revision', revisionOf)
    .option('--json', 'as JSON')
    .action(async (options: ExplainOptions) => {
      if (options.request !== undefined) return explainRequest(options.request, options)
      const { action } = options
      if (action === undefined) throw new UsageError('say what is asked: --action, or --request for what was answered')
      if (options.user === undefined && options.role === undefined)
        throw new UsageError('say who asks: --user or --role')
      return withPolicy(async (session) => {
        const asked = await questionOf(session, options)
        const explanation = await withProgress('asking the policy', async () => {
          const snapshot =
            options.revision === undefined
              ? session.stored.lastGood
              : await snapshotOfRevision(session, options.revision)
          return explain(snapshot, asked.role, action, asked.relation)
        })
        print(options.json ? JSON.stringify(explanation) : renderExplanation(explanation))
      })
    })

/** The role and the relation that the options name. Throws PolicyError where there is no such user or link. */
const questionOf = async (
  { database }: PolicySession,
  { user, role, link, relation }: ExplainOptions,
): Promise<{ readonly role: string; readonly relation: Relation }> => {
  const subject =
    role === undefined ? await subjectOf(database, user) : role === ENGINE_ROLES.anonymous ? null : { role }
  const record = link === undefined ? null : await findLink(database)(link)
  if (link !== undefined && record === null) throw new PolicyError(`there is no link ${link}`)
  const stands = relationOf(subject, record)
  if (stands === 'anonymous' && relation === 'own')
    throw new UsageError('a caller without a user owns nothing: --relation own needs a user')
  return { role: roleOf(subject), relation: stands === 'anonymous' ? stands : (relation ?? stands) }
}

const subjectOf = async (database: PolicySession['database'], idOrEmail: string | undefined) => {
  if (idOrEmail === undefined || idOrEmail === ENGINE_ROLES.anonymous) return null
  const user = await createAccounts(database).find(idOrEmail)
  if (user === null) throw new PolicyError(`there is no user ${idOrEmail}`)
  if (user.suspended)
    warn(
      `${user.email} is suspended: their tokens are refused, and the policy knows them as ${ENGINE_ROLES.anonymous} (their role would be ${user.role})`,
    )
  return user
}
