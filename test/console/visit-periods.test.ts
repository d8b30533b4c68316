import { expect } from 'chai'
import * as fc from 'fast-check'

import { PERIODS, boundsOf, type Bounds, type Period } from '../../src/console/parts/visits/periods.js'
import { visitRange } from '../../src/domain/visit-range.js'

const NOW = Date.parse('2026-11-23T04:31:00Z')
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Australia/Lord_Howe']

/** What the service takes the bounds for. */
const rangeOf = (bounds: Bounds, now: number) => {
  const found = visitRange(bounds, now)
  if ('fault' in found) throw new Error(`${found.fault.field} ${found.fault.message}`)
  return found.range
}
const pointsOf = (bounds: Bounds, now: number): number => rangeOf(bounds, now).starts.length

describe('the periods of visits', () => {
  it('begin with the day in the zone of the caller, not of UTC', () => {
    const lateInBerlin = Date.parse('2026-11-22T23:30:00Z')
    expect(boundsOf('7d', lateInBerlin, 'UTC').shown.from).to.equal('2026-11-16')
    expect(boundsOf('7d', lateInBerlin, 'Europe/Berlin').shown.from).to.equal('2026-11-17')
    expect(boundsOf('7d', lateInBerlin, 'America/Los_Angeles').shown.from).to.equal('2026-11-16')
  })

  it('are those of UTC if the browser does not know its zone', () => {
    expect(boundsOf('7d', NOW, 'Etc/Unknown')).to.deep.equal(boundsOf('7d', NOW, 'UTC'))
  })

  it('have today, and end with the hour that has begun', () => {
    const { shown } = boundsOf('30d', NOW, 'Europe/Berlin')
    expect(shown).to.deep.equal({
      from: '2026-10-25',
      to: '2026-11-23T05:00:00.000Z',
      interval: 'day',
      zone: 'Europe/Berlin',
    })
  })

  it('compare a year of whole weeks, from a Monday on', () => {
    const { shown, before } = boundsOf('1y', NOW, 'UTC')
    expect(shown.from).to.equal('2025-12-01')
    expect(before.from).to.equal('2024-12-02')
    for (const { from } of [shown, before]) expect(new Date(from).getUTCDay()).to.equal(1)
  })

  it('end at the same time of the day as the ones before them', () => {
    const { shown, before } = boundsOf('7d', NOW, 'Europe/Berlin')
    expect(before.to).to.equal('2026-11-16T05:00:00.000Z')
    expect(Date.parse(shown.to) - Date.parse(before.to)).to.equal(7 * 86_400_000)
  })

  it('do so after clocks were changed in between, too', () => {
    // 10:15 in Berlin, each on the day after a change
    const afterAutumn = boundsOf('7d', Date.parse('2026-10-26T09:15:00Z'), 'Europe/Berlin')
    expect([afterAutumn.shown.to, afterAutumn.before.to]).to.deep.equal([
      '2026-10-26T10:00:00.000Z',
      '2026-10-19T09:00:00.000Z',
    ])
    const afterSpring = boundsOf('7d', Date.parse('2026-03-30T08:15:00Z'), 'Europe/Berlin')
    expect([afterSpring.shown.to, afterSpring.before.to]).to.deep.equal([
      '2026-03-30T09:00:00.000Z',
      '2026-03-23T10:00:00.000Z',
    ])
  })

  it('end no later than the shown begin, where clocks are set back at midnight', () => {
    // in Havana, 1 November 2026 has midnight twice
    const { before, shown } = boundsOf('7d', Date.parse('2026-11-08T04:30:00Z'), 'America/Havana')
    expect(shown.from).to.equal('2026-11-01')
    expect(before.to).to.equal('2026-11-01T04:00:00.000Z')
  })

  it('have as many points as they say, at any time in any zone', () => {
    const points: Readonly<Record<Period, number>> = { '24h': 24, '7d': 7, '30d': 30, '1y': 52 }
    const times = fc.date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(times, fc.constantFrom(...ZONES), fc.constantFrom(...PERIODS), (time, zone, period) => {
        const now = time.getTime()
        const { shown, before } = boundsOf(period, now, zone)
        expect(pointsOf(shown, now)).to.equal(points[period])
        // one less where clocks were changed in the hour after midnight
        expect(pointsOf(before, now)).to.be.within(points[period] - 1, points[period])
        expect(rangeOf(before, now).to).to.be.at.most(rangeOf(shown, now).from)
      }),
    )
  })
})
