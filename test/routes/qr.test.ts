import { expect } from 'chai'
import jsQr from 'jsqr'
import { PNG } from 'pngjs'

import { at } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

interface Picture {
  readonly width: number
  readonly height: number
  /** red, green, blue and alpha of each pixel */
  readonly data: Uint8ClampedArray
}

const channels = (colour: string): readonly number[] => [...Buffer.from(colour.slice(1), 'hex'), 255]

/** The squares of our SVG, each as four pixels; throws on anything beside the two paths that it consists of. */
const rasterize = (svg: string): Picture => {
  const head = /<svg xmlns="[^"]+" width="(\d+)" height="\1" viewBox="0 0 (\d+) \2" shape-rendering="crispEdges">/
  const light = /<path fill="(#\w{6})" d="M0 0h(\d+)v\d+H0z"\/>/
  const dark = /<path fill="(#\w{6})" d="([Mhvz\d -]+)"\/><\/svg>\n/
  const form = new RegExp(`^${head.source}${light.source}${dark.source}$`)
  const [, , side = '', paper = '', painted = '', ink = '', path = ''] = form.exec(svg) ?? []
  expect([painted, path === ''], svg.slice(0, 300)).to.deep.equal([side, false])
  const width = Number(side) * 4
  const data = new Uint8ClampedArray(width * width * 4)
  for (let pixel = 0; pixel < width * width; pixel += 1) data.set(channels(paper), pixel * 4)
  for (const [, left, top, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let y = Number(top) * 4; y < (Number(top) + 1) * 4; y += 1)
      for (let x = Number(left) * 4; x < (Number(left) + Number(run)) * 4; x += 1)
        data.set(channels(ink), (y * width + x) * 4)
  }
  return { width, height: width, data }
}

const decodePng = (bytes: Buffer): Picture => {
  const { width, height, data } = PNG.sync.read(bytes)
  return { width, height, data: new Uint8ClampedArray(data) }
}

