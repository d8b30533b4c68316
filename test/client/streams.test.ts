import { expect } from 'chai'
import * as fc from 'fast-check'

import { LinkgateProblem, createClient } from '../../src/client/client.js'
import { allOf } from '../support/all-of.js'
import { json, startScriptedServer, type Asked, type Scripted } from '../support/scripted-server.js'

/** A client whose every answer is this body, in these pieces; `ended` says whether the reader left. */
const answering = (type: string, pieces: readonly Uint8Array[], { ends = true } = {}) => {
  const state = { cancelled: false }
  const client = createClient({
    baseUrl: 'https://go.example.com',
    fetch: async (_url, { signal } = {}) => {
      const left = [...pieces]
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
        pull: (controller) => {
          const piece = left.shift()
          if (piece !== undefined) controller.enqueue(piece)
          else if (ends) controller.close()
        },
        cancel: () => {
          state.cancelled = true
        },
      })
      return new Response(body, { headers: { 'Content-Type': type } })
    },
  })
  return { client, state }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The bytes, cut at any places. */
const cut = (bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] => {
  const places = [...new Set([0, ...at.map((each) => each % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  )
  return places.slice(1).map((to, i) => bytes.slice(places[i], to))
}

const codeOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )
  return error instanceof LinkgateProblem ? error.code : error
}

describe('streams of the client', () => {
  it('give every record of an export, however its bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ code: fc.string({ unit: 'binary' }) })),
        fc.array(fc.nat()),
        async (records, at) => {
          const text = records.map((each) => `${JSON.stringify(each)}\n`).join('')
          const { client } = answering('application/x-ndjson', cut(encode(text), at))
          expect(await allOf(client.exportLinks({ format: 'ndjson' }))).to.deep.equal(records)
          const { client: other } = answering('text/csv; charset=utf-8', cut(encode(text), at))
          expect((await allOf(other.exportLinks())).join('')).to.equal(text)
        },
      ),
    )
  })

  it('are no shorter list where the body ends within a line, a character or a record', async () => {
    const whole = encode('{"code":"über"}\n{"code":"b"}\n')
    for (const [end, code] of [
      [whole.length - 1, 'network_error'],
      [11, 'network_error'],
    ] as const) {
      const { client } = answering('application/x-ndjson', [whole.slice(0, end)])
      expect(await codeOf(allOf(client.exportLinks({ format: 'ndjson' })))).to.equal(code)
      const { client: other } = answering('text/csv', [whole.slice(0, end)])
      expect(await codeOf(allOf(other.exportLinks()))).to.equal(code)
    }
    const { client: broken } = answering('text/csv', [Uint8Array.of(0x61, 0xff, 0x0a)])
    expect(await codeOf(allOf(broken.exportLinks()))).to.equal('network_error')
    const { client } = answering('application/x-ndjson', [encode('{"code":\n')])
    expect(await codeOf(allOf(client.exportLinks({ format: 'ndjson' })))).to.equal('unexpected_answer')
  })

  it('are a problem where the connection is lost behind a whole line, after what had come', async () => {
    const server = await startScriptedServer(() => ({
      type: 'application/x-ndjson',
      body: '{"code":"a"}\n',
      breaksOff: 'after',
    }))
    const client = createClient({ baseUrl: server.baseUrl })
    const seen: string[] = []
    const reading = (async () => {
      for await (const { code } of client.exportLinks({ format: 'ndjson' })) seen.push(code)
    })()
    expect(await codeOf(reading)).to.equal('network_error')
    expect(seen).to.deep.equal(['a'])
    expect(server.asked).to.have.length(1)
    await server.stop()
  })

  it('are let go of where somebody stops reading', async () => {
    const { client, state } = answering('text/csv', [encode('a\n'), encode('b\n')], { ends: false })
    for await (const text of client.exportLinks()) {
      expect(text).to.equal('a\n')
      break
    }
    expect(state.cancelled).to.equal(true)
  })

  it('end with the signal: an export with its reason, for it is not whole, and events in peace', async () => {
    const leaving = new AbortController()
    const { client } = answering('text/csv', [encode('a\n')], { ends: false })
    const reading = (async () => {
      for await (const _ of client.exportLinks({}, { signal: leaving.signal })) leaving.abort(new Error('enough'))
    })()
    expect(await codeOf(reading)).to.have.property('message', 'enough')

    const event = 'event: visits\ndata: {"total":1,"last_at":null}\n\n'
    const watching = new AbortController()
    const { client: other } = answering('text/event-stream; charset=utf-8', [encode(event)], { ends: false })
    const seen: unknown[] = []
    for await (const count of other.watchLinkVisits('spring', {}, { signal: watching.signal })) {
      seen.push(count)
      watching.abort()
    }
    expect(seen).to.deep.equal([{ total: 1, last_at: null }])
    expect(await allOf(other.watchLinkVisits('spring', {}, { signal: watching.signal }))).to.deep.equal([])
  })

  it('give events however their bytes are cut, without comments and other fields', async () => {
    const text = 'retry: 2000\n\n: hello\n\nevent: visits\ndata: {"total":1}\n\nevent: visits\ndata: {"total":2}\n\n'
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (at) => {
        const { client } = answering('text/event-stream', cut(encode(text), at))
        expect(await allOf(client.watchLinkVisits('spring'))).to.deep.equal([{ total: 1 }, { total: 2 }])
      }),
    )
  })
})

describe('lists of the client', () => {
  it('walk all pages with the same filters, and ask for none before it is needed', async () => {
    const pages: Readonly<Record<string, Scripted>> = {
      '/links?q=a&tag=x&tag=y&limit=2': json({ data: [{ code: '1' }, { code: '2' }], next_cursor: 'b&c' }),
      '/links?q=a&tag=x&tag=y&limit=2&cursor=b%26c': json({ data: [{ code: '3' }], next_cursor: 'd' }),
      '/links?q=a&tag=x&tag=y&limit=2&cursor=d': json({ data: [], next_cursor: null }),
    }
    const server = await startScriptedServer(({ path }: Asked) => pages[path] ?? { status: 404 })
    const client = createClient({ baseUrl: server.baseUrl })
    const links = client.listLinks({ q: 'a', tag: ['x', 'y'], limit: 2 })
    expect(server.asked).to.have.length(0)
    expect((await links.page()).data.map(({ code }) => code)).to.deep.equal(['1', '2'])
    expect((await allOf(links)).map(({ code }) => code)).to.deep.equal(['1', '2', '3'])
    expect(server.asked).to.have.length(4)
    for await (const { code } of links) if (code === '2') break
    expect(server.asked).to.have.length(5)
    await server.stop()
  })
})
