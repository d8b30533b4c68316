import { createAgents, type Agent } from './agent.js'
import type { Countries } from './country.js'
import type { DaySalt } from './day-salt.js'
import { referrerOf } from './referrer.js'

/** A visit as noted from its request. It is kept for about a quarter of a second. */
export interface Noted {
  readonly link: string
  /** by performance.now() */
  readonly at: number
  readonly address: string
  readonly userAgent: string | undefined
  readonly referer: string | undefined
  /** the value of the proxy's country header */
  readonly country: string | undefined
  /** `Sec-GPC: 1` or `DNT: 1`: only the count is kept */
  readonly plain: boolean
}

/** A visit as it is written, without address and user agent. */
export interface Seen {
  readonly link: string
  readonly at: number
  /** the description as JSON: the database's visit_kind */
  readonly kind: string
  /** the visitor's hash for that day; null if visitors are not recognised */
  readonly visitor: number | null
  readonly day: string | null
}

export interface DescriberOptions {
  /** the service's own host, which does not count as a referrer */
  readonly ownHost: string
  readonly countries: Countries
  /** whether single visits are kept, or only totals */
  readonly keepsSingle: boolean
}

/** Describes the visits of a batch, leaving out previews by messengers. Never throws. */
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
