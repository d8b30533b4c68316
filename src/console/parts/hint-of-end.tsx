import type { ComponentChildren } from 'preact'

import { t } from '../language/language'
import { isPast } from './local-time'

/** What to say of the end of a link while it is typed: the service takes one that is past, and the link is over. */
export const hintOfEnd = (typed: string): ComponentChildren =>
  isPast(typed) ? <span role="status">{t.fields.pastEnd}</span> : undefined
