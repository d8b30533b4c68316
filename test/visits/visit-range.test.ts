import { expect } from 'chai'

import { visitRange, type VisitPeriod } from '../../src/domain/visit-range.js'
import { HOUR } from '../support/visits.js'

const NOW = Date.parse('2026-11-23T04:31:00Z')

const rangeOf = (period: Partial<VisitPeriod>) => {
  const found = visitRange({ interval: 'day', zone: 'UTC', ...period }, NOW)
  if ('fault' in found) throw new Error(`${found.fault.field} ${found.fault.message}`)
  return found.range
}
const faultOf = (period: Partial<VisitPeriod>) => {
  const found = visitRange({ interval: 'day', zone: 'UTC', ...period }, NOW)
  return 'fault' in found ? found.fault.field : undefined
}
const iso = (time: number) => new Date(time).toISOString().replace(':00.000Z', 'Z')
const startsOf = (period: Partial<VisitPeriod>) => rangeOf(period).starts.map(iso)
/** How many hours each interval has. */
const lengthsOf = (period: Partial<VisitPeriod>) => {
  const { starts, to } = rangeOf(period)
  return starts.map((start, i) => Math.floor((starts[i + 1] ?? to * HOUR) / HOUR) - Math.floor(start / HOUR))
}

describe('the range of visits that is asked for', () => {
  it('has days of 23 and 25 hours where clocks are changed', () => {
    const zone = 'Europe/Berlin'
    expect(lengthsOf({ from: '2026-03-28', to: '2026-03-31', zone })).to.deep.equal([24, 23, 24])
    expect(lengthsOf({ from: '2026-10-24', to: '2026-10-27', zone })).to.deep.equal([24, 25, 24])
    expect(startsOf({ from: '2026-03-28', to: '2026-03-31', zone })).to.deep.equal([
      '2026-03-27T23:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ])
    expect(lengthsOf({ from: '2026-10-01', to: '2026-12-01', interval: 'month', zone })).to.deep.equal([
      31 * 24 + 1,
      30 * 24,
    ])
  })

  it('begins a day at one where clocks skip midnight, and at the first of two midnights', () => {
    const saoPaulo = { from: '2018-11-03', to: '2018-11-06', zone: 'America/Sao_Paulo' }
    expect(startsOf(saoPaulo)).to.deep.equal(['2018-11-03T03:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z'])
    expect(lengthsOf(saoPaulo)).to.deep.equal([24, 23, 24])
    expect(lengthsOf({ ...saoPaulo, from: '2018-02-16', to: '2018-02-19' })).to.deep.equal([24, 25, 24])
    const havana = { from: '2026-10-31', to: '2026-11-03', zone: 'America/Havana' }
    expect(startsOf(havana)).to.deep.equal(['2026-10-31T04:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z'])
    expect(lengthsOf(havana)).to.deep.equal([24, 25, 24])
  })

  it('has no point for a day that a zone skipped', () => {
    expect(startsOf({ from: '2011-12-29', to: '2012-01-01', zone: 'Pacific/Apia' })).to.deep.equal([
      '2011-12-29T10:00Z',
      '2011-12-30T10:00Z',
    ])
  })

  it('counts the hour in which a day begins with that day, where clocks are half an hour off', () => {
    const range = rangeOf({ from: '2026-11-01', to: '2026-11-03', zone: 'Asia/Kolkata' })
    expect([range.from, range.to].map((hour) => iso(hour * HOUR))).to.deep.equal([
      '2026-10-31T18:00Z',
      '2026-11-02T18:00Z',
    ])
    expect(range.starts.map(iso)).to.deep.equal(['2026-10-31T18:30Z', '2026-11-01T18:30Z'])
  })

  it('is the last 30 days by default, from the start of an interval to the end of the hour that has begun', () => {
    const ends = (period: Partial<VisitPeriod>) => {
      const { from, to } = rangeOf(period)
      return [iso(from * HOUR), iso(to * HOUR)]
    }
    expect(ends({})).to.deep.equal(['2026-10-24T00:00Z', '2026-11-23T05:00Z'])
    expect(ends({ interval: 'hour' })).to.deep.equal(['2026-10-24T05:00Z', '2026-11-23T05:00Z'])
    expect(ends({ interval: 'week' })).to.deep.equal(['2026-10-19T00:00Z', '2026-11-23T05:00Z'])
    expect(ends({ interval: 'month', zone: 'Asia/Tokyo' })).to.deep.equal(['2026-09-30T15:00Z', '2026-11-23T05:00Z'])
    expect(ends({ to: '2026-06-30' })).to.deep.equal(['2026-05-31T00:00Z', '2026-06-30T00:00Z'])
  })

  it('cuts times to the hour, and keeps the intervals that they are in', () => {
    const { from, to, starts } = rangeOf({
      from: '2026-11-10T10:59:59.999Z',
      to: '2026-11-11T08:30:00+02:00',
      interval: 'week',
    })
    expect([iso(from * HOUR), iso(to * HOUR)]).to.deep.equal(['2026-11-10T10:00Z', '2026-11-11T06:00Z'])
    expect(starts.map(iso)).to.deep.equal(['2026-11-09T00:00Z'])
  })

  it('names the parameter that is wrong', () => {
    expect(faultOf({ zone: 'Europe/Nowhere' })).to.equal('zone')
    expect(faultOf({ zone: '+02:00' })).to.equal('zone')
    expect(faultOf({ zone: '' })).to.equal('zone')
    expect(faultOf({ from: '2026-11-02', to: '2026-11-01' })).to.equal('from')
    expect(faultOf({ from: '2026-11-01T10:10:00Z', to: '2026-11-01T10:50:00Z' })).to.equal('from')
    expect(faultOf({ from: '2099-01-01' })).to.equal('from')
    expect(faultOf({ from: '2020-01-01', interval: 'hour' })).to.equal('interval')
    expect(faultOf({ from: '1970-01-01', to: '9999-12-31', interval: 'month', zone: 'Europe/Berlin' })).to.equal(
      'interval',
    )
    expect(faultOf({ from: '1970-01-01', interval: 'week' })).to.equal(undefined)
  })
})
