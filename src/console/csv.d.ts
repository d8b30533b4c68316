/**
 * What the console uses of these packages. Their own types speak of Node.js; the bundle has their builds for browsers
 * (console-bundle/build.ts).
 */
declare module 'csv-parse/sync' {
  export const parse: (text: string, options: object) => unknown
}
declare module 'csv-stringify/sync' {
  export const stringify: (records: readonly unknown[], options: object) => string
}
