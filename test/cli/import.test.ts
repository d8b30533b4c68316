import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { link, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'

import { openPool } from '../../src/database/pool.js'
import { runCommand, type CliAnswer } from '../support/cli.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { addLink, freshCode, storedLinks } from '../support/records.js'
import { formOf } from '../support/samples.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** A database to import into, with the users 1 (ada@…) and 2 (bob@…), and a folder for files. */
const place = async () => {
  const db = await testDatabase()
  for (const [id, name] of [
    ['1', 'ada'],
    ['2', 'bob'],
  ] as const)
    await db.asOwner(`insert into users (id, email, role) overriding system value values ($1, $2, 'editor')`, [
      id,
      `${name}@example.com`,
    ])
  const folder = await makeTemporaryFolder()
  const environment = {
    ...onDatabase(db.service, db.owner),
    DATA_DIR: join(folder, 'data'),
    BASE_URL: 'https://own.example',
  }
  const fileOf = async (text: string | Buffer, name = 'links.csv'): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, text)
    return file
  }
  const run = (...args: readonly string[]): Promise<CliAnswer> => runCommand(['import', ...args], { environment })
  return { db, folder, environment, fileOf, run }
}
type Place = Awaited<ReturnType<typeof place>>

const codesOf = async (db: TestDatabase) => (await storedLinks(db)).map(({ code }) => code)
const entriesOf = (db: TestDatabase) =>
  db.asOwner<{ code: string; id: string; change: Record<string, string>; hash: Buffer }>(
    `select resource_code as code, resource_id as id, change, hash from decisions where kind = 'link' order by id`,
  )

