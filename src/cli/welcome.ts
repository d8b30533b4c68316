import { defaultDataDir, type Config } from '../config.js'
import { FIRST_ADMIN } from '../domain/user.js'
import { VERSION } from '../version.js'
import { shownPath, type FirstAdmin } from './first-admin.js'

export interface Start {
  readonly baseUrl: string
  /** null: there were accounts already */
  readonly admin: FirstAdmin | null
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'externalIssuer' | 'speaksToPerson'>
}

/** The message of a start: where the console is, how the first admin signs in, and where everything else is. */
export const welcome = (start: Start): string => {
  const { baseUrl, admin, config } = start
  const { databaseUrl, dataDir, speaksToPerson } = config
  return [
    '',
    speaksToPerson ? `  Linkgate ${VERSION} is running.` : `  Linkgate listens on ${baseUrl}`,
    '',
    ...row('Console', `${baseUrl}/console`),
    ...(admin === null ? [] : row('First time', ...firstTime(admin, start))),
    ...(speaksToPerson ? wayBack(start) : ownToken(start)),
    ...row('Docs', `${baseUrl}/docs`),
    ...(databaseUrl === undefined ? row('Data', `in the folder ${shownPath(dataDir)}`) : []),
    ...row('Stop', 'Ctrl-C'),
    '',
  ].join('\n')
}

/** The message after Ctrl-C. */
export const goodbye = ({ databaseUrl, dataDir }: Start['config']): string =>
  // the terminal has already written ^C at the beginning of the line
  `\n  Stopping. Your links are kept in ${databaseUrl === undefined ? shownPath(dataDir) : 'the database'}.`

/** A label and its text. The URL of a first try fits into 80 columns. */
const row = (label: string, ...lines: readonly string[]): readonly string[] =>
  lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(12)}${line}`)

const firstTime = (admin: FirstAdmin, { baseUrl, config }: Start): readonly string[] => {
  switch (admin.by) {
    case 'link':
      return [
        // in the fragment, which browsers do not send, so it gets into no log
        `${baseUrl}/console/welcome#${admin.token}`,
        'Signs you in as the first admin: once, within ten minutes.',
      ]
    case 'file':
      return [
        `${FIRST_ADMIN}, password in ${admin.file} (change it, then delete the file)`,
        `curl ${baseUrl}/auth/token -d grant_type=password -d username=${FIRST_ADMIN} \\`,
        `  --data-urlencode password@${admin.file}`,
      ]
    case 'issuer':
      return [
        `${FIRST_ADMIN} is the first admin: link it to your account at the issuer with`,
        `${commandIn(config.dataDir)} user link ${FIRST_ADMIN} --subject SUB`,
      ]
  }
}

/**
 * For a person who missed the first admin's link, or forgot the password. With JWT_ISSUER, passwords belong to the
 * issuer.
 */
const wayBack = ({ baseUrl, admin, config }: Start): readonly string[] => {
  if (config.externalIssuer !== undefined) return []
  const where = baseUrl === DEFAULT_BASE_URL ? '' : `BASE_URL=${baseUrl} `
  return row('Locked out', `${where}${commandIn(config.dataDir)} user reset-link ${accountOf(admin)}`)
}

/** The first admin may have another address by now. */
const accountOf = (admin: FirstAdmin | null): string => (admin === null ? 'ADDRESS' : FIRST_ADMIN)

/** For scripts. With JWT_ISSUER, tokens are the issuer's. */
const ownToken = ({ admin, config: { dataDir, externalIssuer } }: Start): readonly string[] =>
  externalIssuer === undefined ? row('A token', `${commandIn(dataDir)} token --user ${accountOf(admin)}`) : []

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000'

/** The command with the setting that finds this installation, unless it is in the default folder. */
const commandIn = (dataDir: string): string =>
  dataDir === defaultDataDir() ? 'npx linkgate' : `DATA_DIR=${shellWord(shownPath(dataDir))} npx linkgate`

const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
