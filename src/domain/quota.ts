/** Requests in a fixed window of so many seconds. */
export interface Quota {
  readonly points: number
  readonly seconds: number
}
