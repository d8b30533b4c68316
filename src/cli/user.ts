import { buffer } from 'node:stream/consumers'

import type { Command } from 'commander'

import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import { isUserRole } from '../domain/role.js'
import { StartError } from '../domain/start-error.js'
import type { User } from '../domain/user.js'
import { createAccounts, type Accounts } from '../identity/accounts.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import { PASSWORD_LINK_MS, passwordLink } from '../identity/password-reset.js'
import { createPasswords } from '../identity/password.js'
import { describeLoneRole, loneRoleOfUser } from '../policy/role-names.js'
import { storedRoles } from '../policy/store.js'
import { Name } from '../routes/schemas.js'
import { checked, email, parsed } from './arguments.js'
import { UsageError } from './errors.js'
import { complain, print, printPart } from './print.js'
import { textOf } from './read-text-file.js'
import { lookUpUser, withDatabase } from './session.js'

const role = checked(isUserRole, 'must match [a-z][a-z0-9_-]{0,31}, and not be anonymous, anyone or user')
const subject = checked((text) => /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text), 'must have 1 to 255 characters')
const name = parsed((text) => Name.safeParse(text).data, 'must be one line of 1 to 200 characters')

/** `LinksOfDeleted` as it is typed: `to` is an id or an e-mail address. */
type LinksOption = 'delete' | { readonly to: string }
const links = parsed((text): LinksOption | undefined => {
  if (text === 'delete') return text
  const [, to] = /^transfer:(.+)$/.exec(text) ?? []
  return to === undefined ? undefined : { to }
}, 'must be delete, or transfer: and the id or e-mail address of a user')

const WHO = '<id or e-mail>'
const ROLE = 'role, such as admin, editor or viewer'
const SUBJECT = "the user's `sub` at the external issuer (JWT_ISSUER)"

const readPassword = async (): Promise<string> =>
  textOf(await buffer(process.stdin), 'the password').replace(/\r?\n$/, '')

const hashPassword = async (password: string): Promise<string> => (await createPasswords()).hash(password)

const lineOf = (user: User): string => `${JSON.stringify(user)}\n`

/**
 * Warns of a role that no row and no other user has, which is probably misspelt: it grants only what every signed-in
 * user may do.
 */
const warnOfLoneRole = async (database: Database, role: string): Promise<void> => {
  const known = [...(await storedRoles(database)), ...(await createAccounts(database).rolesInUse())]
  const lone = loneRoleOfUser(role, known)
  if (lone !== null) complain(`warning: ${describeLoneRole(lone)}`)
}

const changeUser = (
  idOrEmail: string,
  change: (accounts: Accounts, user: User, config: Config, database: Database) => Promise<User | null>,
): Promise<void> =>
  withDatabase(async (database, config) => {
    const user = await lookUpUser(database, idOrEmail)
    const changed = await change(createAccounts(database), user, config, database)
    if (changed === null) throw new StartError(`there is no user ${idOrEmail}`)
    print(lineOf(changed))
  })

const externalSubject = ({ externalIssuer }: Config, subject: string) => {
  if (externalIssuer === undefined)
    throw new UsageError('--subject needs the setting JWT_ISSUER: a subject belongs to an issuer')
  return { issuer: externalIssuer.name, subject }
}

interface AddOptions extends Pick<User, 'email' | 'role'> {
  readonly name?: string
  readonly passwordStdin?: true
  readonly subject?: string
}

/** Manages users for anybody with access to the database; no policy row restricts the command line. */
export const register = (program: Command): void => {
  const users = program.command('user').description('manage users')
  users
    .command('add')
    .description('add a user, and print it as JSON')
    .requiredOption('--email <address>', 'address to sign in with', email)
    .requiredOption('--role <role>', ROLE, role)
    .option('--name <name>', 'display name', name)
    .option('--password-stdin', 'read the password from standard input (otherwise the user has none)')
    .option('--subject <subject>', SUBJECT, subject)
    .action(async ({ passwordStdin, subject, name = '', ...user }: AddOptions) => {
      const password = passwordStdin ? await readPassword() : null
      await withDatabase(async (database, config) => {
        const external = subject === undefined ? undefined : externalSubject(config, subject)
        const passwordHash = password === null ? null : await hashPassword(password)
        await warnOfLoneRole(database, user.role)
        print(lineOf(await createAccounts(database).add({ ...user, name, passwordHash }, external)))
      })
    })
  users
    .command('list')
    .description('print all users, oldest first, one JSON object per line')
    .action(() =>
      withDatabase(async (database) => {
        for await (const user of createAccounts(database).list()) if (!(await printPart(lineOf(user)))) break
      }),
    )
  users
    .command('role')
    .description("change a user's role, from the next request on")
    .argument(WHO)
    .argument('<role>', ROLE, role)
    .action((who: string, next: string) =>
      changeUser(who, async (accounts, { id }, _config, database) => {
        await warnOfLoneRole(database, next)
        return accounts.setRole(id, next)
      }),
    )
  users
    .command('suspend')
    .description('suspend a user: their requests are refused from now on')
    .argument(WHO)
    .option('--undo', 'end the suspension')
    .action((who: string, { undo }: { readonly undo?: true }) =>
      changeUser(who, (accounts, { id }) => accounts.setSuspended(id, undo !== true)),
    )
  users
    .command('email')
    .description('change the address that a user signs in with')
    .argument(WHO)
    .argument('<address>', 'the new address', email)
    .action((who: string, next: string) => changeUser(who, (accounts, { id }) => accounts.setEmail(id, next)))
  users
    .command('delete')
    .description('delete a user and everything they own')
    .argument(WHO)
    .option('--links <delete or transfer:USER>', 'delete their links as well, or give them to another user', links)
    .action((who: string, options: { readonly links?: LinksOption }) =>
      withDatabase(async (database) => {
        const { id } = await lookUpUser(database, who)
        if (typeof options.links !== 'object') return createAccounts(database).remove(id, options.links)
        const heir = await lookUpUser(database, options.links.to)
        if (heir.id === id) throw new UsageError('--links transfer: names the user who is deleted')
        await createAccounts(database).remove(id, { to: heir.id })
      }),
    )
  users
    .command('password')
    .description("set a user's password, and end all their sign-ins")
    .argument(WHO)
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (who: string) => {
      const password = await readPassword()
      await changeUser(who, async (accounts, { id }) => accounts.setPassword(id, await hashPassword(password)))
    })
  users
    .command('reset-link')
    .description('print a link with which a user can choose a new password, once, within an hour')
    .argument(WHO)
    .action((who: string) =>
      withDatabase(async (database, { baseUrl, externalIssuer }) => {
        if (externalIssuer !== undefined) throw new UsageError('with JWT_ISSUER, passwords belong to the issuer')
        if (baseUrl === undefined) throw new UsageError('a link needs BASE_URL if PORT is 0')
        const user = await lookUpUser(database, who)
        if (user.suspended) throw new StartError(`the user ${who} is suspended`)
        const token = newOpaqueToken()
        const expiresAt = new Date(Date.now() + PASSWORD_LINK_MS)
        await createAccounts(database).addPasswordLink(user.id, { hash: hashOfToken(token), expiresAt })
        print(passwordLink(baseUrl, token))
      }),
    )
  users
    .command('link')
    .description('link a user to a subject of the external issuer (JWT_ISSUER)')
    .argument(WHO)
    .requiredOption('--subject <subject>', SUBJECT, subject)
    .action((who: string, options: { readonly subject: string }) =>
      changeUser(who, async (accounts, user, config) => {
        await accounts.link(user.id, externalSubject(config, options.subject))
        return user
      }),
    )
}
