import { Command, InvalidArgumentError } from 'commander'

import { isUserRole } from '../domain/role.js'
import { createAccounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'
import { print, withDatabase } from './session.js'

const EMAIL = /^[^@\s]+@[^@\s]+$/

const email = (text: string): string => {
  if (!EMAIL.test(text) || text.length > 254) throw new InvalidArgumentError('must be an e-mail address')
  return text
}

const role = (text: string): string => {
  if (!isUserRole(text)) throw new InvalidArgumentError('must be of [a-z][a-z0-9_-]{0,31}, and not anonymous, anyone or user')
  return text
}

const readPassword = async (): Promise<string> => {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

/** `linkgate user add` */
export const userCommand = (): Command =>
  new Command('user').description('manage users').addCommand(
    new Command('add')
      .description('add a user and print them as JSON')
      .requiredOption('--email <address>', 'address to sign in with', email)
      .requiredOption('--role <role>', 'role, such as admin, editor or viewer', role)
      .option('--name <name>', 'name', '')
      .option('--password-stdin', 'read the password from standard input; without it the user cannot sign in by password')
      .action(async (options: { readonly email: string; readonly role: string; readonly name: string; readonly passwordStdin?: true }) => {
        const password = options.passwordStdin ? await readPassword() : null
        await withDatabase(async (database) => {
          const passwordHash = password === null ? null : await (await createPasswords()).hash(password)
          print(JSON.stringify(await createAccounts(database).add({ email: options.email, role: options.role, name: options.name, passwordHash })))
        })
      }),
  )
