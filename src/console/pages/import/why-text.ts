import { allFaults } from '../../language/fault-words'
import { t } from '../../language/language'
import type { Why } from './outcome.js'

export const whyText = (why: Why): string =>
  why.is === 'faults' ? allFaults(t.faults, why.faults) : t.imports.why(why)
