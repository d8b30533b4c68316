import { join } from 'node:path'

import { expect } from 'chai'

import { drawChart } from '../../src/cli/visits/chart.js'
import { runCommand } from '../support/cli.js'
import { at, listAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { addLink, freshCode } from '../support/records.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { HOUR, addVisits, linkId } from '../support/visits.js'

describe('linkgate visits', () => {
  let service: TestService
  let environment: Record<string, string>
  let code: string

  before(async () => {
    const dataDir = join(await makeTemporaryFolder(), 'data')
    service = await startTestService({ environment: { DATA_DIR: dataDir } })
    environment = { ...onDatabase(service.db.service, service.db.owner), DATA_DIR: dataDir }
    code = await addLink(service.db, { owner: null })
    const link = await linkId(service.db, code)
    const seen = { link, at: Date.now() - HOUR, browser: 'Firefox' }
    await addVisits(service.db, [
      ...Array.from({ length: 1_200 }, () => ({ ...seen, referrer: 'news.example', visitor: '170' })),
      ...Array.from({ length: 300 }, () => ({ ...seen, at: Date.now() - 3 * 24 * HOUR })),
      { ...seen, bot: true },
      { ...seen, bot: true },
    ])
  })
  after(() => service.stop())

  const visits = (...args: readonly string[]) => runCommand(['visits', ...args], { environment })

  it('draws the visits of any link, with the most frequent values, without colours in a pipe', async () => {
    const { code: exit, out, err } = await visits(code)
    expect({ exit, err }).to.deep.equal({ exit: 0, err: '' })
    expect(out).to.not.include('\u001b')
    const lines = out.split('\n')
    for (const line of lines) expect(line.length, line).to.be.at.most(80)
    expect(lines[0]).to.include(code)
    expect(out).to.match(/^1,200 │ +█/m)
    expect(out).to.include('each bar: 1 day (UTC)')
    expect(out).to.include('1,500 visits  1 daily visitor  2 bots')
    expect(out).to.include('before: 0 visits')
    expect(out).to.match(/^referrer\n +1,200 +80 % +news\.example\n +300 +20 % +not known$/m)
    expect(out).to.match(/^browser\n +1,500 +100 % +Firefox$/m)
  })

  it('calls a share below half a percent less than one, and not none', async () => {
    const mostly = await addLink(service.db, { owner: null })
    const seen = { link: await linkId(service.db, mostly), at: Date.now() - HOUR }
    await addVisits(service.db, [
      ...Array.from({ length: 300 }, () => ({ ...seen, browser: 'Firefox' })),
      { ...seen, browser: 'Opera' },
    ])
    expect((await visits(mostly)).out).to.match(/^browser\n +300 +100 % +Firefox\n +1 +<1 % +Opera$/m)
  })

  it('draws as for a pipe at a terminal that does not say how wide it is', async () => {
    const before = Object.getOwnPropertyDescriptor(process.stdout, 'columns') ?? { value: undefined }
    Object.defineProperty(process.stdout, 'columns', { value: 0, configurable: true, writable: true })
    try {
      expect((await visits(code)).out).to.include('each bar: 1 day (UTC)')
    } finally {
      Object.defineProperty(process.stdout, 'columns', before)
    }
  })

  it('says where visits are not counted any more, and only there', async () => {
    const off = await runCommand(['visits', code], { environment: { ...environment, VISITS: 'off' } })
    expect(off.out).to.include('VISITS=off')
    expect(off.out).to.include('1,500 visits')
    expect((await visits(code)).out).to.not.include('VISITS=off')
  })

  it('prints what the service answers as JSON', async () => {
    const admin = await service.addUser('admin')
    const query = 'from=2026-03-01&to=2026-05-01&interval=month&zone=Asia/Kolkata&bots=true'
    const answered = await service.request('GET', `/links/${code}/visits?${query}`, { token: admin.token })
    const args = query.split('&').flatMap((pair) => {
      const [name, value = ''] = pair.split('=')
      return [`--${name}`, value]
    })
    const { out } = await visits(code, ...args, '--json')
    expect(JSON.parse(out)).to.deep.equal(answered.json)
    expect(listAt(answered.json, 'series')).to.have.length(2)

    const only: unknown = JSON.parse((await visits(code, '--bots', 'only', '--json')).out)
    expect([at(only, 'total'), at(only, 'visitors')]).to.deep.equal([2, 0])
  })

  it('says that there is no such link, exit 1; and what is wrong with an option, exit 2', async () => {
    const absent = freshCode()
    expect(await visits(absent)).to.deep.equal({ code: 1, out: '', err: `linkgate: there is no link ${absent}\n` })
    for (const [args, said] of [
      [['--zone', 'Mars/Olympus'], '--zone'],
      [['--from', 'yesterday'], '--from'],
      [['--from', '2026-11-02', '--to', '2026-11-01'], '--from must be an hour or more before --to'],
      [['--from', '1990-01-01', '--interval', 'hour'], '--interval'],
      [['--bots', 'maybe'], '--bots'],
    ] as const) {
      const answer = await visits(code, ...args)
      expect(answer, args.join(' ')).to.include({ code: 2, out: '' })
      expect(answer.err)
        .to.match(/^linkgate: [^\n]+\n$/)
        .and.include(said)
    }
  })
})

describe('the chart of linkgate visits', () => {
  it('is as wide as its room at most, and adds up numbers that do not fit', () => {
    for (const count of [1, 2, 30, 79, 365, 10_000])
      for (const width of [20, 80, 200]) {
        const { lines, perBar } = drawChart(
          Array.from({ length: count }, (_, i) => i % 7),
          width,
        )
        const longest = Math.max(...lines.map((line) => line.length))
        expect(longest, `${count} in ${width}`).to.be.at.most(width)
        expect(perBar * (longest + 1), `${count} in ${width}`).to.be.at.least(count / 2)
      }
  })

  it('shows whatever is more than nothing', () => {
    const { lines } = drawChart([0, 1, 1_000_000], 80)
    const bars = lines.map((line) => line.slice(line.indexOf('│') + 1))
    expect(bars.at(-1)).to.equal(' ▁█')
    expect(bars[0]).to.equal('  █')
    expect(drawChart([0, 0], 80).lines.join('')).to.not.match(/[▁-█]/)
  })
})
