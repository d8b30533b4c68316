import type { Finding } from './analysis.js'
import { describeLoop } from './inheritance.js'
import { describeLoneRole } from './role-names.js'

const MAX_NAMED = 8
const named = (priorities: readonly number[]): string => {
  const shown = priorities.slice(0, MAX_NAMED).join(', ')
  const more = priorities.length > MAX_NAMED ? ` and ${priorities.length - MAX_NAMED} more` : ''
  return `${priorities.length === 1 ? 'row' : 'rows'} ${shown}${more}`
}

/** A finding in words for the author of the row. */
export const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case 'unreachable':
      return `unreachable: ${finding.by.length === 0 ? 'no request can match it' : `shadowed by ${named(finding.by)}`}`
    case 'redundant': {
      const stays = finding.stays.length === 0 ? 'no row would match' : named(finding.stays)
      return `redundant: ${finding.why}${finding.row.ptype === 'p' ? ` (${stays})` : ''}`
    }
    case 'overridden':
      return `partly overridden by ${named(finding.by)}, with the other effect`
    case 'unknown_role': {
      const why = finding.lone ? `, and ${describeLoneRole(finding.lone)}` : ''
      return `warning: no user has the role ${finding.name}${why}`
    }
    case 'lone_role':
      return `warning: ${describeLoneRole(finding.lone)}`
    case 'loop':
      return `warning: ${describeLoop(finding.path)}`
    case 'unknown_action':
      return `warning: no route has the action ${finding.name}`
  }
}
