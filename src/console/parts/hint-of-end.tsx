import type { ComponentChildren } from 'preact'

import { t } from '../language/language'
import { isPast } from './local-time'

/** The hint for a link's end while it is typed: the service accepts one in the past, and the link has then ended. */
export const hintOfEnd = (typed: string): ComponentChildren =>
  isPast(typed) ? <span role="status">{t.fields.pastEnd}</span> : undefined
