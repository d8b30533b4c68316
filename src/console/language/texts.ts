import type { en } from './en'

/** What every language says. */
export type Texts = typeof en
