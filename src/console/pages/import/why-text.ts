import { allFaults } from '../../language/fault-words'
import { t } from '../../language/language'
import type { Why } from './outcome.js'

export const whyText = (why: Why): string => {
  if (why.is !== 'refusal') return t.imports.why(why)
  const { errors } = why.refusal
  return errors.length > 0 ? allFaults(t.faults, errors) : t.problem(why.refusal)
}
