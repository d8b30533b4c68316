import type { Texts } from './language'
import { en } from './en'
export const de: Texts = en
