import { createAgents } from './agent.js'
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

/** Describes visits; null for the preview of a messenger, which is none. Never throws. */
export const createDescriber = ({ ownHost, countries, keepsSingle }: DescriberOptions) => {
  const agentOf = createAgents()
  return (noted: Noted, salt: DaySalt | null): Seen | null => {
    const { link, at, address, userAgent } = noted
    const { kind, ...agent } = agentOf(userAgent)
    if (kind === 'preview') return null
    const bot = kind === 'bot'
    if (noted.plain) return { link, at, kind: JSON.stringify({ bot, single: false }), visitor: null, day: null }
    const referrer = referrerOf(noted.referer, ownHost)
    const country = countries.of(address, noted.country)
    return {
      link,
      at,
      kind: JSON.stringify({ referrer, country, ...agent, bot, single: keepsSingle }),
      visitor: bot || salt === null ? null : salt.hash(link, address, userAgent ?? ''),
      day: salt?.day ?? null,
    }
  }
}
