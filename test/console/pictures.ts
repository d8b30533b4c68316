import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { PASSWORD, addAccount } from '../support/account.js'
import { openChromium } from '../support/chromium.js'
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.js'
import { textAt } from '../support/json.js'
import { startTestService } from '../support/service.js'
import { removeTemporaryFolders } from '../support/temporary-folder.js'
import { HOUR, addVisits, inHour, type SeenVisit } from '../support/visits.js'

// Pictures of every page of the console, wide and on a phone, light and dark: `npm run pictures [FOLDER]`. The pictures
// of the README and of docs/console.md are among them; without a folder only these are written.

const [, , folder] = process.argv
const DOCS = new URL('../../docs/pictures/', import.meta.url).pathname

const SCREENS = {
  wide: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
} as const
const THEMES = ['light', 'dark'] as const

/** Which of them stand in the documentation, and under which name. */
const KEPT: Readonly<Record<string, string>> = {
  'links-wide-light': 'links',
  'link-wide-light': 'link',
  'links-phone-dark': 'phone',
  'import-wide-light': 'import',
  'settings-wide-dark': 'settings',
  'policy-wide-light': 'policy',
  'access-wide-light': 'access',
}

const DAY = 24 * HOUR
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const LINKS = [
  { code: 'uptime', target: 'https://status.example.com/', title: 'Service status', tags: ['ops'], weight: 6 },
  {
    code: 'survey-h2',
    target: 'https://forms.example.com/f/9sK2-csat-h2',
    title: 'Customer survey, second half',
    tags: ['research'],
    starts_at: inDays(5),
    weight: 0,
  },
  {
    code: 'spring-sale',
    target: 'https://www.example.com/spring-sale',
    title: 'Spring sale, archived',
    tags: ['sales'],
    active: false,
    weight: 0,
  },
  {
    code: 'handbook',
    target: 'https://wiki.example.com/people/handbook/welcome',
    title: 'Handbook for new colleagues',
    tags: ['hr', 'internal'],
    weight: 3,
  },
  {
    code: 'careers',
    target: 'https://www.example.com/company/careers',
    title: 'Open positions',
    tags: ['hr'],
    weight: 5,
  },
  {
    code: 'nordics',
    target: 'https://events.example.com/nordics-2026/register',
    title: 'Nordics webinar, sign-up',
    tags: ['events', 'nordics'],
    expires_at: inDays(3),
    weight: 4,
  },
  {
    code: 'beta50',
    target: 'https://app.example.com/join/beta?cohort=nov',
    title: 'Private beta, first 50',
    tags: ['beta'],
    max_visits: 50,
    weight: 0.05,
  },
  {
    code: 'board-q3',
    target: 'https://drive.example.com/d/1hX0b7q/board-pack',
    title: 'Board pack, third quarter',
    tags: ['board'],
    password: 'open sesame',
    weight: 0.1,
  },
  {
    code: 'pricing',
    target: 'https://www.example.com/eu/pricing',
    title: 'Pricing, EU',
    tags: ['sales'],
    weight: 9,
  },
  {
    code: 'launch',
    target: 'https://www.example.com/autumn/launch?utm_source=print',
    title: 'Autumn launch, landing page',
    tags: ['launch', 'print'],
    weight: 16,
  },
]

const REFERRERS = [null, null, null, 'linkedin.com', 'linkedin.com', 'news.example.net', 'mail.google.com', 'bing.com']
const COUNTRIES = ['SE', 'SE', 'DE', 'DE', 'NO', 'GB', 'FI', 'DK']
const PROGRAMS = [
  ['Chrome', 'Windows', 'desktop'],
  ['Chrome', 'Android', 'mobile'],
  ['Chrome', 'macOS', 'desktop'],
  ['Safari', 'iOS', 'mobile'],
  ['Safari', 'iOS', 'tablet'],
  ['Firefox', 'Linux', 'desktop'],
] as const

let last = 7
/** The same numbers every time. */
const random = (): number => (last = (last * 16_807) % 2_147_483_647) / 2_147_483_647
const oneOf = <T>(list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('nothing to choose from')
  return found
}

/** Two months of a link's visits: more on weekdays, with one day that stands out. */
const visitsOf = (link: string, weight: number): readonly SeenVisit[] => {
  const now = Math.floor(Date.now() / HOUR)
  return Array.from({ length: 60 * 24 }, (_, i) => now - 1 - i).flatMap((hour) => {
    const time = new Date(inHour(hour))
    const isWorkday = time.getUTCDay() % 6 !== 0
    const isDay = time.getUTCHours() > 6 && time.getUTCHours() < 20
    const peak = Math.floor((now - hour) / 24) === 11 ? 2.6 : 1
    const expected = weight * (isWorkday ? 1 : 0.5) * (isDay ? 1 : 0.15) * peak * (0.6 + random()) * 0.5
    const count = Math.floor(expected + random())
    return Array.from({ length: count }, (): SeenVisit => {
      const [browser, os, device] = oneOf(PROGRAMS)
      const bot = random() < 0.04
      // three of four visits are the first of somebody's day
      const isNew = !bot && random() < 0.75
      return {
        link,
        at: inHour(hour),
        referrer: oneOf(REFERRERS),
        country: oneOf(COUNTRIES),
        browser,
        os,
        device,
        bot,
        ...(isNew && { visitor: String(Math.floor(random() * 2 ** 53)) }),
      }
    })
  })
}

