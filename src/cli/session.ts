import { userInfo } from 'node:os'
import { styleText } from 'node:util'

import { PACKAGE_ROOT, readConfig } from '../config.js'
import type { Database } from '../database/database.js'
import { openDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { StartError } from '../domain/start-error.js'
import type { User } from '../domain/user.js'
import { createAccounts } from '../identity/accounts.js'
import { escapeControls, escapeInLine } from '../log/escape-invisible.js'
import { UsageError } from './errors.js'

/** The settings, and where the migrations are. Invalid settings are a UsageError. */
export const settings = () => {
  try {
    return { ...readConfig(), migrations: new URL('migrations/', PACKAGE_ROOT) }
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error
  }
}

/** Longer than a request's: a large edit is one transaction. */
const DEADLINE_MS = 120_000

/** Runs a command on the configured database. The embedded one is started for the command if it is not running. */
export const withDatabase = async <T>(
  work: (database: Database, config: ReturnType<typeof settings>) => Promise<T>,
): Promise<T> => {
  const config = settings()
  const opened = await openDatabase(config)
  const database = openPool({
    connection: { ...opened.service, application_name: `linkgate command line, ${osUser()}` },
    size: 2,
    pooled: config.databasePooled,
    deadlineMs: DEADLINE_MS,
  })
  try {
    return await work(database, config)
  } finally {
    await database.close()
    await opened.leave()
  }
}

export const requireUser = async (database: Database, idOrEmail: string): Promise<User> => {
  const user = await createAccounts(database).find(idOrEmail)
  if (user === null) throw new StartError(`there is no user ${idOrEmail}`)
  return user
}

/** The person at the terminal, for histories. */
export const osUser = (): string => {
  try {
    return userInfo().username
  } catch {
    // in a container a user id may have no name
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * Prints on stdout. Every command prints by this and `complain` alone: no text that somebody stored (a reason, a name,
 * a role in a faulty row) reaches the terminal as anything but text. What is escaped in JSON stays the same JSON.
 */
export const print = (text: string): void => {
  writeLines(escapeControls(text))
}

/** Prints one line with colours: the only escapes that get through, so every other text of it is escaped before. */
export const printStyled = (parts: readonly StyledText[]): void => {
  writeLines(parts.map(({ text, style }) => paint(style, escapeInLine(text))).join('  '))
}

export interface StyledText {
  readonly text: string
  readonly style?: 'red' | 'green' | 'yellow' | 'dim'
}

/** On a terminal only, and not with NO_COLOR (https://no-color.org). */
const paint = (style: StyledText['style'], text: string): string =>
  style === undefined ? text : styleText(style, text, { stream: process.stdout })

const writeLines = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** One line on stderr. */
export const complain = (text: string): void => {
  process.stderr.write(`linkgate: ${escapeInLine(text.replaceAll(/\s*\n\s*/g, ' '))}\n`)
}
