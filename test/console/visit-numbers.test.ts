import { expect } from 'chai'
import * as fc from 'fast-check'

import { sumOf, withinMinute } from '../../src/console/parts/visits/arrivals.js'
import { rowsOf } from '../../src/console/parts/visits/breakdown-rows.js'
import { areaOf, lineOf, scaleOf } from '../../src/console/parts/visits/chart-lines.js'
import { compare } from '../../src/console/parts/visits/comparison.js'
import { labelled, ticksOf } from '../../src/console/parts/visits/ticks.js'

describe('the axis of a chart', () => {
  it('has few round numbers', () => {
    expect(ticksOf(1_186)).to.deep.equal([0, 500, 1_000, 1_500])
    expect(ticksOf(800)).to.deep.equal([0, 200, 400, 600, 800])
    expect(ticksOf(3)).to.deep.equal([0, 1, 2, 3])
    expect(ticksOf(113)).to.deep.equal([0, 50, 100, 150])
  })

  it('has no half visits, also where there is none', () => {
    expect(ticksOf(0)).to.deep.equal([0, 1])
    expect(ticksOf(1)).to.deep.equal([0, 1])
  })

  it('goes from nought to the highest value in at most four even steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), (most) => {
        const ticks = ticksOf(most)
        const [first, step = 0] = ticks
        expect(first).to.equal(0)
        expect(ticks.length).to.be.within(2, 5)
        expect(ticks.at(-1)).to.be.within(most, most + step)
        for (const [i, tick] of ticks.entries()) expect(tick).to.equal(i * step)
      }),
    )
  })

  it('names every so many points, never more than there is room for', () => {
    expect(labelled(30, 5)).to.deep.equal([0, 6, 12, 18, 24])
    expect(labelled(30, 10)).to.deep.equal([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
    expect(labelled(7, 3)).to.deep.equal([0, 3, 6])
    expect(labelled(24, 4)).to.deep.equal([0, 6, 12, 18])
    expect(labelled(7, 10)).to.have.lengthOf(7)
    fc.assert(
      fc.property(fc.nat({ max: 400 }), fc.nat({ max: 20 }), (count, most) => {
        expect(labelled(count, most).length).to.be.at.most(Math.max(1, most))
        for (const index of labelled(count, most)) expect(index).to.be.below(count)
      }),
    )
  })
})

describe('the lines of a chart', () => {
  const plot = { left: 10, right: 110, top: 0, bottom: 50 }
  const scale = scaleOf(plot, 3, 10)

  it('lead from the left to the right, and up with the values', () => {
    expect(lineOf([0, 10, 5], scale)).to.equal('M10 50L60 0L110 25')
    expect(areaOf([0, 10, 5], scale)).to.equal('M10 50L60 0L110 25V50H10Z')
  })

  it('have one point in the middle, and none where there is nothing', () => {
    expect(lineOf([10], scaleOf(plot, 1, 10))).to.equal('M60 0')
    expect(areaOf([], scaleOf(plot, 0, 0))).to.equal('')
  })

  it('are read at the nearest point, also from outside', () => {
    expect([-50, 10, 34, 36, 84, 86, 500].map(scale.at)).to.deep.equal([0, 0, 0, 1, 1, 2, 2])
  })
})

describe('a comparison with the period before', () => {
  it('tells more, fewer and the same', () => {
    expect(compare(131, 100)).to.deep.equal({ is: 'more', share: 0.31 })
    expect(compare(76, 100)).to.deep.equal({ is: 'fewer', share: 0.24 })
    expect(compare(0, 8)).to.deep.equal({ is: 'fewer', share: 1 })
    expect(compare(100, 100)).to.deep.equal({ is: 'same' })
    expect(compare(1_004, 1_000)).to.deep.equal({ is: 'same' })
  })

  it('has no share of nothing', () => {
    expect(compare(5, 0)).to.deep.equal({ is: 'first' })
    expect(compare(0, 0)).to.deep.equal({ is: 'same' })
  })
})

describe('a breakdown of visits', () => {
  const counts = (...visits: number[]) => visits.map((each, i) => ({ value: `v${i}`, visits: each }))

  it('adds up what its rows leave', () => {
    expect(rowsOf(counts(9, 8, 7, 2, 1), 3)).to.deep.equal({
      rows: counts(9, 8, 7),
      rest: { visits: 3, values: 2 },
    })
  })

  it('knows no number of values where the service has added up some', () => {
    const other = { value: 'other', visits: 4 }
    expect(rowsOf([...counts(9, 8, 2), other], 2).rest).to.deep.equal({ visits: 6, values: null })
    expect(rowsOf([...counts(9), other], 5)).to.deep.equal({ rows: counts(9), rest: { visits: 4, values: null } })
  })

  it('shows a single value more rather than a rest of one', () => {
    expect(rowsOf(counts(9, 8, 7), 2)).to.deep.equal({ rows: counts(9, 8, 7), rest: null })
  })

  it('loses no visit', () => {
    const values = fc.array(fc.record({ value: fc.constantFrom('a', null, 'other'), visits: fc.nat() }))
    fc.assert(
      fc.property(values, fc.nat({ max: 10 }), (all, most) => {
        const { rows, rest } = rowsOf(all, most)
        expect(sumOf(rows.map(({ visits }) => ({ at: 0, visits }))) + (rest?.visits ?? 0)).to.equal(
          sumOf(all.map(({ visits }) => ({ at: 0, visits }))),
        )
      }),
    )
  })
})

describe('visits that are watched', () => {
  it('are counted for a minute', () => {
    const arrivals = [
      { at: 0, visits: 5 },
      { at: 30_000, visits: 2 },
      { at: 60_000, visits: 1 },
    ]
    expect(sumOf(withinMinute(arrivals, 59_999))).to.equal(8)
    expect(sumOf(withinMinute(arrivals, 60_000))).to.equal(3)
    expect(sumOf(withinMinute(arrivals, 200_000))).to.equal(0)
  })
})
