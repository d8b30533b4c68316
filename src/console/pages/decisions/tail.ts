/** Whether new lines arrive live. `fresh`: how many wait to be shown. */
export type Tail =
  | { readonly is: 'on' | 'paused'; readonly fresh: number }
  /** in seconds; null: no reconnection */
  | { readonly is: 'lost'; readonly againIn: number | null }
