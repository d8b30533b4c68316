import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { Client } from 'pg'
import type { Page } from 'playwright-core'

import { publicKeyOf } from '../../../src/audit/signed-statement.js'
import { verifyEvidence } from '../../../src/audit/verify-evidence.js'
import { addAccount, givePassword } from '../../support/account.js'
import { describeConsole, go, openSignedIn, requireClean, soon } from '../../support/console.js'
import { editPolicy, rowsFor } from '../../support/edit-policy.js'
import { fillLog } from '../../support/fill-log.js'
import { listAt, textAt } from '../../support/json.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

const HOSTILE = `"><img src=x onerror="document.title='ran'">`

describeConsole('the pages of the record in a browser', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  let page: Page
  const code = freshCode('recorded')

  before(async () => {
    service = await startTestService({ environment: { RATE_LIMIT_USER: 'off' } })
    admin = await addAccount(service, 'admin')
    editor = await service.addUser('editor')
    await service.db.asOwner('update users set name = $2 where id = $1', [editor.id, HOSTILE])
    await addLink(service.db, { code, owner: admin.id })
    await editPolicy(service, admin.token, { add: rowsFor('log-reader', 820, 'audit:read'), reason: HOSTILE })
    ;({ page } = await openSignedIn(service, admin))
  })
  after(() => service.stop())

  const focused = (selector: string) => page.evaluate(`document.activeElement.matches('${selector}')`)
  /** A refusal that is in the log; answers its request id. */
  const refuse = async (method = 'DELETE', path = `/links/${code}`, user = editor) => {
    const id = textAt((await service.request(method, path, { token: user.token })).json, 'request_id')
    await until('the log has it', async () => {
      const { status } = await service.request('GET', `/audit/requests/${id}`, { token: admin.token })
      return status === 200
    })
    return id
  }

  describe('decisions', () => {
    const search = () => page.getByRole('combobox', { name: 'Search the log' })
    const lines = (on = page) => on.locator('.log tr:has(.time-cell)')
    const chips = async () => (await page.locator('.chip').allInnerTexts()).map((text) => text.trim())
    const only = async (query: string, count: number) => {
      await go(page, `/decisions?${new URLSearchParams({ q: query })}`, 'Decisions')
      await soon(async () => (await lines().count()) === count)
    }
    let request = ''
    before(async () => {
      request = await refuse()
      await page.getByRole('link', { name: 'Decisions', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor()
      await lines().first().waitFor()
    })

    it('are a table: time to the millisecond, who, what, answer by sign and word, rule, layer, status', async () => {
      const line = lines().filter({ hasText: code }).filter({ hasText: 'deny' })
      await line.waitFor()
      const whole = new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} "><img .* editor link:delete ${code} − deny R5 object Status: 403$`,
      )
      // names come after the lines
      await soon(async () => whole.test((await line.innerText()).replaceAll(/\s+/g, ' ')))
      const zone = String(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'))
      expect(await page.getByRole('columnheader').first().innerText()).to.contain(zone)
      await page.getByRole('cell', { name: /^Today, / }).waitFor()
      await requireClean(page, 'decisions')
    })

    it('have a policy revision as a band across, which leads to what changed', async () => {
      const band = page.locator('.log tr.band').filter({ hasText: 'revision 2 came into force' })
      expect(await band.innerText()).to.contain(`“${HOSTILE}”`)
      await band.getByRole('link', { name: 'What changed' }).click()
      await page.getByRole('heading', { level: 1, name: 'Revisions' }).waitFor()
      await page.waitForURL(/revisions\?revision=2$/)
      await page.goBack()
      await lines().first().waitFor()
    })

    it('make no markup of names, reasons, codes and request ids that were planted in the log', async () => {
      // straight into the table, past every check of the service
      await service.db.asOwner(
        `insert into decisions (request_id, revision, layer, subject_id, subject_role, token_id, network, action,
                                resource_type, resource_code, relation, effect, rule, row_priority, status)
         values ($1, 1, 'object', null, $1, $1, $1, $1, 'link', $1, 'other', 'deny', $1, null, 403)`,
        [HOSTILE],
      )
      await only('rule:"\\"><img src=x onerror=\\"document.title=\'ran\'\\">"', 1)
      await lines().first().getByRole('button').click()
      await page.locator('.line-details').getByText('cannot be read any more').waitFor()
      expect(await page.locator('.line-details').innerText()).to.contain(HOSTILE)
      await requireClean(page, 'a hostile line')
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal('Decisions · Linkgate')
    })

    it('open a line to its explanation, request, and what else there is of its user, link and revision', async () => {
      await only(`request:${request}`, 1)
      await lines().first().getByRole('button').click()
      const details = page.locator('.line-details')
      await details.getByText('Everybody who is signed in may not delete what is not theirs').waitFor()
      await details.getByText('p, 540, R5, user, link:delete, any, deny').waitFor()
      await requireClean(page, 'an open line')
      await details.getByRole('link', { name: `Only ${code}` }).click()
      await soon(async () => (await chips()).includes(`link:${code}`))
      expect(await chips()).to.deep.equal([`request:${request}`, `link:${code}`])
      await lines().first().getByRole('button').click()
      await details.getByRole('link', { name: /^Only "><img/ }).click()
      await soon(async () => (await chips()).includes(`user:${editor.id}`))
      await lines().first().getByRole('button').click()
      await details.getByRole('link', { name: 'Under revision 2' }).click()
      await soon(async () => (await chips()).includes('revision:2'))
      await lines().first().getByRole('button').click()
      await details.getByRole('link', { name: 'Explain' }).click()
      await page.getByRole('heading', { name: 'Denied at the third of four layers' }).waitFor()
    })

    it('are searched by qualifiers that are suggested, then their values; the address keeps the search', async () => {
      await go(page, '/decisions', 'Decisions')
      await page.keyboard.press('/')
      await soon(async () => (await focused('[name=q]')) === true)
      await page.keyboard.type('eff')
      await page.keyboard.press('Enter')
      expect(await search().inputValue()).to.equal('effect:')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      // at once: the address follows the first term while the second is typed
      await page.keyboard.type(`user:${editor.email} `)
      await soon(async () => (await chips()).length === 2)
      expect((await chips())[0]).to.equal('effect:deny')
      await soon(async () => (await lines().count()) === 1)
      await page.waitForURL(({ searchParams }) => searchParams.get('q') === `effect:deny user:${editor.email}`)
      await requireClean(page, 'a search')
      await page.reload()
      await soon(async () => (await lines().count()) === 1)
      expect(await chips()).to.deep.equal(['effect:deny', `user:${editor.email}`])
    })

    it('suggest people by their names', async () => {
      await go(page, '/decisions', 'Decisions')
      // however many there are: the service searches all of them
      const asked = page.waitForRequest((request) => {
        const { pathname, searchParams } = new URL(request.url())
        return pathname === '/users' && searchParams.get('q') === 'onerror'
      })
      await search().pressSequentially('user:onerror')
      await asked
      const option = page.getByRole('option', { name: editor.email })
      await option.waitFor()
      expect(await option.getAttribute('aria-selected')).to.equal('true')
      await option.click()
      await soon(async () => (await chips()).join(' ') === `user:${editor.email}`)
      await soon(async () => (await focused('[name=q]')) === true)
    })

    it('open the last chip with Backspace, and put it back with Escape', async () => {
      await only(`effect:deny user:${editor.email}`, 1)
      await search().focus()
      await page.keyboard.press('Backspace')
      expect(await search().inputValue()).to.equal(`user:${editor.email}`)
      expect(await chips()).to.deep.equal(['effect:deny'])
      await page.keyboard.press('Escape')
      expect(await chips()).to.deep.equal(['effect:deny', `user:${editor.email}`])
      await page.getByRole('button', { name: 'Remove effect:deny' }).click()
      await page.waitForURL(({ searchParams }) => searchParams.get('q') === `user:${editor.email}`)
    })

    it('keep a chip that was opened where another is opened after it', async () => {
      await only(`effect:deny user:${editor.email}`, 1)
      await page.getByRole('button', { name: `Change user:${editor.email}` }).click()
      await page.getByRole('button', { name: 'Change effect:deny' }).click()
      expect(await search().inputValue()).to.equal('effect:deny')
      expect(await chips()).to.deep.equal([`user:${editor.email}`])
      await page.keyboard.press('Escape')
    })

    it('show nothing for a search of which a part means nothing, and say which part and why', async () => {
      await go(page, '/decisions?q=effect:deny+usr:eve+status:teapot+eve', 'Decisions')
      await page.getByText('usr: is not a word that the log can be searched by.').waitFor()
      await page.getByText('status:teapot: status takes such as 403, or 4xx.').waitFor()
      await page.getByText(/^eve does not say what it is/).waitFor()
      expect(await page.locator('.chip.bad').count()).to.equal(3)
      expect(await search().getAttribute('aria-invalid')).to.equal('true')
      expect(await lines().count()).to.equal(0)
      await requireClean(page, 'a search that means nothing')
      for (const term of ['usr:eve', 'status:teapot', 'eve'])
        await page.getByRole('button', { name: `Remove ${term}`, exact: true }).click()
      await lines().first().waitFor()
    })

    it('say what was searched for where nothing matches', async () => {
      await go(page, '/decisions?q=request:there-is-none', 'Decisions')
      await page.getByText('Nothing matches request:there-is-none.').waitFor()
      await page.getByRole('button', { name: 'Clear the search' }).press('Enter')
      await lines().first().waitFor()
    })

    it('are walked by j, k and arrows, and opened by Enter', async () => {
      await go(page, '/decisions?q=kind:policy', 'Decisions')
      await lines().nth(1).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('ArrowDown')
      const second = await lines().nth(1).getAttribute('data-id')
      await soon(async () => (await page.evaluate('document.activeElement.closest("tr")?.dataset.id')) === second)
      await page.keyboard.press('k')
      await page.keyboard.press('Enter')
      await lines().first().locator('[aria-expanded=true]').waitFor()
    })

    it('load older ones as one scrolls, and say how many there are', async () => {
      await fillLog(service.db, 130, { chains: 1 })
      await go(page, '/decisions?q=action:link:update+user:4', 'Decisions')
      await page.getByText('26', { exact: true }).waitFor()
      await go(page, '/decisions?q=action:link:update+rule:R5', 'Decisions')
      await page.getByText('50 of 130').waitFor()
      await page.keyboard.press('End')
      await soon(async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)')
        return (await lines().count()) === 130
      })
    })

    it('fold lines that say the same', async () => {
      for (let i = 0; i < 4; i += 1) await refuse('GET', '/users')
      await go(page, `/decisions?q=action:user:read+user:${editor.id}`, 'Decisions')
      await page.getByRole('button', { name: /^3 more like it, down to / }).press('Enter')
      await soon(async () => (await lines().count()) === 4)
      await soon(() => lines().nth(1).locator('button:focus').isVisible())
    })

    it('are unfolded by the keys that walk them, which go on from there', async () => {
      await go(page, `/decisions?q=action:user:read+user:${editor.id}`, 'Decisions')
      await lines().first().waitFor()
      for (const key of ['j', 'j']) await page.keyboard.press(key)
      await soon(() => page.locator('.fold button:focus').isVisible())
      await page.keyboard.press('Enter')
      await soon(() => lines().nth(1).locator('button:focus').isVisible())
      await page.keyboard.press('j')
      await soon(() => lines().nth(2).locator('button:focus').isVisible())
    })

    it('are saved as CSV and NDJSON, all that is searched for', async () => {
      await only(`effect:deny user:${editor.id} action:link:delete`, 1)
      const query = `effect=deny&user=${editor.id}&action=link:delete`
      for (const [name, format] of [
        ['CSV', 'csv'],
        ['NDJSON', 'ndjson'],
      ] as const) {
        await page.locator('summary', { hasText: 'Export' }).click()
        const saving = page.waitForEvent('download')
        await page.getByRole('button', { name, exact: true }).click()
        const saved = await saving
        expect(saved.suggestedFilename()).to.equal(`decisions.${format}`)
        expect(await page.locator('summary:focus').count(), 'the focus stays').to.equal(1)
        const { text } = await service.request('GET', `/audit/timeline?${query}&format=${format}`, {
          token: admin.token,
        })
        expect(await readFile(await saved.path(), 'utf8')).to.equal(text)
      }
    })

    describe('live', () => {
      const query = () => `/decisions?q=effect:deny+user:${editor.id}+action:link:transfer`
      const transfer = () => refuse('POST', `/links/${code}/transfer`)
      beforeEach(async () => {
        await go(page, query(), 'Decisions')
        await page.getByText('Live', { exact: true }).waitFor()
      })

      it('show a new refusal without being asked', async () => {
        await page.getByText('Nothing matches').waitFor()
        const id = await transfer()
        await soon(async () => (await lines().count()) === 1)
        await lines().first().getByRole('button').click()
        await page.locator('.line-details').getByText(id).waitFor()
      })

      it('wait where somebody is in the list, and come when they ask', async () => {
        await lines().first().getByRole('button').focus()
        await transfer()
        await page.getByRole('button', { name: 'Show 1 new line' }).waitFor()
        await page.getByText('Live, 1 new').waitFor()
        expect(await lines().count()).to.equal(1)
        await page.getByRole('button', { name: 'Show 1 new line' }).press('Enter')
        await soon(async () => (await lines().count()) === 2)
        await page.locator('h1:focus').waitFor()
      })

      it('leave the line that is open where it is, though more like it arrive', async () => {
        const ask = () => refuse('GET', '/policy')
        await ask()
        await only(`user:${editor.id} action:policy:read`, 1)
        await lines().first().locator('td').nth(1).click()
        await page.locator('.line-details').waitFor()
        for (const _ of ['second', 'third', 'fourth']) await ask()
        await lines().nth(3).waitFor()
        await page.locator('.line-details').waitFor()
      })

      it('are paused by Space, count what is new, and go on', async () => {
        await soon(async () => (await lines().count()) === 2)
        await page.getByRole('button', { name: 'Pause' }).focus()
        await page.keyboard.press('Space')
        await page.getByText('Paused', { exact: true }).waitFor()
        await transfer()
        await page.getByText('Paused, 1 new').waitFor()
        expect(await lines().count()).to.equal(2)
        await requireClean(page, 'paused')
        await page.getByRole('button', { name: 'Go on' }).click()
        await soon(
          async () => (await lines().locator('.time-cell').count()) + (await page.locator('.fold').count()) === 2,
        )
      })

      it('reload a list that has grown long, at its top, and older ones go on from there without a gap', async () => {
        await fillLog(service.db, 1_000, { chains: 1 })
        await go(page, '/decisions?q=action:link:update+rule:R5', 'Decisions')
        const first = () => lines().first().getAttribute('data-id')
        const refuseUntilShown = async () => {
          const before = await first()
          await refuse('PATCH', `/links/${code}`)
          await soon(async () => (await first()) !== before)
        }
        await lines().first().waitFor()
        // no line that was written before waits any more
        await refuseUntilShown()
        for (let shownLines = 50; shownLines <= 1_000; shownLines += 50)
          await soon(async () => {
            await page.evaluate('scrollTo(0, document.body.scrollHeight)')
            return (await lines().count()) >= shownLines
          })
        await page.evaluate('scrollTo(0, 0)')
        await soon(async () => (await lines().count()) === 50)
        await refuseUntilShown()
        await soon(async () => {
          await page.evaluate('scrollTo(0, document.body.scrollHeight)')
          return (await lines().count()) >= 100
        })
        const { json } = await service.request('GET', '/audit/timeline?action=link:update&rule=R5&limit=100', {
          token: admin.token,
        })
        const ids = String(
          await page.evaluate(`[...document.querySelectorAll('.log tr:has(.time-cell)')]
          .slice(0, 100).map(({ dataset }) => dataset.id).join()`),
        )
        const newest = listAt(json, 'data').map((entry) => textAt(entry, 'id'))
        expect(ids).to.equal(newest.join())
      })

      it('say when they are lost, and come back by themselves', async () => {
        await page.route('**/audit/timeline*', (route) => route.abort())
        await page.getByText(/^Not live since \d+:\d\d.*, again in \d+ s$/).waitFor()
        await page.unroute('**/audit/timeline*')
        await page.getByText('Live', { exact: true }).waitFor()
      })

      it('end at a final refusal, say so, and go on when asked', async () => {
        const body = JSON.stringify({ title: 'Forbidden', status: 403, code: 'role_not_allowed' })
        await page.route('**/audit/timeline*', (route) =>
          route.fulfill({ status: 403, contentType: 'application/problem+json', body }),
        )
        await page.getByText(/^Not live since [^,]+$/).waitFor()
        await page.unroute('**/audit/timeline*')
        await page.getByRole('button', { name: 'Go on' }).click({ timeout: 5_000 })
        await page.getByText('Live', { exact: true }).waitFor()
        const newest = () => page.evaluate(`document.querySelector('.log tr[data-id]')?.dataset.id`)
        const before = await newest()
        await transfer()
        await soon(async () => (await newest()) !== before)
      })

      it('are marked where the system chooses the colours: a new one, and the one that is open', async () => {
        await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
        const first = lines().first()
        /** without the borders between lines, and what the pointer changes */
        const edge = async () => {
          await page.mouse.move(0, 0)
          const { x, y, height } = (await first.boundingBox()) ?? expect.fail('no line')
          return (await page.screenshot({ clip: { x, y: y + 4, width: 6, height: height - 8 } })).toString('base64')
        }
        const [plain, before] = [await edge(), await first.getAttribute('data-id')]
        await transfer()
        await soon(async () => (await first.getAttribute('data-id')) !== before)
        const fresh = await edge()
        expect(fresh, 'a new one').not.to.equal(plain)
        await first.click()
        await page.locator('.line-details').waitFor()
        expect(await edge(), 'an open one').not.to.be.oneOf([plain, fresh])
        await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' })
      })

      it('are off where the search has an end', async () => {
        await go(page, '/decisions?q=until:2026-01-01', 'Decisions')
        const pause = page.getByRole('button', { name: 'Pause' })
        expect(await pause.getAttribute('aria-disabled')).to.equal('true')
        await page.getByText('the search has an end').waitFor()
      })
    })
  })

  describe('proof', () => {
    before(async () => {
      await page.getByRole('link', { name: 'Proof', exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Proof' }).waitFor()
      await page.getByRole('heading', { name: 'What is proved' }).waitFor()
    })
    const verify = () => page.getByRole('button', { name: 'Verify the whole log' }).click()

    it('says what is proved and what is not, in the same size of type', async () => {
      const sizes = await page.evaluate(
        `[...new Set([...document.querySelectorAll('.proved p')].map((p) => getComputedStyle(p).fontSize))].join()`,
      )
      expect(sizes).to.equal('14px')
      await page.getByText(/^1 entry is signed|entries are signed/).waitFor()
      await page.getByText(/newer than the newest checkpoint/).waitFor()
      await page.getByText(/the signing key can rewrite everything/).waitFor()
    })

    it('shows chains, and checkpoints with their time, key and whether they are valid', async () => {
      const { json } = await service.request('GET', '/audit/proof', { token: admin.token })
      const key = textAt(json, 'key', 'thumbprint')
      const row = page.getByRole('row').filter({ hasText: key }).first()
      expect((await row.innerText()).replaceAll(/\s+/g, ' ')).to.contain('✓ valid')
      await page.getByRole('region', { name: 'Chains' }).getByRole('row').nth(1).waitFor()
      await requireClean(page, 'proof')
    })

    it('verifies the whole log while somebody watches, and says what it found', async () => {
      await verify()
      await page.getByText('The log is whole').waitFor()
      await page.getByText(/^\d{1,3}(,\d{3})* entries in \d+ chains? checked\. The newest valid checkpoint/).waitFor()
      await requireClean(page, 'a verdict')
    })

    it('shows how far a verification is, and stops it', async () => {
      await page.route('**/audit/verification', (route) =>
        route.fulfill({
          contentType: 'text/event-stream',
          body: 'event: progress\ndata: {"done":1200,"of":4800}\n\n',
        }),
      )
      await verify()
      await page.getByText('It broke off').waitFor()
      await page.getByText('There is no verdict, so nothing is known.').waitFor()
      await page.unroute('**/audit/verification')
      await page.route('**/audit/verification', () => undefined)
      await verify()
      await page.getByRole('progressbar').waitFor()
      await requireClean(page, 'a verification')
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('You stopped it').waitFor()
      await page.unroute('**/audit/verification')
    })

    it('gives the focus back to the button of an evidence file whose making is stopped', async () => {
      await page.route('**/audit/evidence*', () => undefined)
      await page.getByRole('button', { name: 'Make the file' }).press('Enter')
      await page.getByRole('button', { name: 'Stop' }).press('Enter')
      await soon(async () => (await page.evaluate('document.activeElement?.textContent')) === 'Make the file')
      await page.unroute('**/audit/evidence*')
    })

    it('says who is in the way where the log is verified already', async () => {
      const problem = { type: 'about:blank', title: 'Too many exports are in progress', status: 503 }
      await page.route('**/audit/verification', (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          headers: { 'Retry-After': '60' },
          body: JSON.stringify({ ...problem, code: 'exports_busy' }),
        }),
      )
      await verify()
      await page.getByText('The log is being verified already').waitFor()
      await page.unroute('**/audit/verification')
    })

    it('makes evidence of a period that the key it hands out proves elsewhere', async () => {
      const save = async (button: string) => {
        const saving = page.waitForEvent('download')
        await page.getByRole('button', { name: button }).click()
        return saving
      }
      const pem = await save('Public key')
      expect(pem.suggestedFilename()).to.equal('linkgate-public.pem')
      await page.getByLabel('From').fill('2026-01-01T00:00')
      await page.getByText('linkgate audit verify evidence-from-2026-01-01.ndjson --key linkgate-public.pem').waitFor()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy the command' }).click()
      await page.getByText('Copied').first().waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
        'linkgate audit verify evidence-from-2026-01-01.ndjson --key linkgate-public.pem',
      )
      const file = await save('Make the file')
      expect(file.suggestedFilename()).to.equal('evidence-from-2026-01-01.ndjson')
      const pinned = new Map([await publicKeyOf(await readFile(await pem.path(), 'utf8'))])
      const verdict = await verifyEvidence(createReadStream(await file.path()), {
        pinned,
        onFault: (fault) => expect.fail(JSON.stringify(fault)),
      })
      expect(verdict).to.include({ pinned: true, faults: 0 })
      expect(verdict.in_period).to.be.greaterThan(130)
    })

    it('says beside the field what is wrong with a period, and keeps it', async () => {
      await page.getByLabel('To', { exact: true }).fill('2025-01-01T00:00')
      await page.getByRole('button', { name: 'Make the file' }).click()
      await page.getByText('The end is not after the beginning.').waitFor()
      expect(await page.getByLabel('From').inputValue()).to.equal('2026-01-01T00:00')
    })
  })

  describe('in German', () => {
    before(() => page.evaluate(`localStorage.setItem('language', 'de')`))
    after(() => page.evaluate(`localStorage.removeItem('language')`))

    it('are all there', async () => {
      await go(page, '/decisions?q=effect:deny+usr:x', 'Entscheidungen')
      await page.getByText('Ein Teil der Suche ist nicht zu verstehen').first().waitFor()
      await requireClean(page, 'a search in German')
      await go(page, '/decisions?q=effect:deny', 'Entscheidungen')
      await page.locator('.time-cell button').first().click()
      await page.locator('.line-details .answer').waitFor()
      await requireClean(page, 'decisions in German')
      await go(page, '/decisions?q=kind:policy', 'Entscheidungen')
      const band = page.locator('.log tr.band').filter({ hasText: 'Fassung 2 trat in Kraft' })
      expect(await band.innerText()).to.contain(`„${HOSTILE}“`)
      await go(page, '/proof', 'Nachweis')
      await page.getByRole('heading', { name: 'Was bewiesen ist' }).waitFor()
      await requireClean(page, 'proof in German')
    })
  })

  describe('for who may read the log alone', () => {
    it('name people by their numbers, and say why what changed cannot be opened', async () => {
      await refuse()
      const reader = await addAccount(service, 'log-reader')
      const { page: its, asked } = await openSignedIn(service, reader)
      await its.getByRole('link', { name: 'Decisions', exact: true }).click()
      await its.goto(`${service.baseUrl}/console/decisions?q=effect:deny+user:${editor.id}`)
      await its.getByText(`user ${editor.id}`).first().waitFor()
      await its.goto(`${service.baseUrl}/console/decisions?q=kind:policy`)
      await its.getByText('What changed: your role may not').first().waitFor()
      await its.getByRole('link', { name: 'Proof', exact: true }).first().click()
      await its.getByRole('heading', { name: 'What is proved' }).waitFor()
      expect(asked).to.not.include(`GET /users/${editor.id}`)
    })

    it('ask for no name in the explanation of a request, also where the rights come later', async () => {
      const reader = await addAccount(service, 'log-reader')
      const request = await refuse()
      const { page: its, asked } = await openSignedIn(service, reader)
      let release: () => void = () => undefined
      const released = new Promise<void>((resolve) => (release = resolve))
      await its.route('**/users/me/rights', async (route) => {
        await released
        await route.continue()
      })
      await its.goto(`${service.baseUrl}/console/explain?request=${request}`)
      await its.getByText(`user ${editor.id}`).first().waitFor()
      release()
      await its.getByRole('link', { name: 'Decisions', exact: true }).waitFor()
      expect(asked).to.not.include(`GET /users/${editor.id}`)
    })
  })

  describe('for who may not read the log', () => {
    it('are not in the navigation, and say so to who comes by address', async () => {
      await givePassword(service, editor)
      const { page: its } = await openSignedIn(service, editor)
      expect(await its.getByRole('link', { name: 'Decisions', exact: true }).count()).to.equal(0)
      await go(its, '/decisions', 'Decisions')
      await its.getByText('Your role may not do that.').waitFor()
      const off = async (name: string) => {
        const button = its.getByRole('button', { name, exact: true })
        await until('it is off', async () => (await button.getAttribute('aria-disabled')) === 'true')
        const reason = await button.getAttribute('aria-describedby')
        expect(await its.locator(`[id="${reason}"]`).textContent()).to.equal('your role may not')
      }
      for (const name of ['Pause', 'Export']) await off(name)
      await go(its, '/proof', 'Proof')
      await its.getByText('Your role may not do that.').waitFor()
      for (const name of ['Verify the whole log', 'Make the file', 'Public key']) await off(name)
    })
  })

  describe('of a log that somebody has changed', () => {
    it('name each entry that somebody with the database has altered', async () => {
      await go(page, '/proof', 'Proof')
      const owner = new Client(service.db.owner)
      await owner.connect()
      try {
        const { rows } = await owner.query(
          `update decisions set effect = 'allow'
            where id = (select min(id) from decisions where effect = 'deny') returning id`,
        )
        await page.getByRole('button', { name: 'Verify the whole log' }).click()
        await page.getByText('The log is not whole: 1 fault').waitFor()
        await page
          .getByText(new RegExp(`^Entry \\d+ of chain \\d+ was altered \\(record ${rows[0].id}\\)\\.$`))
          .waitFor()
        await requireClean(page, 'a log that is not whole')
      } finally {
        await owner.end()
      }
    })
  })
})
