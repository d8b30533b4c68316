import { allFaults } from '../../language/fault-words'
import { t } from '../../language/language'
import type { Why } from './outcome.js'

export const whyText = (why: Why): string => {
  if (why.is === 'faults') return allFaults(t.faults, why.faults)
  return why.is === 'refusal' ? t.problem(why.refusal) : t.imports.why(why)
}
