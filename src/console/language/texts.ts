import type { en } from './en'

/** The texts that every language has. */
export type Texts = typeof en
