import { expect } from 'chai'
import * as fc from 'fast-check'

import { at, listAt, textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { HOUR, addVisits, inHour, type SeenVisit } from '../support/visits.js'

const DIMENSIONS = ['referrer', 'country', 'browser', 'os', 'device'] as const
const FIRST_HOUR = Date.UTC(2026, 2, 1) / HOUR
/** 45 days in which several of the zones change their clocks */
const HOURS = 45 * 24
const DAY = 24 * HOUR

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Africa/Casablanca',
] as const

const value = fc.constantFrom(null, 'a', 'b', 'other')
const visit = fc.record({
  link: fc.nat(2),
  // where the range begins or ends, or anywhere
  near: fc.constantFrom('first', 'from', 'to'),
  hours: fc.oneof(fc.integer({ min: -1, max: 0 }), fc.nat(HOURS - 1)),
  referrer: fc.constantFrom(null, 'news.example', '-x.example', 'other'),
  country: value,
  browser: value,
  os: value,
  device: value,
  bot: fc.boolean(),
  person: fc.option(fc.nat(5)),
})
type Visit = typeof visit extends fc.Arbitrary<infer Made> ? Made : never

const period = fc.record({
  ends: fc.uniqueArray(fc.nat(45), { minLength: 2, maxLength: 2 }),
  isDates: fc.boolean(),
  minutes: fc.nat(1_439),
  interval: fc.constantFrom('hour', 'day', 'week', 'month'),
  zone: fc.constantFrom(...ZONES),
  bots: fc.constantFrom('false', 'true', 'only'),
})

