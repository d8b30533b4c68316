/** So many requests per fixed window of so many seconds. */
export interface Quota {
  readonly points: number
  readonly seconds: number
}
