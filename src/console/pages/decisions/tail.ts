/** Whether new lines come in as they are written. `fresh`: so many wait to be shown. */
export type Tail =
  | { readonly is: 'on' | 'paused'; readonly fresh: number }
  /** in seconds; null: it is not tried again */
  | { readonly is: 'lost'; readonly againIn: number | null }
