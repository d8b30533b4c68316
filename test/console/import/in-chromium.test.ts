import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { deferred } from '../../../src/domain/deferred.js'
import { addAccount } from '../../support/account.js'
import { describeConsole, go, openSignedIn, refuseProfile, requireClean, shown, soon } from '../../support/console.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'

describeConsole('the import in a browser', () => {
  let service: TestService
  let editor: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    editor = await addAccount(service, 'editor')
    ;({ page } = await openSignedIn(service, editor))
  })
  after(() => service.stop())

  const begin = () => go(page, '/import', 'Import')
  const choose = (name: string, text: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  /** What is said of the row with this text. */
  const outcomeOf = (text: string) => page.getByRole('row').filter({ hasText: text }).getByRole('cell').last()
  const locationOf = async (code: string) => (await service.request('GET', `/${code}`)).headers.get('location')

  it('shows of each row what becomes of it and why, before anything is made', async () => {
    const [fresh, mine, theirs] = [freshCode('new'), freshCode('mine'), freshCode('theirs')]
    const other = await service.addUser('editor')
    await addLink(service.db, { code: mine, owner: editor.id, target: 'https://example.com/mine' })
    await addLink(service.db, { code: theirs, owner: other.id, target: 'https://example.com/theirs' })
    await begin()
    await requireClean(page, 'no file yet')
    await choose(
      'links.csv',
      [
        'code,target,title',
        `${fresh},https://example.com/new,New`,
        `${mine},https://example.com/mine,Mine`,
        `${theirs},https://example.com/elsewhere,Theirs`,
        `"<img src=x onerror=""document.title='ran'"">",https://example.com/hostile,Hostile`,
        'fine-code,javascript:alert(1),Script',
      ].join('\n'),
    )
    await shown(page, '1 link can be made. 1 is there already. 3 cannot be imported.')
    expect(await outcomeOf(fresh).innerText()).to.equal('new')
    expect(await outcomeOf(mine).innerText()).to.equal('there already')
    expect(await outcomeOf(theirs).innerText()).to.match(/^conflict .*leads elsewhere/)
    expect(await outcomeOf('/hostile').innerText()).to.match(/^refused 1 to 64 letters/)
    expect(await outcomeOf('javascript:').innerText()).to.match(/^refused Write the whole address/)
    expect(await page.locator('img[src=x]').count()).to.equal(0)
    expect(await locationOf(fresh)).to.equal(null)
    await requireClean(page, 'checked rows')

    await page.getByRole('button', { name: 'Import 1 link' }).click()
    await shown(page, /^1 link made\./)
    expect(await locationOf(fresh)).to.equal('https://example.com/new')
    await requireClean(page, 'an import that is done')
  })

  it('saves what is refused with the reasons, and takes that file again once it is mended', async () => {
    const code = freshCode('mend')
    await begin()
    await choose('list.csv', `code;target\r\n${code};ftp://example.com/file\r\n`)
    await shown(page, '0 links can be made. 1 cannot be imported.')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download what is refused' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).to.equal('list.csv.refused.csv')
    const text = await readFile(await saved.path(), 'utf8')
    expect(text).to.match(/ftp:\/\/example\.com\/file.*Write the whole address/)

    await choose(saved.suggestedFilename(), text.replace('ftp:', 'https:'))
    await page.getByRole('button', { name: 'Import 1 link' }).click()
    await shown(page, /^1 link made\./)
    expect(await locationOf(code)).to.equal('https://example.com/file')
  })

  it('shows the file that was chosen last, also if an earlier one takes longer to read', async () => {
    await begin()
    await page.evaluate(`{
      const read = File.prototype.arrayBuffer
      const released = new Promise((resolve) => { window.release = resolve })
      File.prototype.arrayBuffer = async function () {
        if (this.name === 'slow.csv') await released
        return read.call(this)
      }
    }`)
    await choose('slow.csv', `code,target\n${freshCode('slow')},https://example.com/slow\n`)
    await shown(page, 'Reading')
    await choose('fast.csv', `code,target\n${freshCode('fast')},https://example.com/fast\n`)
    const title = (name: string) => page.getByRole('heading', { name, exact: true })
    await title('fast.csv').waitFor()
    await page.evaluate(`new Promise((resolve) => {
      window.release()
      requestAnimationFrame(() => requestAnimationFrame(resolve))
    })`)
    expect(await title('slow.csv').count()).to.equal(0)
    await shown(page, '1 link can be made.')
    expect(await outcomeOf('/fast').innerText()).to.equal('new')
  })

  it('keeps the focus where its buttons change', async () => {
    const code = freshCode('focus')
    await begin()
    await choose('focus.csv', `code,target\n${code},https://example.com/focus\n`)
    const begun = deferred()
    await page.route('**/links/bulk', async (route) => {
      await begun.promise
      await route.continue()
    })
    const focused = () => page.evaluate('document.activeElement?.textContent')
    await page.getByRole('button', { name: 'Import 1 link' }).press('Enter')
    await soon(async () => (await focused()) === 'Stop')
    begun.resolve()
    await shown(page, /^1 link made\./)
    await soon(async () => (await focused()) === 'To your links')
    await page.unroute('**/links/bulk')

    await choose('many.json', JSON.stringify(Array.from({ length: 101 }, () => ({ target: 'ftp://example.com/' }))))
    await page.getByRole('button', { name: '1 more' }).press('Enter')
    await soon(async () => (await focused()) === '101 of 101')
  })

  it('asks before one that is running is left, by a link or a sign-out', async () => {
    const code = freshCode('left')
    await begin()
    await choose('left.csv', `code,target\n${code},https://example.com/left\n`)
    let goOn: () => unknown = () => expect.fail('nothing was asked')
    const answered = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/links/bulk', async (route) => {
      await answered
      await route.continue()
    })
    await page.getByRole('button', { name: 'Import 1 link' }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    const question = page.getByRole('dialog', { name: 'Leave while links are being made?' })
    for (const leave of [
      page.getByRole('link', { name: 'Trash' }),
      page.getByRole('button', { name: 'Sign out', exact: true }),
    ]) {
      await leave.click()
      await question.waitFor()
      await requireClean(page, 'the question about a running import')
      await question.getByRole('button', { name: 'Stay here' }).click()
      await question.waitFor({ state: 'detached' })
    }
    goOn()
    await shown(page, /^1 link made\./)
    await page.unroute('**/links/bulk')
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
    expect(await locationOf(code)).to.equal('https://example.com/left')
  })

  it('makes nothing twice where the profile cannot be loaded', async () => {
    const target = `https://example.com/${freshCode('again')}`
    await addLink(service.db, { code: freshCode('again'), owner: editor.id, target })
    await page.route('**/users/me', refuseProfile)
    const refused = page.waitForResponse('**/users/me')
    await begin()
    await refused
    await choose('again.csv', `target\n${target}\n`)
    await shown(page, '0 links can be made. 1 is there already.')
    await page.unroute('**/users/me')
  })

  it('asks which column is the target where none has its name, and takes a file that is dropped', async () => {
    await begin()
    const text = 'Kürzel\tWohin\nab-hier\thttps://example.com/wohin\n'
    const drop = `(() => {
      const data = new DataTransfer()
      data.items.add(new File([${JSON.stringify(text)}], 'tabelle.tsv'))
      const card = document.querySelector('.drop')
      for (const type of ['dragover', 'drop'])
        card.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`
    await page.evaluate(drop)
    await shown(page, 'Choose it below, and the rows are checked.')
    await requireClean(page, 'columns to choose')
    await page.getByLabel('Leads to').selectOption({ label: 'Wohin' })
    await page.getByLabel('Code', { exact: true }).selectOption({ label: 'Kürzel' })
    await shown(page, '1 link can be made.')
    expect(await outcomeOf('https://example.com/wohin').innerText()).to.equal('new')
  })

  it('reads what Bitly, Shlink, Kutt and YOURLS write, and says whose file it is', async () => {
    const files = [
      ['bitly', 'bitly.csv'],
      ['shlink', 'shlink.csv'],
      ['kutt', 'kutt-table.csv'],
      ['yourls', 'yourls-table.csv'],
    ] as const
    for (const [format, name] of files) {
      await begin()
      await choose(name, await readFile(new URL(`../../import/samples/${name}`, import.meta.url), 'utf8'))
      await shown(page, /can be made\./)
      expect(await page.getByLabel('Where it is from').inputValue()).to.equal(format)
    }
  })

  it('says what is wrong with a file that is none, and keeps the page', async () => {
    await begin()
    await choose('empty.csv', '')
    await shown(page, /^empty\.csv cannot be read: /)
    await choose('picture.csv', '\uFFFD\0\0\u0001 PNG')
    await shown(page, /^picture\.csv cannot be read: /)
    await requireClean(page, 'an unreadable file')
  })

  it('says so where a part of the page can no longer be loaded', async () => {
    // as after an update of the service
    const { page: tab } = await openSignedIn(service, editor)
    await go(tab, '/import', 'Import')
    await tab.route('**/console/assets/**', (route) => route.fulfill({ status: 404 }))
    const choose = (name: string, text: string) =>
      tab.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    const why = 'The service is away, or was updated since you opened the console.'
    await choose('links.csv', `code,target\n${freshCode('lost')},https://example.com/lost\n`)
    await tab.getByRole('alert').getByText(why).waitFor()
    await choose('links.json', JSON.stringify([{ code: freshCode('lost'), target: 'ftp://example.com/lost' }]))
    await tab.getByRole('button', { name: 'Download what is refused' }).click()
    await tab.locator('.toast', { hasText: why }).waitFor()
  })

  it('says in German what the service says of a field, and what is wrong with the file', async () => {
    await page.evaluate(`localStorage.setItem('language', 'de')`)
    await begin()
    await choose('liste.csv', 'target,tags\nftp://example.com/datei,-x\n')
    await shown(page, '0 Links lassen sich anlegen. 1 geht nicht.')
    expect(await outcomeOf('/datei').innerText()).to.equal(
      'abgelehnt Schreiben Sie die ganze Adresse, mit http:// oder https:// davor. ' +
        'Ein Schlagwort hat 1 bis 40 Buchstaben, Ziffern, Leerzeichen, . _ und -; vorn Buchstabe oder Ziffer.',
    )
    await choose('liste.csv', 'target,status,max_visits\nhttps://example.com/datei,200,viele\n')
    await shown(page, '1 geht nicht.')
    expect(await outcomeOf('/datei').innerText()).to.equal(
      'abgelehnt Eine Weiterleitung ist 301, 302, 307 oder 308. Die Zahl der Aufrufe ist keine Zahl.',
    )
    await choose('liste.csv', 'target,tags\nhttps://example.com/eine-zelle\nhttps://example.com/offen,"x\n')
    await shown(page, 'Nur ein Teil der Datei war lesbar: ab Zeile 3 ist ein Anführungszeichen nicht geschlossen.')
    await shown(page, 'die Zahl der Zellen (1) ist nicht die der Spalten (2)')
  })
})
