import { textAt } from './json.js'
import { freshCode } from './records.js'
import type { TestService, TestUser } from './service.js'
import { until } from './until.js'

/** User agents as real programs send them. */
export const AGENTS = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 ' +
    'Mobile/15E148 Safari/604.1',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const

export interface MadeLink {
  readonly id: string
  readonly code: string
}

/** A link over the API. */
export const makeLink = async (
  service: Pick<TestService, 'request'>,
  { token }: Pick<TestUser, 'token'>,
  fields: object = {},
): Promise<MadeLink> => {
  const answer = await service.request('POST', '/links', {
    token,
    json: { code: freshCode(), target: 'https://example.com/a', ...fields },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return { id: textAt(answer.json, 'id'), code: textAt(answer.json, 'code') }
}

/** Follows a link as a browser, from a page unless the headers say otherwise. */
export const follow = (
  service: Pick<TestService, 'request'>,
  { code }: Pick<MadeLink, 'code'>,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
) => service.request(method, `/${code}`, { headers: { 'User-Agent': AGENTS.chrome, ...headers } })

/** What is counted of a link: people and bots. */
export const countsOf = async ({ db }: Pick<TestService, 'db'>, { id }: Pick<MadeLink, 'id'>) => {
  const text = 'select visits::int, bots::int from visit_counts where link_id = $1'
  const [row] = await db.asOwner<{ visits: number; bots: number }>(text, [id])
  return row ?? { visits: 0, bots: 0 }
}

/** Resolves when so many visits of a link, people and bots, are written. */
export const untilCounted = (service: Pick<TestService, 'db'>, link: Pick<MadeLink, 'id'>, number: number) =>
  until(`${number} visits are written`, async () => {
    const { visits, bots } = await countsOf(service, link)
    return visits + bots >= number
  })