/** An independent account of what is asked: an hour belongs to the day in which it ends. */
const accountOf = (zone: string, interval: string) => {
  const clock = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  const dateAt = (instant: number) => clock.format(instant)
  const named = (date: string) => {
    if (interval === 'month') return date.slice(0, 7)
    if (interval === 'day') return date
    const time = Date.parse(date)
    return new Date(time - ((new Date(time).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10)
  }
  return {
    dateOf: (hour: number) => dateAt((hour + 1) * HOUR - 1),
    intervalOf: (hour: number) => (interval === 'hour' ? String(hour) : named(dateAt((hour + 1) * HOUR - 1))),
    intervalAt: (time: number) => (interval === 'hour' ? String(time / HOUR) : named(dateAt(time))),
  }
}

const counts = (names: readonly (string | null)[]) => {
  const found = new Map<string | null, number>()
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1)
  return Object.fromEntries(found)
}

describe('statistics of any visits', () => {
  let service: TestService
  let ada: TestUser
  before(async () => {
    // the totals of hours are kept for ten years
    service = await startTestService({ environment: { VISIT_DAYS: '3650' } })
  })
  after(() => service.stop())

  const makeLinks = () =>
    Promise.all(
      [['x'], ['x', 'y'], []].map(async (tags) => {
        const json = { code: freshCode(), target: 'https://example.com/', tags }
        const made = await service.request('POST', '/links', { token: ada.token, json })
        return { code: json.code, id: textAt(made.json, 'id'), tags }
      }),
    )

  it('agree with a plain account of them: of one link, of a tag, and of all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { maxLength: 60 }), period, async (visits, asked) => {
        ada = await service.addUser('editor')
        const links = await makeLinks()
        const { interval, zone, bots, isDates, minutes } = asked
        const account = accountOf(zone, interval)
        const ends = asked.ends
          .toSorted((a, b) => a - b)
          .map((day) => new Date((FIRST_HOUR + day * 24) * HOUR + (isDates ? 0 : minutes * 60_000)).toISOString())
          .map((time) => (isDates ? time.slice(0, 10) : time))
        const [from = 0, to = 0] = ends.map((end) => {
          if (!isDates) return Math.floor(Date.parse(end) / HOUR)
          let hour = Date.parse(end) / HOUR - 36
          while (account.dateOf(hour) < end) hour += 1
          return hour
        })
        const seen = visits.map(({ link, near, hours, person, ...rest }): SeenVisit => ({
          ...rest,
          link: links[link]?.id ?? '',
          at: inHour({ first: FIRST_HOUR, from, to }[near] + hours),
          ...(person !== null && !rest.bot && { visitor: String(person) }),
        }))
        await addVisits(service.db, seen)

        const query = new URLSearchParams({ from: ends[0] ?? '', to: ends[1] ?? '', interval, zone, bots }).toString()

        const isCounted = ({ bot }: Pick<Visit, 'bot'>) => bots === 'true' || bot === (bots === 'only')
        const hourOf = (each: SeenVisit) => Math.floor(each.at / HOUR)
        const check = async (path: string, of: readonly string[]) => {
          const answer = await service.request('GET', path, { token: ada.token })
          const what = `${path}: ${answer.text.slice(0, 2_000)}`
          expect(answer.status, what).to.equal(200)
          const { json } = answer
          const mine = seen.filter(({ link }) => of.includes(link))
          const newest = new Map<string, number>()
          if (bots !== 'only')
            for (const each of mine.toSorted((a, b) => b.at - a.at))
              if (each.visitor !== undefined) newest.set(`${each.link} ${each.visitor}`, hourOf(each))
          const firsts = [...newest.values()]
          const between = (first: number, end: number) => (hour: number) => hour >= first && hour < end
          const isWithin = between(from, to)
          const isBefore = between(from - (to - from), from)
          const counted = mine.filter((each) => isCounted({ bot: each.bot === true }))
          const within = counted.filter((each) => isWithin(hourOf(each)))

          expect(json, what).to.include({
            from: new Date(from * HOUR).toISOString(),
            to: new Date(to * HOUR).toISOString(),
            interval,
            zone,
            total: within.length,
            visitors: firsts.filter(isWithin).length,
            bots: mine.filter((each) => each.bot === true && isWithin(hourOf(each))).length,
          })
          expect(at(json, 'before'), what).to.deep.equal({
            total: counted.filter((each) => isBefore(hourOf(each))).length,
            visitors: firsts.filter(isBefore).length,
          })
          const series = listAt(json, 'series').map((point) => ({
            name: account.intervalAt(Date.parse(textAt(point, 'time'))),
            visits: at(point, 'visits'),
            visitors: at(point, 'visitors'),
          }))
          const hours = Array.from({ length: to - from }, (_, i) => from + i)
          expect(series, what).to.deep.equal(
            [...new Set(hours.map(account.intervalOf))].map((name) => ({
              name,
              visits: within.filter((each) => account.intervalOf(hourOf(each)) === name).length,
              visitors: firsts.filter((hour) => isWithin(hour) && account.intervalOf(hour) === name).length,
            })),
          )
          for (const dimension of DIMENSIONS) {
            const answered = listAt(json, 'by', dimension)
            expect(
              Object.fromEntries(answered.map((each) => [at(each, 'value'), at(each, 'visits')])),
              `${dimension}, ${what}`,
            ).to.deep.equal(counts(within.map((each) => each[dimension] ?? null)))
            const numbers = answered.filter((each) => at(each, 'value') !== 'other').map((each) => at(each, 'visits'))
            expect(numbers, what).to.deep.equal(numbers.toSorted((a, b) => Number(b) - Number(a)))
          }
          if (at(json, 'links') === undefined) return
          const ofLinks = counts(within.map(({ link }) => links.find(({ id }) => id === link)?.code ?? null))
          expect(
            Object.fromEntries(listAt(json, 'links').map((each) => [at(each, 'code'), at(each, 'visits')])),
            what,
          ).to.deep.equal(ofLinks)
        }

        for (const { id, code } of links) await check(`/links/${code}/visits?${query}`, [id])
        const ids = (tag?: string) =>
          links.filter(({ tags }) => tag === undefined || tags.includes(tag)).map(({ id }) => id)
        await check(`/visits?${query}`, ids())
        await check(`/visits?${query}&tag=x`, ids('x'))
        await check(`/visits?${query}&tag=x&tag=y`, ids('y'))
      }),
      { numRuns: 25 },
    )
  })
})