describe('linkgate import', () => {
  let at: Place
  before(async () => {
    at = await place()
  })

  it('makes links, gives them to --owner, keeps their times, and says in the log who did it', async () => {
    const file = await at.fileOf(
      'code,target,title,tags,created_at\n' +
        'first,https://example.com/1,"One, two","a,b",2020-01-02T03:04:05Z\n' +
        'second,https://example.com/ü,,,\n',
    )
    const { code, out, err } = await at.run(file, '--format', 'csv', '--owner', 'ADA@example.com')
    expect({ code, out, err }).to.deep.equal({ code: 0, out: '2 made, 0 unchanged, 0 refused\n', err: '' })
    const [first, second] = await at.db.asOwner<Record<string, unknown>>('select * from links order by code')
    expect(first).to.deep.include({
      code: 'first',
      target: 'https://example.com/1',
      owner_id: '1',
      title: 'One, two',
      tags: ['a', 'b'],
      created_at: new Date('2020-01-02T03:04:05Z'),
      updated_at: new Date('2020-01-02T03:04:05Z'),
      version: '1',
    })
    expect(second).to.deep.include({ target: 'https://example.com/%C3%BC', title: null, tags: [], status: 302 })
    const entries = await entriesOf(at.db)
    expect(entries.map(({ code, id }) => [code, id])).to.deep.equal([
      ['first', first?.['id']],
      ['second', second?.['id']],
    ])
    for (const { change, hash } of entries) {
      expect(change).to.include({ what: 'added', owner: '1' })
      expect(change['by']).to.match(/^linkgate_service linkgate command line, /)
      expect(hash).to.have.length(32)
    }
    expect(existsSync(`${file}.refused.csv`)).to.equal(false)
  })

  it('the same file twice makes nothing twice', async () => {
    const file = await at.fileOf('code,target\nt1,https://example.com/1\nt2,https://example.com/2\n')
    expect((await at.run(file, '--format', 'csv', '--owner', 'ada@example.com')).out).to.match(/^2 made/)
    const before = await at.db.asOwner('select * from links order by id')
    const logged = (await entriesOf(at.db)).length
    const { code, out } = await at.run(file, '--format', 'csv', '--owner', 'ada@example.com')
    expect({ code, out }).to.deep.equal({ code: 0, out: '0 made, 2 unchanged, 0 refused\n' })
    expect(await at.db.asOwner('select * from links order by id')).to.deep.equal(before)
    expect((await entriesOf(at.db)).length).to.equal(logged)
  })

  it('links without a code get one, and are not made a second time either', async () => {
    const file = await at.fileOf('target\nhttps://example.com/n1\nhttps://example.com/n2\nhttps://example.com/n1\n')
    expect((await at.run(file, '--format', 'csv', '--owner', 'bob@example.com')).out).to.match(/^2 made, 1 unchanged/)
    expect((await at.run(file, '--format', 'csv', '--owner', 'bob@example.com')).out).to.match(/^0 made, 3 unchanged/)
    const made = (await storedLinks(at.db)).filter(({ target }) => /\/n\d$/.test(target))
    expect(made).to.have.length(2)
    for (const { code } of made) expect(code).to.match(/^[2-9A-Za-z]{8}$/)
    // another owner's is another link
    expect((await at.run(file, '--format', 'csv', '--owner', 'ada@example.com')).out).to.match(/^2 made, 1 unchanged/)
  })

  it('says of every record that was not taken why, and keeps all of them in a file that can be imported', async () => {
    await addLink(at.db, { code: 'theirs', target: 'https://example.com/1', owner: '2' })
    await addLink(at.db, { code: 'other', target: 'https://example.com/other', owner: '1' })
    const file = await at.fileOf(
      'code,target,note\n' +
        'r1,https://example.com/1,\n' +
        'login,https://example.com/1,\n' +
        "r2,javascript:alert(1),'=1+1\n" +
        'theirs,https://example.com/1,"two\nlines"\n' +
        'other,https://example.com/1,\n' +
        'r1,https://example.com/2,\n' +
        'r3,https://own.example/r1,\n' +
        'r4\n',
    )
    const { code, out, err } = await at.run(file, '--format', 'csv', '--owner', 'ada@example.com')
    const kept = `${file}.refused.csv`
    expect({ code, out }).to.deep.equal({ code: 1, out: `1 made, 0 unchanged, 7 refused (${kept})\n` })
    expect(err.split('\n')).to.deep.equal([
      `linkgate: ${file}:3  code is reserved for the service`,
      `linkgate: ${file}:4  target must be an absolute http or https URL`,
      `linkgate: ${file}:5  code theirs is taken by a link of another owner`,
      `linkgate: ${file}:7  code other is taken by a link with another target`,
      `linkgate: ${file}:8  code r1 is taken by a link with another target`,
      `linkgate: ${file}:9  target must not be on this service itself`,
      `linkgate: ${file}:10  has 1 cell, and the first line names 3 columns`,
      '',
    ])
    expect((await readFile(kept, 'utf8')).split('\n').slice(0, 4)).to.deep.equal([
      'code,target,note,reason',
      'login,https://example.com/1,,code is reserved for the service',
      "r2,javascript:alert(1),'=1+1,target must be an absolute http or https URL",
      'theirs,https://example.com/1,"two',
    ])

    const mended = (await readFile(kept, 'utf8'))
      .replace('login,', 'log-in,')
      .replace('javascript:alert(1)', 'https://example.com/2')
      .replace('theirs,', 'ours,')
      .replace('\nother,', '\nanother,')
      .replace('\nr1,', '\nr5,')
      .replace('own.example', 'example.com')
      .replace(/\nr4,.*\n$/, '\n')
    const second = await at.fileOf(mended, 'mended.csv')
    expect(await at.run(second, '--format', 'csv', '--owner', 'ada@example.com')).to.deep.equal({
      code: 0,
      out: '6 made, 0 unchanged, 0 refused\n',
      err: '',
    })
    expect(await codesOf(at.db)).to.include.members(['log-in', 'r2', 'ours', 'another', 'r5', 'r3'])
    const [{ note } = { note: '' }] = await at.db.asOwner<{ note: string }>(`select note from links where code = 'r2'`)
    expect(note).to.equal('=1+1')
  })

  it('prints twenty reasons, counts the others, and writes them where --refused says', async () => {
    const file = await at.fileOf(`target\n${'nonsense\n'.repeat(50)}`, 'nonsense.csv')
    const kept = join(at.folder, 'elsewhere.csv')
    const { code, err } = await at.run(file, '--format', 'csv', '--refused', kept)
    expect(code).to.equal(1)
    expect(err.trimEnd().split('\n')).to.have.length(21)
    expect(err).to.include('… and 30 more refused records')
    expect((await readFile(kept, 'utf8')).trimEnd().split('\n')).to.have.length(51)
    expect(existsSync(`${file}.refused.csv`)).to.equal(false)
  })

  it('leaves the file that --refused names as it is where nothing is refused', async () => {
    const file = await at.fileOf('code,target\nclean,https://example.com/\n', 'clean.csv')
    const old = await at.fileOf('old', 'old.csv')
    const none = join(at.folder, 'none.csv')
    for (const kept of [old, none]) expect((await at.run(file, '--format', 'csv', '--refused', kept)).code).to.equal(0)
    expect(await readFile(old, 'utf8')).to.equal('old')
    expect(existsSync(none)).to.equal(false)
  })

  it('imports all the same, and says so, where the refused records can no longer be written', async function () {
    const full = '/dev/full'
    if (!existsSync(full)) this.skip()
    const file = await at.fileOf('code,target\nfull1,x\nfull2,https://example.com/\nfull3,y\n', 'full.csv')
    const { code, out, err } = await at.run(file, '--format', 'csv', '--owner', 'ada@example.com', '--refused', full)
    expect({ code, out }).to.deep.equal({ code: 1, out: `1 made, 0 unchanged, 2 refused (${full})\n` })
    expect(err.split('\n')[2]).to.equal(
      `linkgate: ${full} lacks some of them, ENOSPC: no space left on device, write; import ${file} again`,
    )
    expect(await codesOf(at.db)).to.include('full2')
  })

  it('a dry run says the same, and writes nothing', async () => {
    const file = await at.fileOf(
      'id,code,target\n900000,d1,https://example.com/1\n,d1,https://example.com/1\n,d1,https://example.com/2\n,d2,x\n',
      'dry.csv',
    )
    const before = await storedLinks(at.db)
    const dry = await at.run(file, '--format', 'csv', '--dry-run')
    expect(dry.out).to.equal(
      'dry run: 1 would be made, 1 unchanged, 2 refused\n' +
        '1 of them would have no owner: only admins can change them (--owner)\n',
    )
    expect(await storedLinks(at.db)).to.deep.equal(before)
    expect(existsSync(`${file}.refused.csv`)).to.equal(false)
    const real = await at.run(file, '--format', 'csv')
    expect({ code: real.code, err: real.err }).to.deep.equal({ code: dry.code, err: dry.err })
    expect(real.out).to.match(/^1 made, 1 unchanged, 2 refused.*\n1 of them has no owner: /)
  })

  it('says which fields of JSON it ignores', async () => {
    const links = ['{"code":"typo1","target":"https://example.com/1","titel":"One"}', '"nonsense"']
    const file = await at.fileOf(`${links.join('\n')}\n`, 'typo.ndjson')
    const { err } = await at.run(file, '--format', 'csv')
    expect(err).to.include('linkgate: ignored columns: titel (--map names them)\n').and.not.include('value')
    expect((await at.run(file, '--format', 'csv', '--map', 'titel=title')).err).to.not.include('ignored')
  })

  it('reads what European spreadsheets write (a BOM, semicolons, CR LF), and columns as --map names them', async () => {
    const text =
      '\ufeffKürzel;"Ziel; Adresse";Titel;Erstellt\r\n' +
      'eu1;https://example.com/?a=1;"Zwei\r\nZeilen; ""ja""";2024-05-06\r\n' +
      'https://alt.example/eu2;https://example.com/2;;\r\n'
    const file = await at.fileOf(text, 'tabelle.csv')
    const map = 'Kürzel=code, ziel adresse=target'
    const { code, out, err } = await at.run(file, '--format', 'csv', '--map', map, '--map', 'TITEL = title')
    expect({ code, err }).to.deep.equal({ code: 0, err: 'linkgate: ignored columns: Erstellt (--map names them)\n' })
    expect(out).to.match(/^2 made/)
    const rows = await at.db.asOwner(`select code, target, title from links where code like 'eu_' order by code`)
    expect(rows).to.deep.equal([
      { code: 'eu1', target: 'https://example.com/?a=1', title: 'Zwei Zeilen; "ja"' },
      { code: 'eu2', target: 'https://example.com/2', title: null },
    ])
  })

  it('reads a column that --map names for that field alone, and one without a field for none', async () => {
    for (const [text, name] of [
      ['id,code,target,title,note,tags\n990000,only1,https://example.com/,T,N,a\n', 'alone.csv'],
      [
        '{"id":"990001","code":"only2","target":"https://example.com/","title":"T","note":"N","tags":"a"}',
        'alone.json',
      ],
    ] as const) {
      const args = ['--format', 'csv', '--map', 'title=note, note=', '--map', 'tags=title, id='] as const
      expect(await at.run(await at.fileOf(text, name), ...args, '--owner', 'ada@example.com')).to.deep.equal({
        code: 0,
        out: '1 made, 0 unchanged, 0 refused\n',
        err: '',
      })
    }
    const rows = await at.db.asOwner<{ id: string }>(
      `select id, title, note, tags from links where code like 'only_' order by code`,
    )
    for (const { id, ...fields } of rows) {
      expect(Number(id)).to.be.below(990_000)
      expect(fields).to.deep.equal({ title: 'a', note: 'T', tags: [] })
    }
    expect(rows).to.have.length(2)
  })

  it('writes what is refused as the spreadsheet wrote it: with its semicolons and its BOM', async () => {
    const file = await at.fileOf('\ufeffcode;target;note\r\nmü1;https://example.com/1;a,b;\r\n', 'größe.csv')
    const { code } = await at.run(file, '--format', 'csv')
    expect(code).to.equal(1)
    const text = await readFile(`${file}.refused.csv`, 'utf8')
    expect(text.split('\n')[0]).to.equal('\ufeffcode;target;note;reason')
    expect(text.split('\n')[1]).to.match(/^mü1;https:\/\/example.com\/1;a,b;;has 4 cells/)
    const mended = text.replace('mü1', 'mue1').replace('a,b;', 'a,b')
    expect((await at.run(await at.fileOf(mended, 'mended.csv'), '--format', 'csv')).out).to.match(/^1 made/)
  })

  it('keeps a column or a member called reason where --map names it', async () => {
    const args = ['--format', 'csv', '--map', 'reason=note'] as const
    const why = 'target must be an absolute http or https URL'
    const first = await at.fileOf('code,Reason,target\nw1,why it is,x\n', 'reason.csv')
    await at.run(first, ...args)
    const csv = await readFile(`${first}.refused.csv`, 'utf8')
    expect(csv).to.equal(`code,Reason,target,refused because\nw1,why it is,x,${why}\n`)
    const again = await at.fileOf(csv, 'again.csv')
    expect((await at.run(again, ...args)).err).not.to.include('ignored')
    expect(await readFile(`${again}.refused.csv`, 'utf8')).to.equal(csv)
    const second = await at.fileOf('{"code":"w2","reason":"why, too","target":"x"}\n', 'reason.ndjson')
    await at.run(second, ...args)
    const json = await readFile(`${second}.refused.ndjson`, 'utf8')
    expect(JSON.parse(json)).to.deep.equal({ code: 'w2', reason: 'why, too', target: 'x', 'refused because': why })
    for (const [text, name] of [
      [csv, 'mended.csv'],
      [json, 'mended.ndjson'],
    ] as const) {
      const mended = await at.fileOf(text.replace(/(?<=[,"])x(?=[,"])/, 'https://example.com/'), name)
      expect((await at.run(mended, ...args)).out).to.match(/^1 made/)
    }
    expect(await at.db.asOwner(`select note from links where code in ('w1', 'w2') order by code`)).to.deep.equal([
      { note: 'why it is' },
      { note: 'why, too' },
    ])
  })

  it('leaves what an earlier import refused, since somebody may be mending it', async () => {
    const file = await at.fileOf('code,target\nk1,nowhere\n', 'kept.csv')
    await at.run(file, '--format', 'csv')
    await writeFile(`${file}.refused.csv`, 'mended')
    const { out } = await at.run(file, '--format', 'csv')
    expect(out).to.equal(`0 made, 0 unchanged, 1 refused (${file}.refused-2.csv)\n`)
    expect(await readFile(`${file}.refused.csv`, 'utf8')).to.equal('mended')
    expect(await readFile(`${file}.refused-2.csv`, 'utf8')).to.match(/^code,target,reason\nk1,nowhere,/)
    // a link to no file is a name that is taken, too
    await symlink(join(at.folder, 'nowhere'), `${file}.refused-3.csv`)
    expect((await at.run(file, '--format', 'csv')).out).to.include(`(${file}.refused-4.csv)`)
  })

  it('what is refused of JSON is JSON again', async () => {
    const file = await at.fileOf(
      '{"data":[{"address":"j1","target":"https://example.com/j1","password":true},{"address":"j2","target":"x"}]}',
      'kutt.json',
    )
    const { code, err } = await at.run(file, '--format', 'kutt')
    expect(code).to.equal(1)
    expect(err).to.match(/kutt\.json:1, link 1 {2}is protected by a password/)
    const lines = (await readFile(`${file}.refused.ndjson`, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).to.deep.equal([
      ['address', 'target', 'password', 'reason'],
      ['address', 'target', 'reason'],
    ])
    const mended = lines.join('\n').replace('true', '"a new password"').replace('"x"', '"https://example.com/j2"')
    const second = await at.fileOf(mended, 'mended.ndjson')
    expect((await at.run(second, '--format', 'kutt')).out).to.match(/^2 made/)
    const [{ hash } = { hash: '' }] = await at.db.asOwner<{ hash: string }>(
      `select password_hash as hash from links where code = 'j1'`,
    )
    expect(hash).to.match(/^\$argon2id\$/)
  })

  it('exit code 2 and one line where nothing is read', async () => {
    const file = await at.fileOf('code,address\na,b\n')
    const text = 'id,code,target\n5000000,unkept1,https://example.com/\n5000001,unkept2,x\n'
    const good = await at.fileOf(text, 'unkept.csv')
    const [symbolic, hard] = [join(at.folder, 'symbolic.csv'), join(at.folder, 'hard.csv')]
    await symlink(good, symbolic)
    await link(good, hard)
    const lastId = async () => (await at.db.asOwner('select last_value from links_id_seq'))[0]
    const [before, last] = [await storedLinks(at.db), await lastId()]
    for (const [args, message] of [
      [[good, '--format', 'csv', '--refused', join(at.folder, 'none', 'refused.csv')], 'cannot be written: ENOENT'],
      [[good, '--format', 'csv', '--dry-run', '--refused', at.folder], 'cannot be written: EISDIR'],
      [[join(at.folder, 'none.csv'), '--format', 'csv'], 'there is no file'],
      [[at.folder, '--format', 'csv'], 'is a folder'],
      [[file, '--format', 'excel'], 'Allowed choices are'],
      [[file], 'required option'],
      [[file, '--format', 'csv'], 'no column of it is the target'],
      [[file, '--format', 'bitly'], 'no column of it is the target'],
      [[file, '--format', 'csv', '--map', 'goal=target'], 'names a column that is not in the file: goal'],
      [[file, '--format', 'csv', '--map', 'address=goal'], 'our fields are id, code'],
      [[file, '--format', 'csv', '--map', 'address'], 'our field'],
      [[file, '--format', 'csv', '--map', 'address=target,name=target'], 'address and name cannot both be the target'],
      [[file, '--format', 'csv', '--map', 'Address=target', '--map', 'address=note'], 'the column address twice'],
      [[file, '--format', 'csv', '--map', 'address=,address=note'], 'the column address twice'],
      [[file, '--format', 'csv', '--map', 'goal=,address=target'], 'names a column that is not in the file: goal'],
      [[good, '--format', 'csv', '--map', 'target=note'], 'no column of it is the target'],
      [[good, '--format', 'csv', '--map', 'target='], 'no column of it is the target'],
      [[file, '--format', 'csv', '--owner', 'nobody@example.com'], 'there is no user'],
      [[file, '--format', 'csv', '--owner', 'nobody'], 'e-mail'],
      [[file, '--format', 'csv', '--map', 'address=target', '--refused', file], 'another file'],
      [[good, '--format', 'csv', '--refused', symbolic], 'another file'],
      [[good, '--format', 'csv', '--refused', hard], 'another file'],
      [[symbolic, '--format', 'csv', '--refused', good], 'another file'],
      [[await at.fileOf('code,target\n', 'empty.csv'), '--format', 'csv'], 'has no records'],
    ] as const) {
      const { code, out, err } = await at.run(...args)
      expect({ code, out }, `${args.join(' ')}: ${err}`).to.deep.equal({ code: 2, out: '' })
      expect(err).to.include(message)
      expect(err.trimEnd().split('\n').length, err).to.equal(1)
    }
    expect(await storedLinks(at.db)).to.deep.equal(before)
    expect(await lastId(), 'no id is reserved').to.deep.equal(last)
    expect(await readFile(good, 'utf8')).to.equal(text)
  })

  it('takes what comes before a line from which on the file cannot be read, and exits 1', async () => {
    const file = await at.fileOf('code,target\nbroken1,https://example.com/\nbroken2,"https://example.com/\nx,y\n')
    const { code, out, err } = await at.run(file, '--format', 'csv')
    expect(code).to.equal(1)
    expect(out).to.match(/^1 made, 0 unchanged, 0 refused\n/)
    expect(err).to.match(/cannot be read: a quote is not closed/)
    expect(await codesOf(at.db)).to.include('broken1')
  })

  it('says how far it came where the database ends it', async () => {
    const ended = await place()
    await ended.db.asOwner(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '53100', message = 'the disk is full'; end $$`)
    await ended.db.asOwner(`create trigger refuse before insert on links for each row when (new.code = 'c600')
      execute function refuse()`)
    const rows = Array.from({ length: 700 }, (_, n) => `c${n},${n === 7 ? 'nowhere' : 'https://example.com/'}\n`)
    const file = await ended.fileOf(`code,target\n${rows.join('')}`)
    const { code, out, err } = await ended.run(file, '--format', 'csv', '--owner', 'ada@example.com')
    expect({ code, out }).to.deep.equal({
      code: 1,
      out: `499 made, 0 unchanged, 1 refused (${file}.refused.csv)\n`,
    })
    expect(err.trimEnd().split('\n')).to.deep.equal([
      `linkgate: ${file}:9  target must be an absolute http or https URL`,
      `linkgate: the import did not reach the end of ${file}: import it again`,
      'linkgate: The database is unavailable',
    ])
    expect(await codesOf(ended.db)).to.have.length(499)
  })

  it('no letter of a file reaches the terminal as anything but text', async () => {
    const file = await at.fileOf('code,target,\u001b[31mred\n"\u001b[2J",https://example.com/,x\n')
    const { err } = await at.run(file, '--format', 'csv')
    // eslint-disable-next-line no-control-regex -- a control character is what must not be there
    expect(err).not.to.match(/[\u0000-\u0009\u000b-\u001f]/)
  })

  it('keeps new links off the ids that it took, also of a mapped column, and where no link was ever made', async () => {
    const empty = await place()
    const file = await empty.fileOf('Number,URL,code\n1,https://example.com/1,n1\n', 'numbers.csv')
    expect((await empty.run(file, '--format', 'csv', '--map', 'Number=id,URL=target')).code).to.equal(0)
    expect(await empty.db.asOwner('select id from links')).to.deep.equal([{ id: '1' }])
    expect(await empty.db.asOwner(`select nextval('links_id_seq') as id`)).to.deep.equal([{ id: '2' }])
  })

  it('gives no link the visits of one that was deleted for good', async () => {
    await at.db.asOwner('insert into visit_counts values (123456, null, null, 7, 0, now())')
    const file = await at.fileOf('id,code,target\n123456,heir,https://example.com/\n', 'heir.csv')
    expect((await at.run(file, '--format', 'csv')).code).to.equal(0)
    const [row] = await at.db.asOwner<{ id: string }>(`select id from links where code = 'heir'`)
    expect(row?.id).to.be.a('string').and.not.equal('123456')
  })

  it('counts links without a code alike in a dry run, however far apart they are', async () => {
    const others = Array.from({ length: 600 }, (_, i) => `https://example.com/apart/${i}\n`).join('')
    const file = await at.fileOf(`target\nhttps://example.com/twice\n${others}https://example.com/twice\n`, 'twice.csv')
    const dry = await at.run(file, '--format', 'csv', '--dry-run')
    expect(dry.out).to.match(/^dry run: 601 would be made, 1 unchanged/)
    expect((await at.run(file, '--format', 'csv')).out).to.match(/^601 made, 1 unchanged/)
  })

  it('reserves no id near the end of all ids', async () => {
    const pool = openPool({ connection: at.db.service, size: 1, deadlineMs: 5_000 })
    try {
      const refused = await pool.run({ text: 'select reserve_link_ids(1000000000000001)' }).then(
        () => null,
        (error: unknown) => error,
      )
      expect(refused).to.have.property('code', '22023')
    } finally {
      await pool.close()
    }
  })
})

describe('what /links/export wrote, imported into an empty installation with the same users', () => {
  let from: TestService
  let owner: string
  let csv: string
  let ndjson: string
  before(async () => {
    from = await startTestService()
    const [admin, editor] = [await from.addUser('admin'), await from.addUser('editor')]
    owner = editor.id
    const gone = await addLink(from.db, { owner: null })
    for (const fields of [
      { code: '-1+2'.replace('+', '_'), title: '=1+1', note: "'@x", tags: ['a', 'straße 1'] },
      { code: '--', title: "'''=x", note: 'two\r\nlines, "quoted"; \\N NULL' },
      { title: "a;=1;'-2", note: '- list\n-list\t+1;"@2' },
      { status: 308, active: false, forward_query: true, max_visits: 7 },
      { starts_at: '2030-01-01T00:00:00.123Z', expires_at: '2031-01-01T00:00:00Z', note: 'a\n\nb' },
      { target: 'https://example.com/ü?q=a;b,c|d#"e', title: '  two  spaces  ' },
    ]) {
      const json = { target: 'https://example.com/', ...fields }
      const made = await from.request('POST', '/links', { token: editor.token, json })
      expect(made.status, made.text).to.equal(201)
    }
    const changed = await addLink(from.db, { owner: admin.id, target: 'https://example.com/changed' })
    const patched = await from.request('PATCH', `/links/${changed}`, { token: admin.token, json: { title: 'changed' } })
    expect(patched.status).to.equal(200)
    expect((await from.request('DELETE', `/links/${gone}`, { token: admin.token })).status).to.equal(204)
    await addLink(from.db, { owner: null, code: freshCode('nobodys') })
    csv = (await from.request('GET', '/links/export', { token: admin.token })).text
    ndjson = (await from.request('GET', '/links/export?format=ndjson', { token: admin.token })).text
  })
  after(() => from.stop())

  const roundTrip = async (text: string, format: 'csv' | 'ndjson') => {
    const at = await place()
    await at.db.asOwner('delete from users')
    for (const id of [Number(owner) - 1, owner])
      await at.db.asOwner(
        `insert into users (id, email, role) overriding system value
           values ($1::bigint, ($1::bigint)::text || '@example.com', 'admin')`,
        [String(id)],
      )
    await at.db.asOwner(`select setval('users_id_seq', 100)`)
    const { code, out, err } = await at.run(await at.fileOf(text, `links.${format}`), '--format', 'csv')
    expect({ code, err }, out).to.deep.equal({ code: 0, err: '' })
    const to = await startTestService({ db: at.db })
    try {
      const admin = await to.addUser('admin')
      const made = await to.request('POST', '/links', {
        token: admin.token,
        json: { target: 'https://example.com/new' },
      })
      expect(made.status, 'new links get ids beyond').to.equal(201)
      await to.request('DELETE', `/links/${Object(made.json).code}`, { token: admin.token })
      return (await to.request('GET', `/links/export?format=${format}`, { token: admin.token })).text
    } finally {
      await to.stop()
    }
  }

  it('comes back the same, to the byte of the next export, as CSV', async () => {
    expect(csv.split('\n').length).to.be.greaterThan(8)
    expect(await roundTrip(csv, 'csv')).to.equal(csv)
  })

  it('comes back the same as NDJSON', async () => {
    expect(await roundTrip(ndjson, 'ndjson')).to.equal(ndjson)
  })

  it('in a spreadsheet’s hands too: with semicolons, CR LF and a BOM', async () => {
    const { parse } = await import('csv-parse/sync')
    const { stringify } = await import('csv-stringify/sync')
    const text = stringify(parse(csv), { delimiter: ';', record_delimiter: '\r\n', bom: true, quoted_match: /[\r\n]/ })
    expect(await roundTrip(text, 'csv')).to.equal(csv)
  })
})

describe('an import beside what is there', () => {
  it('keeps an id where it is free, gives another where it is not, and refuses owners who are no users', async () => {
    const at = await place()
    await addLink(at.db, { owner: '1' })
    const file = await at.fileOf(
      'id,code,target,owner_id\n' +
        '1,i1,https://example.com/,1\n' +
        '2,i2,https://example.com/,2\n' +
        '3,i3,https://example.com/,77\n' +
        '9,i9,https://example.com/,\n' +
        '99999999999999999,huge,https://example.com/,1\n',
    )
    const { code, err } = await at.run(file, '--format', 'csv')
    expect(code).to.equal(1)
    expect(err).to.match(/:4 {2}owner_id 77 is not a user of this installation/)
    const ids = Object.fromEntries(
      (await at.db.asOwner<{ code: string; id: string }>('select code, id from links')).map((row) => [
        row.code,
        row.id,
      ]),
    )
    expect(ids).to.include({ i2: '2', i9: '9' })
    expect(Number(ids['i1'])).to.be.within(10, 20)
    expect(Number(ids['huge'])).to.be.within(10, 20)
    expect((await at.run(file, '--format', 'csv', '--owner', 'ada@example.com')).err).to.match(/:3 {2}code i2 is taken/)
  })

  it('refuses a link whose password the file cannot hold, unless it is given a new one', async () => {
    const at = await place()
    const head = 'code,target,has_password,password\n'
    const first = await at.fileOf(`${head}secret,https://example.com/hidden,true,\n`)
    const { code, err } = await at.run(first, '--format', 'csv')
    expect(code).to.equal(1)
    expect(err).to.include('is protected by a password that is not in the file')
    const second = await at.fileOf(`${head}secret,https://example.com/hidden,true,open sesame\n`)
    expect((await at.run(second, '--format', 'csv')).code).to.equal(0)
    expect((await at.run(first, '--format', 'csv')).out).to.match(/^0 made, 1 unchanged/)
    const service = await startTestService({ db: at.db })
    try {
      expect((await service.request('GET', '/secret')).status).to.equal(403)
      const opened = await service.request('POST', '/secret', formOf({ password: 'open sesame' }))
      expect(opened.headers.get('Location')).to.equal('https://example.com/hidden')
    } finally {
      await service.stop()
    }
  })

  it('is heard of by the caches of a running service', async () => {
    const at = await place()
    const service = await startTestService({ db: at.db })
    try {
      expect((await service.request('GET', '/heard')).status).to.equal(404)
      const file = await at.fileOf('code,target\nheard,https://example.com/\n')
      expect((await at.run(file, '--format', 'csv')).code).to.equal(0)
      await until('the redirect is there', async () => (await service.request('GET', '/heard')).status === 302)
    } finally {
      await service.stop()
    }
  })
})

describe('a large import', () => {
  before(requireBuilt)

  const write = async (file: string, count: number, line: (n: number) => string): Promise<void> => {
    const out = createWriteStream(file)
    out.write('code,target,title,note\n')
    for (let n = 0; n < count; n += 1) if (!out.write(`${line(n)}\n`)) await once(out, 'drain')
    out.end()
    await once(out, 'close')
  }

  it('takes 9,000 rows of 6 KB in a heap that is smaller than the file', async () => {
    const at = await place()
    const file = join(at.folder, 'large.csv')
    // three bytes each
    const note = '한'.repeat(2_000)
    await write(file, 9_000, (n) => `l${n},https://example.com/${n},Title ${n},${note}`)
    const { ended } = runProgram(['import', file, '--format', 'csv', '--owner', 'ada@example.com'], {
      ...at.environment,
      NODE_OPTIONS: '--max-old-space-size=51',
    })
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }, stderr.slice(-500)).to.deep.equal({
      code: 0,
      stdout: '9,000 made, 0 unchanged, 0 refused\n',
    })
    expect(await at.db.asOwner('select count(*)::int as n from links')).to.deep.equal([{ n: 9_000 }])
    // the planner knows of them, so that a search does not wait for autovacuum to find its index
    expect(await at.db.asOwner(`select reltuples from pg_class where oid = 'links'::regclass`)).to.deep.equal([
      { reltuples: 9_000 },
    ])
  })

  it('keeps no more long records in memory than fit', async () => {
    const at = await place()
    const file = join(at.folder, 'long.csv')
    const note = 'x'.repeat(900_000)
    // 54 MB of notes, more than the heap has
    await write(file, 60, (n) => `l${n},https://example.com/${n},Title ${n},${note}`)
    const { ended } = runProgram(['import', file, '--format', 'csv'], {
      ...at.environment,
      NODE_OPTIONS: '--max-old-space-size=51',
    })
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }, stderr.slice(-500)).to.deep.equal({
      code: 1,
      stdout: `0 made, 0 unchanged, 60 refused (${file}.refused.csv)\n`,
    })
  })

  it('that was killed is finished by running it again: each link once, with its id and its entry', async () => {
    const at = await place()
    const count = 3_000
    const file = join(at.folder, 'killed.csv')
    const out = createWriteStream(file)
    out.write('id,code,target,owner_id\n')
    for (let n = 1; n <= count; n += 1) out.write(`${n + 5},k${n},https://example.com/${n},1\n`)
    out.end()
    await once(out, 'close')
    const args = ['import', file, '--format', 'csv']
    const made = async () => {
      const [row] = await at.db.asOwner<{ n: number }>('select count(*)::int as n from links')
      return row?.n ?? 0
    }
    const { child, ended } = runProgram(args, at.environment)
    await until('some links are there', async () => (await made()) > 0)
    child.kill('SIGKILL')
    expect((await ended).signal).to.equal('SIGKILL')
    const before = await made()
    expect(before).to.be.within(1, count - 1)
    const again = await runProgram(args, at.environment).ended
    expect(again.code, again.stderr).to.equal(0)
    const number = (n: number) => n.toLocaleString('en')
    // what was under way when it was killed may still have committed
    expect(again.stdout).to.match(/^[\d,]+ made, [\d,]+ unchanged, 0 refused\n$/)
    const sum =
      again.stdout
        .match(/\d[\d,]*/g)
        ?.slice(0, 2)
        .map((text) => Number(text.replace(',', ''))) ?? []
    expect((sum[0] ?? 0) + (sum[1] ?? 0), number(before)).to.equal(count)
    expect(sum[1]).to.be.at.least(before)
    const rows = await at.db.asOwner<{ code: string; id: string }>('select code, id from links order by id')
    expect(rows).to.deep.equal(Array.from({ length: count }, (_, n) => ({ code: `k${n + 1}`, id: String(n + 6) })))
    expect((await entriesOf(at.db)).map(({ code }) => code).toSorted()).to.deep.equal(
      rows.map(({ code }) => code).toSorted(),
    )
  })
})
