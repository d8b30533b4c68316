export const KEY_FILE = 'linkgate-public.pem'

/** The name of an evidence file, safe in a shell. Days in this browser's zone; null: no bound. */
export const evidenceName = (from: string | null, to: string | null): string =>
  ['evidence', from && `from-${from.slice(0, 10)}`, to && `to-${to.slice(0, 10)}`].filter(Boolean).join('-') + '.ndjson'

/** The command that checks it on another machine. */
export const checkCommand = (file: string): string => `linkgate audit verify ${file} --key ${KEY_FILE}`
