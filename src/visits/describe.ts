import { createAgents } from './agent.js'
import type { Agent } from './agent.js'
import type { Countries } from './country.js'
import type { DaySalt } from './day-salt.js'
import { referrerOf } from './referrer.js'

/** What was noted of a request, for a quarter of a second. */
export interface Noted {
  readonly link: string
  /** as performance.now() */
  readonly at: number
  readonly address: string
  readonly userAgent: string | undefined
  readonly referer: string | undefined
  /** what the proxy's header says */
  readonly country: string | undefined
  /** `Sec-GPC: 1` or `DNT: 1`: nothing is kept but the count */
  readonly plain: boolean
}

/** What is written of a visit: no address, and no user agent. */
export interface Seen {
  readonly link: string
  readonly at: number
  /** what is known of it, as JSON: a visit_kind of the database */
  readonly kind: string
  /** the visitor's hash of a day (64 bits); null where nobody is recognised */
  readonly visitor: string | null
  readonly day: string | null
}

export interface DescriberOptions {
  /** of the service: who comes from it comes from nowhere */
  readonly ownHost: string
  readonly countries: Countries
  /** whether single visits are kept, or totals alone */
  readonly keepsSingle: boolean
}

/** Describes the visits of a batch. Leaves out previews of messengers, which are no visits. Never throws. */
export const createDescriber = ({ ownHost, countries, keepsSingle }: DescriberOptions) => {
  const agentOf = createAgents()
  return (batch: readonly Noted[], salt: DaySalt | null): readonly Seen[] => {
    // A batch has few distinct referrers and kinds. Neither is cached for longer: a referrer may be private.
    const hostOf = memoize((referer: string | undefined) => referrerOf(referer, ownHost))
    const kindOf = memoize(({ kind, ...agent }: Agent) =>
      memoize((referrer: string | null) =>
        memoize((country: string | null) =>
          JSON.stringify({ referrer, country, ...agent, bot: kind === 'bot', single: keepsSingle }),
        ),
      ),
    )
    return batch.flatMap((noted) => {
      const { link, at, address, userAgent } = noted
      const agent = agentOf(userAgent)
      if (agent.kind === 'preview') return []
      const bot = agent.kind === 'bot'
      if (noted.plain) return { link, at, kind: JSON.stringify({ bot, single: false }), visitor: null, day: null }
      return {
        link,
        at,
        kind: kindOf(agent)(hostOf(noted.referer))(countries.of(address, noted.country)),
        visitor: bot || salt === null ? null : salt.hash(link, address, userAgent ?? ''),
        day: salt?.day ?? null,
      }
    })
  }
}

/** The same function, run once for each distinct argument. */
const memoize = <Argument, Result>(run: (argument: Argument) => Result): ((argument: Argument) => Result) => {
  const results = new Map<Argument, { readonly result: Result }>()
  return (argument) => {
    const known = results.get(argument)
    if (known !== undefined) return known.result
    const result = run(argument)
    results.set(argument, { result })
    return result
  }
}
