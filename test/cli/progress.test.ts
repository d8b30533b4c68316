import { expect } from 'chai'

import { progressLine } from '../../src/cli/progress.js'

describe('the line of progress', () => {
  it('is one line on a narrow terminal, and still says how long it has taken', () => {
    const text = '[########################] 100 % collecting evidence: 1,200,000 of 1,200,000 entries'
    expect(progressLine(text, 12.4, 120)).to.equal(`${text} (12 s)`)
    expect(progressLine(text, 12.4, 60)).to.equal('[########################] 100 % collecting evidence (12 s)')
    expect(progressLine(text, 12.4, 4)).to.have.length(3)
    // a terminal that does not say how wide it is
    expect(progressLine(text, 12.4, 0)).to.have.length(79)
  })

  it('shows the name of a file as text, whatever it contains', () => {
    expect(progressLine('reading a\u001b[2J\nb.csv', 1, 80)).to.equal('reading a\\u001b[2J\\u000ab.csv (1 s)')
  })
})
