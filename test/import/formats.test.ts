import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { FORMATS, type FormatName } from '../../src/import/formats.js'
import { importLinks } from '../../src/import/import-links.js'
import { linkReader, type ImportedLink } from '../../src/import/to-link.js'

/** What becomes of a sample file: the links that would be written, and the reasons why others would not. */
const read = async (format: FormatName, sample: string) => {
  const links: ImportedLink[] = []
  const reasons: string[] = []
  await importLinks({
    file: fileURLToPath(new URL(`test/import/samples/${sample}`, PACKAGE_ROOT)),
    format,
    map: new Map(),
    owner: undefined,
    toLink: linkReader({ baseUrl: 'https://own.example', host: '127.0.0.1', port: 3000, addresses: [] }),
    store: {
      reserveIds: async () => undefined,
      analyze: async () => undefined,
      take: async (batch) => {
        links.push(...batch)
        return batch.map(() => ({ kind: 'made' }))
      },
    },
    refusedFile: async () => undefined,
    onProgress: () => undefined,
    onRefused: (place, reason) => reasons.push(`${place}: ${reason}`),
    onIgnored: () => undefined,
  })
  return { links, reasons }
}

/** A link of which nothing is known but what is given. */
const link = (known: Partial<ImportedLink>): ImportedLink => ({
  id: null,
  code: null,
  target: '',
  owner_id: null,
  created_at: null,
  updated_at: known.created_at ?? null,
  title: null,
  note: null,
  tags: [],
  status: 302,
  active: true,
  starts_at: null,
  expires_at: null,
  max_visits: null,
  forward_query: false,
  password: null,
  lacksPassword: false,
  ...known,
})

describe('the files of other services', () => {
  it('Bitly: the CSV of its Links page; codes at bit.ly only where there is no other', async () => {
    const { links, reasons } = await read('bitly', 'bitly.csv')
    expect(reasons).to.deep.equal([])
    const spring = {
      target: 'https://example.com/spring?a=1',
      title: 'Spring, the sale',
      tags: ['sale', '2026'],
      created_at: '2026-03-01T08:00:00.000Z',
    }
    expect(links).to.deep.equal([
      link({ code: 'spring', ...spring }),
      link({ code: '3xYz9Ab', ...spring }),
      link({
        code: '4aBcDeF',
        target: 'https://example.com/plain',
        title: 'A page',
        created_at: '2025-12-24T18:30:00.000Z',
      }),
      link({
        code: 'talk',
        target: 'https://example.com/talk',
        tags: ['conference'],
        created_at: '2026-01-05T09:11:12.000Z',
      }),
    ])
  })

  it('Bitly: what its API answers', async () => {
    const { links } = await read('bitly', 'bitly-api.json')
    const film = {
      target: 'https://example.com/watch?v=1',
      title: 'A film',
      tags: ['film', '2020'],
      created_at: '2020-10-26T17:20:40.000Z',
    }
    expect(links).to.deep.equal([
      link({ code: 'video', ...film }),
      link({ code: 'film', ...film }),
      link({ code: '3usiGLP', target: 'https://example.com/post/', created_at: '2021-05-06T15:20:52.000Z' }),
    ])
  })

  it('Shlink: the CSV of its web client, and what its API answers', async () => {
    expect((await read('shlink', 'shlink.csv')).links).to.deep.equal([
      link({
        code: 'leap',
        target: 'https://example.com/leap',
        title: 'A day more',
        tags: ['dates', '2024'],
        created_at: '2024-02-29T11:00:00.000Z',
      }),
      link({ code: 'x9Y8z', target: 'https://example.com/summer', created_at: '2023-07-01T00:00:00.000Z' }),
    ])
    expect((await read('shlink', 'shlink-api.json')).links).to.deep.equal([
      link({
        code: 'limited',
        target: 'https://example.com/few',
        tags: ['few'],
        created_at: '2024-05-01T08:00:00.000Z',
        starts_at: '2024-06-01T00:00:00.000Z',
        expires_at: '2030-01-01T00:00:00.000Z',
        max_visits: 20,
        forward_query: true,
      }),
    ])
  })

  it('Kutt: pages of its API, one after another; a password that is not in them is not forgotten', async () => {
    expect((await read('kutt', 'kutt.json')).links).to.deep.equal([
      link({
        code: 'manual',
        target: 'https://example.com/docs',
        note: 'The manual',
        created_at: '2022-08-01T09:00:00.000Z',
      }),
      link({ code: 'bad', target: 'https://example.com/bad', active: false, created_at: '2022-08-01T10:00:00.000Z' }),
      link({
        code: 'secret',
        target: 'https://example.com/secret',
        lacksPassword: true,
        created_at: '2022-08-01T11:00:00.000Z',
      }),
      link({
        code: 'soon',
        target: 'https://example.com/soon',
        created_at: '2022-08-01T12:00:00.000Z',
        expires_at: '2031-01-01T00:00:00.000Z',
      }),
    ])
  })

  it('Kutt: its table as CSV; the hash of a password is no password', async () => {
    expect((await read('kutt', 'kutt-table.csv')).links).to.deep.equal([
      link({
        code: 'tab1',
        target: 'https://example.com/tab1',
        note: 'From the table',
        created_at: '2022-08-01T09:00:00.123Z',
      }),
      link({
        code: 'tab2',
        target: 'https://example.com/tab2',
        lacksPassword: true,
        created_at: '2022-08-02T09:00:00.000Z',
      }),
    ])
  })

  it('YOURLS: its table, its plugin and its API', async () => {
    expect((await read('yourls', 'yourls-table.csv')).links).to.deep.equal([
      link({
        code: 'ozh',
        target: 'https://example.com/ozh',
        title: 'ozh the page',
        created_at: '2011-03-02T12:34:56.000Z',
      }),
      link({ code: '1', target: 'https://example.com/one', created_at: '2011-03-02T12:35:00.000Z' }),
    ])
    expect((await read('yourls', 'yourls-plugin.csv')).links).to.deep.equal([
      link({ code: 'plugged', target: 'https://example.com/plugged?a=1' }),
      link({ code: 'other', target: 'https://example.com/a,b' }),
    ])
    expect((await read('yourls', 'yourls-api.json')).links).to.deep.equal([
      link({
        code: 'api1',
        target: 'https://example.com/api1',
        title: 'One',
        created_at: '2012-01-01T00:00:00.000Z',
      }),
      link({
        code: 'api2',
        target: 'https://example.com/api2',
        title: 'Two',
        created_at: '2012-01-02T00:00:00.000Z',
      }),
    ])
  })

  it('each format names the columns that it cannot do without', () => {
    for (const [name, { needs }] of Object.entries(FORMATS)) expect(needs, name).to.have.property('target')
  })
})
