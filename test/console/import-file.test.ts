import { readFile as readBytes, readdir } from 'node:fs/promises'

import { expect } from 'chai'

import { readFile } from '../../src/console/pages/import/read-file.js'
import { withSource } from '../../src/import/with-source.js'
import { UnreadableFile, type SourceRecord } from '../../src/import/source.js'

const SAMPLES = new URL('../import/samples/', import.meta.url)

describe('a file that is chosen in the console', () => {
  it('is read as the command line reads it', async () => {
    const names = await readdir(SAMPLES)
    expect(names.length).to.be.greaterThan(5)
    for (const name of names) {
      const path = new URL(name, SAMPLES)
      const byCommand: SourceRecord[] = []
      await withSource(
        path.pathname,
        () => undefined,
        async ({ records }) => {
          for await (const record of records) byCommand.push(record)
        },
      )
      const file = new File([await readBytes(path)], name)
      expect((await readFile(file)).records, name).to.deep.equal(byCommand)
    }
  })

  it('knows the lines of its rows, and keeps those before a fault', async () => {
    const text = '\ufeffa;b\r\n1;"x\r\ny"\r\n2;3\r\n4;"never closed'
    const { columns, records, fault } = await readFile(new File([text], 'x.csv'))
    expect(columns).to.deep.equal(['a', 'b'])
    expect(records.map(({ place }) => place)).to.deep.equal(['2', '4'])
    expect(fault).to.equal('from line 5 on it cannot be read: a quote is not closed')
  })

  it('that is none is refused as a whole', async () => {
    for (const [text, why] of [
      ['', /empty/],
      ['a,b\n', /no records/],
      [Uint8Array.from([97, 44, 0xe4, 10, 49, 44, 50]), /UTF-8/],
    ] as const) {
      const error: unknown = await readFile(new File([text], 'x.csv')).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(UnreadableFile)
      expect(String(error)).to.match(why)
    }
  })

  it('that the browser does not hand out is refused, such as a folder that was dropped', async () => {
    class Folder extends File {
      override arrayBuffer(): Promise<never> {
        return Promise.reject(new DOMException('gone', 'NotReadableError'))
      }
    }
    const error: unknown = await readFile(new Folder([], 'folder')).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(UnreadableFile)
    expect(String(error)).to.match(/the browser cannot open it/)
  })
})
