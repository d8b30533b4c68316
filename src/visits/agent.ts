import { BROWSER_MAP, OS_MAP, parse } from 'bowser'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** What a user agent is. Names are the parser's own: no visitor can invent one. null: not known. */
export interface Agent {
  readonly kind: 'person' | 'bot' | 'preview'
  readonly browser: string | null
  readonly os: string | null
  readonly device: string | null
}

/** Longer ones say nothing more, and would cost the parser more. */
const MOST_CHARACTERS = 512
const REMEMBERED = 10_000

/** Programs that fetch a link so that a chat can show where it leads. Nobody has followed it. */
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

/** Describes user agents, each distinct one once. */
export const createAgents = (): ((userAgent: string | undefined) => Agent) => {
  const known = new LRUCache<string, Agent>({ max: REMEMBERED })
  return (userAgent) => {
    if (userAgent === undefined) return UNKNOWN
    // not remembered: a part of a text would keep all of it in memory
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
    // a text that a parser cannot bear costs its visit no more than its description
    return UNKNOWN
  }
}

const nameIn = (names: ReadonlySet<string>, name: string | undefined): string | null =>
  name !== undefined && names.has(name) ? name : null
