import { Command, InvalidArgumentError } from 'commander'

import type { Config } from '../config.js'
import { isUserRole } from '../domain/role.js'
import { StartError } from '../domain/start-error.js'
import type { User } from '../domain/user.js'
import { createAccounts } from '../identity/accounts.js'
import type { Accounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'
import { print, withDatabase } from './session.js'
import { UsageError } from './usage-error.js'

const EMAIL = /^[^@\s]+@[^@\s]+$/
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

const email = (text: string): string => {
  if (!EMAIL.test(text) || text.length > 254) throw new InvalidArgumentError('must be an e-mail address')
  return text
}

const role = (text: string): string => {
  if (!isUserRole(text))
    throw new InvalidArgumentError('must be of [a-z][a-z0-9_-]{0,31}, and not anonymous, anyone or user')
  return text
}

const subject = (text: string): string => {
  if (!SUBJECT.test(text)) throw new InvalidArgumentError('must be a subject of 1 to 255 characters')
  return text
}

const name = (text: string): string => {
  if ([...text].length > 200) throw new InvalidArgumentError('must have at most 200 characters')
  return text
}

const readPassword = async (): Promise<string> => {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

const hashPassword = async (password: string): Promise<string> => (await createPasswords()).hash(password)

/** Prints a user as one line of JSON, so that many users are JSON lines. */
const printUser = ({ id, email, name, role, suspended, created_at }: User): void => {
  print(JSON.stringify({ id, email, name, role, suspended, created_at }))
}

/** One user, by id or address, changed and printed. Throws StartError (exit code 1) where there is none. */
const changeUser = async (
  idOrEmail: string,
  change: (accounts: Accounts, user: User, config: Config) => Promise<User | null>,
): Promise<void> => {
  await withDatabase(async (database, config) => {
    const accounts = createAccounts(database)
    const user = await accounts.find(idOrEmail)
    const changed = user && (await change(accounts, user, config))
    if (changed === null) throw new StartError(`there is no user ${idOrEmail}`)
    printUser(changed)
  })
}

/** A subject means something together with its issuer only. */
const requireIssuer = ({ externalIssuer }: Config): string => {
  if (externalIssuer === undefined)
    throw new UsageError('--subject needs the setting JWT_ISSUER: a subject belongs to an issuer')
  return externalIssuer.name
}

interface AddOptions {
  readonly email: string
  readonly role: string
  readonly name: string
  readonly passwordStdin?: true
  readonly subject?: string
}

const add = () =>
  new Command('add')
    .description('add a user and print them as JSON')
    .requiredOption('--email <address>', 'address to sign in with', email)
    .requiredOption('--role <role>', 'role, such as admin, editor or viewer', role)
    .option('--name <name>', 'name', name, '')
    .option('--password-stdin', 'read the password from standard input; without it the user cannot sign in by password')
    .option('--subject <subject>', 'who they are to the issuer that JWT_ISSUER names', subject)
    .action(async (options: AddOptions) => {
      const password = options.passwordStdin ? await readPassword() : null
      await withDatabase(async (database, config) => {
        const external =
          options.subject === undefined ? undefined : { issuer: requireIssuer(config), subject: options.subject }
        const passwordHash = password === null ? null : await hashPassword(password)
        printUser(
          await createAccounts(database).add({
            email: options.email,
            role: options.role,
            name: options.name,
            passwordHash,
            ...(external ? { external } : {}),
          }),
        )
      })
    })

const list = () =>
  new Command('list').description('print all users, one JSON object a line, oldest first').action(async () => {
    await withDatabase(async (database) => {
      for await (const user of createAccounts(database).list()) printUser(user)
    })
  })

const setRole = () =>
  new Command('role')
    .description('change a user’s role; binds their next request')
    .argument('<id or e-mail>')
    .argument('<role>', 'role, such as admin, editor or viewer', role)
    .action(async (who: string, next: string) => changeUser(who, (accounts, { id }) => accounts.setRole(id, next)))

const suspend = () =>
  new Command('suspend')
    .description('suspend a user: their next request is refused')
    .argument('<id or e-mail>')
    .option('--undo', 'let them back')
    .action(async (who: string, { undo }: { readonly undo?: true }) =>
      changeUser(who, (accounts, { id }) => accounts.setSuspended(id, undo !== true)),
    )

const setPassword = () =>
  new Command('password')
    .description('set a user’s password, and end all their sign-ins')
    .argument('<id or e-mail>')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (who: string) => {
      const password = await readPassword()
      await changeUser(who, async (accounts, { id }) => accounts.setPassword(id, await hashPassword(password)))
    })

const link = () =>
  new Command('link')
    .description('say who a user is to the issuer that JWT_ISSUER names')
    .argument('<id or e-mail>')
    .requiredOption('--subject <subject>', 'the issuer’s `sub` of this user', subject)
    .action(async (who: string, options: { readonly subject: string }) =>
      changeUser(who, async (accounts, user, config) => {
        await accounts.link(user.id, { issuer: requireIssuer(config), subject: options.subject })
        return user
      }),
    )

/** `linkgate user …`: users as who has the database in hand manages them; no policy row binds the command line. */
export const userCommand = (): Command => {
  const command = new Command('user').description('manage users')
  for (const each of [add(), list(), setRole(), suspend(), setPassword(), link()]) command.addCommand(each)
  return command
}
