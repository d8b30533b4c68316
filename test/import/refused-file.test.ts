import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, symlinkSync } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'

import { createRefusedFile } from '../../src/import/refused-file.js'
import type { SourceRecord } from '../../src/import/source.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { within } from '../support/until.js'

const SOURCE = { columns: ['target'], dialect: { delimiter: ',', bom: false } }
const record: SourceRecord = { place: '2', cells: new Map(), original: ['x'] }

describe('the file of refused records', () => {
  it('may be a named pipe, whose reader gets all of it', async () => {
    const pipe = `${await makeTemporaryFolder()}/pipe`
    execFileSync('mkfifo', [pipe])
    const read = readFile(pipe, 'utf8')
    const file = await within('it is ready', createRefusedFile(pipe, SOURCE, new Set(), 'overwrite'))
    // records are read meanwhile
    await delay(200)
    await within('it is written', file.add(record, 'no'))
    expect(await file.close()).to.equal(undefined)
    expect(await read).to.equal('target,reason\nx,no\n')
  })

  it('is not there before the first record, and neither is what a symbolic link names', async () => {
    const folder = await makeTemporaryFolder()
    symlinkSync(`${folder}/named`, `${folder}/link`)
    const file = await createRefusedFile(`${folder}/link`, SOURCE, new Set(), 'overwrite')
    expect(existsSync(`${folder}/named`)).to.equal(false)
    expect(lstatSync(`${folder}/link`).isSymbolicLink()).to.equal(true)
    await file.add(record, 'no')
    await file.close()
    expect(await readFile(`${folder}/named`, 'utf8')).to.equal('target,reason\nx,no\n')
  })

  it('is never the file of somebody else where it is only to be created', async () => {
    const folder = await makeTemporaryFolder()
    const path = `${folder}/new.csv`
    const file = await createRefusedFile(path, SOURCE, new Set(), 'create')
    await writeFile(path, 'theirs')
    await file.add(record, 'no')
    expect(await file.close()).to.have.property('code', 'EEXIST')
    expect(await readFile(path, 'utf8')).to.equal('theirs')
  })

  it('is readable by its creator alone, also if it was there before and others could read it', async () => {
    const folder = await makeTemporaryFolder()
    await writeFile(`${folder}/old.csv`, 'before')
    await chmod(`${folder}/old.csv`, 0o644)
    for (const name of ['old.csv', 'new.csv']) {
      const file = await createRefusedFile(`${folder}/${name}`, SOURCE, new Set(), 'overwrite')
      await file.add(record, 'no')
      expect(await file.close(), name).to.equal(undefined)
      expect((await stat(`${folder}/${name}`)).mode & 0o777, name).to.equal(0o600)
      expect(await readFile(`${folder}/${name}`, 'utf8')).to.equal('target,reason\nx,no\n')
    }
  })
})
