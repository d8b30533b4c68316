/** The bundler takes styles from imports. */
declare module '*.css'

/**
 * The parts of these packages that the console uses. Their own types need Node.js; the bundle contains their browser
 * builds (console-bundle/build.ts).
 */
declare module 'csv-parse/sync' {
  export const parse: (text: string, options: object) => unknown
}
declare module 'csv-stringify/sync' {
  export const stringify: (records: readonly unknown[], options: object) => string
}
