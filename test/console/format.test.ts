import { expect } from 'chai'

import { distance, percent, setLocale } from '../../src/console/language/format.js'

describe('shares in percent', () => {
  it('are whole, and a little is not shown as nothing', () => {
    setLocale('en')
    expect([0, 0.002, 0.005, 0.37, 1].map(percent)).to.deep.equal(['0%', '<1%', '1%', '37%', '100%'])
  })
})

describe('how far away a time is', () => {
  it('is said in days of the calendar: what ends the night after next does not end tomorrow', () => {
    setLocale('en')
    const today = new Date().setHours(0, 0, 0, 0)
    const atMinute = (day: number, minute: number) => new Date(today).setMinutes(day * 24 * 60 + minute)
    expect([atMinute(2, 5), atMinute(-1, -5)].map(distance)).to.deep.equal(['in 2 days', '2 days ago'])
    expect([atMinute(7, 5), atMinute(-6, -5)].map(distance)).to.deep.equal(['in 7 days', '7 days ago'])
  })
})
