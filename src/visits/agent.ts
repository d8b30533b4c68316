import { BROWSER_MAP, OS_MAP, parse } from 'bowser'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** A parsed user agent. Names come from the parser's fixed lists, so visitors cannot invent any. null: unknown. */
export interface Agent {
  readonly kind: 'person' | 'bot' | 'preview'
  readonly browser: string | null
  readonly os: string | null
  readonly device: string | null
}

/** Longer user agents are truncated: the rest adds nothing but parsing time. */
const MOST_CHARACTERS = 512
const REMEMBERED = 10_000

/** Programs that fetch a link to preview it in a chat. They do not count as visits. */
const PREVIEWS = new RegExp(
  [
    'facebookexternalhit',
    'facebookcatalog',
    'whatsapp',
    'telegrambot',
    'slackbot',
    'slack-imgproxy',
    'discordbot',
    'twitterbot',
    'linkedinbot',
    'skypeuripreview',
    'viberbot',
    'redditbot',
    'pinterestbot',
    'mastodon',
    'mattermost',
    'rocket\\.chat',
    'iframely',
    'embedly',
    'vkshare',
    'kakaotalk-scrap',
    'google-pagerenderer',
    'snap url preview',
    'bitlybot',
    'signal-desktop',
    'zoombot',
    'microsoftpreview',
  ].join('|'),
  'i',
)

const namesOf = (map: Readonly<Record<string, string>>): ReadonlySet<string> => new Set(Object.values(map))
const BROWSERS = namesOf(BROWSER_MAP)
const SYSTEMS = namesOf(OS_MAP)
const DEVICES = new Set(['desktop', 'mobile', 'tablet', 'tv'])

const UNKNOWN: Agent = { kind: 'person', browser: null, os: null, device: null }

/** Parses user agents, with a cache. */
export const createAgents = (): ((userAgent: string | undefined) => Agent) => {
  const known = new LRUCache<string, Agent>({ max: REMEMBERED })
  return (userAgent) => {
    if (userAgent === undefined) return UNKNOWN
    // not cached: as a key, a substring would keep the whole text in memory
    if (userAgent.length > MOST_CHARACTERS) return describe(userAgent.slice(0, MOST_CHARACTERS))
    const found = known.get(userAgent)
    if (found !== undefined) return found
    const agent = describe(userAgent)
    known.set(userAgent, agent)
    return agent
  }
}

const describe = (text: string): Agent => {
  if (PREVIEWS.test(text)) return { ...UNKNOWN, kind: 'preview' }
  try {
    const { browser, os, platform } = parse(text)
    return {
      kind: isbot(text) ? 'bot' : 'person',
      browser: nameIn(BROWSERS, browser.name),
      os: nameIn(SYSTEMS, os.name),
      device: nameIn(DEVICES, platform.type),
    }
  } catch {
    // if a parser fails, the visit still counts, without a description
    return UNKNOWN
  }
}

const nameIn = (names: ReadonlySet<string>, name: string | undefined): string | null =>
  name !== undefined && names.has(name) ? name : null