/** What a reader of another author reads in a picture; null: nothing. */
const scan = ({ data, width, height }: Picture): string | null =>
  jsQr.default(data, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null

describe('the QR code of a link', () => {
  let callers: Callers
  let code: string
  before(async () => {
    callers = await startWithCallers()
    code = await addLink(callers.service.db, { owner: callers.editor.id })
  })
  after(() => callers.service.stop())

  const ask = (query = '', options = {}) => callers.service.request('GET', `/links/${code}/qr${query}`, options)
  const picture = async (query: Readonly<Record<string, string>>): Promise<Picture> => {
    const asked = `${callers.service.baseUrl}/links/${code}/qr?${new URLSearchParams(query)}`
    const answer = await fetch(asked)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(answer.status, `${asked}: ${bytes}`).to.equal(200)
    return query['format'] === 'png' ? decodePng(bytes) : rasterize(bytes.toString())
  }
  const shortUrl = () => `${callers.service.baseUrl}/${code}`

  it('is read back as the short URL: of both formats, all levels, sizes, margins and colours', async () => {
    const sizes = { png: ['164', '300'], svg: ['64'] }
    for (const format of ['png', 'svg'] as const) {
      for (const level of ['L', 'M', 'Q', 'H']) {
        // a reader takes a second for the largest
        for (const size of [...sizes[format], ...(level === 'Q' && format === 'png' ? ['2048'] : [])]) {
          const read = await picture({ format, level, size })
          expect(scan(read), `${format} ${level} ${size}`).to.equal(shortUrl())
        }
        for (const look of [
          { margin: '2' },
          { margin: '16' },
          { dark: '#7a0026', light: '#ffe9a8' },
          { dark: '003b5c' },
          { dark: '#767676', light: 'FFFFFF' },
        ])
          expect(
            scan(await picture({ format, level, size: '300', ...look })),
            JSON.stringify({ format, level, look }),
          ).to.equal(shortUrl())
      }
    }
  })

  it('says of itself which level it has (ISO/IEC 18004, 7.9.1)', async () => {
    const marks = new Map<string, string>()
    for (const level of ['L', 'M', 'Q', 'H']) {
      const { data, width } = await picture({ level, margin: '0' })
      // the format's first two bits stand in the first column and the second one of the ninth row, masked with 1 and 0
      const bits = [0, 1].map((column) => Number(data[((8 * width + column) * 4 + 2) * 4] === 0))
      marks.set(level, `${(bits[0] ?? 0) ^ 1}${bits[1]}`)
    }
    expect(Object.fromEntries(marks)).to.deep.equal({ L: '01', M: '00', Q: '11', H: '10' })
  })

  it('of the longest code is read back, too', async () => {
    const short = code
    code = 'x'.repeat(60) + freshCode().slice(-4)
    await addLink(callers.service.db, { code, owner: null })
    for (const level of ['L', 'H']) expect(scan(await picture({ format: 'png', level }))).to.equal(shortUrl())
    code = short
  })

  it('has the size that was asked for to the pixel, with a margin of whole squares in the light colour', async () => {
    for (const size of [64, 65, 511, 2_048]) {
      const { width, height, data } = await picture({ format: 'png', size: String(size), light: '#ffeedd' })
      expect([width, height]).to.deep.equal([size, size])
      expect(Array.from(data.subarray(0, 4))).to.deep.equal([0xff, 0xee, 0xdd, 0xff])
    }
    expect((await ask('?size=300')).text).to.include('width="300" height="300"')
  })

  it('is an SVG of 512 pixels, level M and four squares of margin where nothing is asked for', async () => {
    const plain = await ask()
    expect(plain.headers.get('Content-Type')).to.equal('image/svg+xml')
    const written = await ask('?format=svg&size=512&margin=4&level=M&dark=%23000000&light=ffffff')
    expect(plain.text).to.equal(written.text)
    expect((await ask('?format=png')).headers.get('Content-Type')).to.equal('image/png')
  })

  it('stays small: a code of 2,048 pixels under 16 KiB, an SVG as well', async () => {
    for (const query of ['?format=png&size=2048&level=H', '?size=2048&level=H&margin=0']) {
      expect(Number((await ask(query)).headers.get('Content-Length')), query).to.be.within(1, 16_384)
    }
  })

  it('refuses what it cannot draw: 400 naming the parameter and the rule', async () => {
    const cases: readonly (readonly [query: string, field: string, rule: RegExp])[] = [
      ['size=63', 'size', /from 64 to 2048/],
      ['size=2049', 'size', /from 64 to 2048/],
      ['size=1e3', 'size', /integer/],
      ['size=', 'size', /integer/],
      ['size=64&margin=16&level=H', 'size', /at least \d+ for this link/],
      ['margin=17', 'margin', /from 0 to 16/],
      ['margin=-1', 'margin', /from 0 to 16/],
      ['level=X', 'level', /./],
      ['level=m', 'level', /./],
      ['format=gif', 'format', /./],
      ['dark=red', 'dark', /#rrggbb/],
      ['light=%23fff', 'light', /#rrggbb/],
      ['dark=%22/%3E%3Cscript%3E', 'dark', /#rrggbb/],
      ['dark=ffffff&light=000000', 'dark', /darker than light/],
      ['dark=888888&light=888888', 'dark', /at least 3:1 .* it is 1\.00:1/],
      ['dark=959595', 'dark', /it is 2\.9\d:1/],
      ['colour=000000', 'colour', /./],
      ['size=100&size=200', 'size', /twice/],
    ]
    for (const [query, field, rule] of cases) {
      const { json } = await ask(`?${query}`)
      expect(json, query).to.include({ status: 400, code: 'invalid_query' })
      expect(at(json, 'errors', 0, 'field'), query).to.equal(field)
      expect(at(json, 'errors', 0, 'message'), query).to.match(rule)
    }
    // the lightest grey on white that passes: 3.03:1 (WCAG's formula)
    expect((await ask('?dark=949494')).status).to.equal(200)
  })

  it('has an ETag of its content: 304 to who holds it, another one for another look or another code', async () => {
    const tag = (await ask()).headers.get('ETag') ?? ''
    expect(tag).to.match(/^"[\w-]{22}"$/)
    const held = await ask('', { headers: { 'If-None-Match': tag } })
    expect(held).to.include({ status: 304, text: '' })
    expect((await ask('?margin=5', { headers: { 'If-None-Match': tag } })).status).to.equal(200)
    const first = code
    code = await addLink(callers.service.db, { owner: null })
    expect((await ask('', { headers: { 'If-None-Match': tag } })).status).to.equal(200)
    code = first
    // the target is not in the picture
    const json = { target: 'https://example.com/elsewhere' }
    await callers.service.request('PATCH', `/links/${code}`, { token: callers.editor.token, json })
    expect((await ask()).headers.get('ETag')).to.equal(tag)
  })

  it('may be kept by caches where nobody signed in, and shown on pages of other sites', async () => {
    const open = await ask()
    expect(open.headers.get('Cache-Control')).to.equal('public, max-age=300')
    expect(open.headers.get('Vary')).to.include('Authorization')
    expect(open.headers.get('Cross-Origin-Resource-Policy')).to.equal('cross-origin')
    expect(open.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    const { token } = callers.viewer
    expect((await ask('', { token })).headers.get('Cache-Control')).to.equal('no-store')
  })

  it('meets the states of its link: 404 and 410 to everybody else, there for who may change it', async () => {
    const { editor, other } = callers
    const states = [
      [{ active: false }, 404, 'not_found'],
      [{ starts_at: '2999-01-01T00:00:00Z' }, 404, 'not_found'],
      [{ expires_at: '2001-01-01T00:00:00Z' }, 410, 'link_expired'],
    ] as const
    for (const [json, status, refusal] of states) {
      const [name, token] = [freshCode(), editor.token]
      const made = { target: 'https://example.com/', code: name, ...json }
      expect((await callers.service.request('POST', '/links', { token, json: made })).status).to.equal(201)
      for (const asker of [undefined, other.token]) {
        const answer = await callers.service.request('GET', `/links/${name}/qr`, { token: asker })
        expect(answer.json, JSON.stringify(json)).to.include({ status, code: refusal })
        // whatever the parameters: a fault in them would tell that there is such a link
        const faulty = await callers.service.request('GET', `/links/${name}/qr?size=1`, { token: asker })
        expect(faulty.json, JSON.stringify(json)).to.include({ status, code: refusal })
      }
      expect((await callers.service.request('GET', `/links/${name}/qr`, { token })).status).to.equal(200)
    }
  })

  it('does not tell the target of a link with a password', async () => {
    const [name, token] = [freshCode(), callers.editor.token]
    const json = { target: 'https://example.com/secret', code: name, password: 'a long password' }
    expect((await callers.service.request('POST', '/links', { token, json })).status).to.equal(201)
    const first = code
    code = name
    expect(scan(await picture({ format: 'png' }))).to.equal(shortUrl())
    code = first
  })

  it('is 404 where there is no such link, whatever the parameters', async () => {
    const absent = freshCode('absent')
    for (const query of ['', '?size=1']) {
      const { json } = await callers.service.request('GET', `/links/${absent}/qr${query}`)
      expect(json).to.include({ status: 404, code: 'not_found' })
    }
  })
})