await mochaGlobalSetup()
const service = await startTestService({ environment: { BASE_URL: 'https://go.example.com' } })
const here = `http://127.0.0.1:${service.port}`
const user = await addAccount(service, 'editor')
await service.db.asOwner(`update users set name = 'Ben Okafor', email = 'ben@example.com' where id = $1`, [user.id])
const admin = await addAccount(service, 'admin')
await service.db.asOwner(`update users set name = 'Mara Lindqvist', email = 'mara@example.com' where id = $1`, [
  admin.id,
])
const send = async (method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${here}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${user.token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}`)
  return answer.status === 204 ? null : answer.json()
}
for (const { weight, ...link } of LINKS) {
  const id = textAt(await send('POST', '/links', link), 'id')
  const visits = visitsOf(id, weight)
  await addVisits(service.db, visits)
  if ('max_visits' in link) await service.db.asOwner('update links set used = $2 where id = $1', [id, visits.length])
}

// what an edit of the policy can be held against, and the trash shows
for (const { isRestored, ...link } of [
  { code: 'old-prices', title: 'Prices until March', isRestored: false },
  { code: 'intranet', title: 'Intranet, before the move', isRestored: false },
  { code: 'newsletter', title: 'Newsletter, sign-up', isRestored: true },
]) {
  const target = `https://www.example.com/${link.code}`
  const id = textAt(await send('POST', '/links', { ...link, target }), 'id')
  await send('DELETE', `/links/${link.code}`)
  if (isRestored) await send('POST', `/links/${id}/restore`, {})
}

const IMPORTED = `code,target,title,tags
winter,https://www.example.com/winter/launch?utm_source=newsletter,"Winter launch, landing page","launch,mail"
launch,https://www.example.com/autumn/launch?utm_source=print,"Autumn launch, landing page","launch,print"
pricing,https://www.example.org/prices,Prices,sales
,https://events.example.com/baltics-2027/register,"Baltics webinar, sign-up",events
intranet,intranet/start,Intranet,internal
`

const shoot = async (page: Page, name: string) => {
  const kept = KEPT[name]
  if (kept !== undefined) await page.screenshot({ path: join(DOCS, `${kept}.png`) })
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Each page, and what has to be there before it is looked at. */
const PAGES: readonly (readonly [name: string, path: string, shown: string])[] = [
  ['links', '/console', 'tbody tr'],
  ['link', '/console/links/launch', '.chart svg'],
  ['visits', '/console/visits', '.chart svg'],
  ['trash', '/console/trash', 'h1'],
  ['import', '/console/import', 'h1'],
  ['settings', '/console/settings', 'h1'],
]

/** Those of admins and auditors. */
const OF_ADMINS: typeof PAGES = [
  ['access', '/console/access', 'td.allow'],
  ['policy', '/console/policy', '.draft-row'],
  ['revisions', '/console/revisions', 'h2'],
  ['explain', '/console/explain?role=editor&action=link:delete&relation=other', 'h2'],
  ['model', '/console/model', 'code'],
]

/** What is done on a page before it is looked at. */
const DONE: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  import: async (page) => {
    const file = { name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(IMPORTED) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.locator('.import-rows tbody tr').first().waitFor()
  },
  access: (page) => page.locator('td.deny').nth(8).click(),
  policy: async (page) => {
    await page.getByRole('button', { name: 'Add a row' }).click()
    await page.getByLabel('Priority', { exact: true }).fill('525')
    await page.getByLabel('Rule', { exact: true }).fill('FREEZE')
    await page.getByLabel('Action', { exact: true }).selectOption('link:delete')
    await page.getByLabel('Comment, kept with the row').fill('Until the audit closes on 4 December')
    await page.getByRole('textbox', { name: 'Reason, for the record' }).fill('No deletes while the yearly audit runs.')
    await page.locator('.headline').waitFor()
  },
}

if (folder !== undefined) await mkdir(folder, { recursive: true })
await mkdir(DOCS, { recursive: true })
const context = await openChromium()
try {
  const page = await context.newPage()
  const shootAll = async (as: string, pages: typeof PAGES, look: string) => {
    await context.clearCookies()
    await page.goto(`${here}/console`)
    await page.getByLabel('E-mail address').waitFor()
    await page.evaluate('localStorage.clear()')
    await shoot(page, `door-${look}`)
    await page.getByLabel('E-mail address').fill(as)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByLabel('E-mail address').waitFor({ state: 'detached' })
    for (const [name, path, shown] of pages) {
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (new URL(page.url()).pathname !== path) await page.goto(`${here}${path}`)
      await page.locator(shown).first().waitFor()
      await DONE[name]?.(page)
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))')
      await shoot(page, `${name}-${look}`)
    }
  }
  for (const [size, screen] of Object.entries(SCREENS))
    for (const theme of THEMES) {
      await page.setViewportSize(screen)
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await shootAll('ben@example.com', PAGES, `${size}-${theme}`)
      await shootAll('mara@example.com', OF_ADMINS, `${size}-${theme}`)
    }
} finally {
  await context.close()
  await service.stop()
  await mochaGlobalTeardown()
  await removeTemporaryFolders()
}
process.exit()
