import { expect } from 'chai'

import { startVisitedService, type VisitedService } from '../support/visited-pages.js'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const NAME = 'Ada "Countess" <b>&amp;'

describe('an invitation opened in a browser', () => {
  let service: VisitedService

  before(async () => {
    service = await startVisitedService()
  })
  after(() => service.stop())

  const send = (path: string, fields: Readonly<Record<string, string>>, language = 'en') =>
    service.visit(path, language, { headers: FORM, body: new URLSearchParams(fields).toString() }, 'POST')
  const tokenIn = (path: string) => path.split('/')[2] ?? 'none'

  it('shows a form without script, and says nothing of the token', async () => {
    const path = await service.invite()
    for (const [language, title] of [
      ['en', 'You are invited'],
      ['de', 'Sie sind eingeladen'],
    ] as const) {
      const { status, text, headers } = await service.visit(path, language)
      expect(status).to.equal(200)
      expect(text).to.include(`<h1>${title}</h1>`).and.include('<form method="post">').and.not.include('<script')
      expect(text)
        .to.match(/name="name"/)
        .and.match(/name="password"/)
        .and.not.match(/class="fault"|aria-invalid="/)
      expect(text).to.not.include(tokenIn(path))
      expect(headers.get('Referrer-Policy')).to.equal('no-referrer')
      expect(headers.get('Cache-Control')).to.equal('no-store')
      expect(headers.get('Content-Security-Policy')).to.match(/form-action 'self';/)
    }
  })

  it('stays as it is, however often it is opened', async () => {
    const path = await service.invite()
    const stored = () => service.db.asOwner('select i::text from invitations i order by 1')
    const before = await stored()
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await service.visit(path, 'en', {}, method)).status).to.equal(200)
    const { json } = await service.request('GET', path)
    expect(json).to.have.all.keys('role', 'expires_at').and.include({ role: 'editor' })
    expect(await stored()).to.deep.equal(before)
    expect((await send(path, { name: 'Ada', password: 'a long password' })).status).to.equal(201)
  })

  it('is accepted by the form, once, and then over', async () => {
    const path = await service.invite('countess@example.com')
    const done = await send(path, { name: NAME, password: 'a long password' })
    expect(done.status, done.text).to.equal(201)
    expect(done.text).to.include('Your account is ready').and.include('<strong>countess@example.com</strong>')
    expect(done.text).to.include('<a class="main" href="/console/sign-in">Sign in</a>')
    expect(done.text).to.not.include('a long password').and.not.include(tokenIn(path))
    expect(await service.db.asOwner(`select name, role from users where email = 'countess@example.com'`)).to.deep.equal(
      [{ name: NAME, role: 'editor' }],
    )
    const signedIn = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: 'countess@example.com', password: 'a long password' },
    })
    expect(signedIn.status).to.equal(200)
    const again = await send(path, { name: 'Eve', password: 'another password' }, 'de')
    expect([again.status, again.text.includes('Diese Einladung gilt nicht mehr')]).to.deep.equal([410, true])
    expect(again.text, 'for whoever loads the answer again').to.include(
      '<a href="/console/sign-in">melden Sie sich an</a>',
    )
    const opened = await service.visit(path)
    expect([opened.status, opened.text.includes('This invitation is over')]).to.deep.equal([410, true])
    expect((await service.request('GET', path)).json).to.include({ status: 410, code: 'gone' })
  })

  it('shows the form again with what is wrong beside its field: the name stays, the password does not', async () => {
    const path = await service.invite()
    const short = await send(path, { name: NAME, password: 'secret7' }, 'de')
    expect(short.status).to.equal(422)
    expect(short.text).to.include('<p class="fault" id="password-fault">Das Passwort braucht 8 bis 256 Zeichen.</p>')
    const [name = '', password = ''] = short.text.match(/<input[^>]*>/g) ?? []
    expect(password).to.match(
      /aria-describedby="password-fault password-hint"\s+aria-invalid="true"\s+required autofocus/,
    )
    expect(name)
      .to.include('value="Ada &#34;Countess&#34; &#60;b&#62;&#38;amp;"')
      .and.not.match(/aria-invalid|autofocus/)
    expect(short.text).to.not.include('secret7')
    const unnamed = await send(path, { name: '  ', password: '' })
    expect(unnamed.status).to.equal(422)
    expect(unnamed.text).to.include('id="name-fault"').and.include('id="password-fault"')
    expect(unnamed.text.match(/autofocus/g)).to.have.length(1)
    const nothing = await service.visit(path, 'en', { headers: FORM, body: '' }, 'POST')
    expect([nothing.status, nothing.text.match(/class="fault"/g)?.length]).to.deep.equal([422, 2])
    expect((await send(path, { name: 'Ada', password: 'a long password' })).status).to.equal(201)
  })

  it('that is unknown is a page with 404, and one whose time is up with 410', async () => {
    for (const token of ['x', 'A'.repeat(43)]) {
      const { status, text } = await service.visit(`/invitations/${token}/accept`)
      expect([status, text.includes('This is not an invitation')], token).to.deep.equal([404, true])
      expect(text).to.not.include(token === 'x' ? '/x' : token)
    }
    const path = await service.invite('late@example.com')
    await service.db.asOwner(`update invitations set expires_at = now() where email = 'late@example.com'`)
    expect((await service.visit(path)).status).to.equal(410)
    expect((await send(path, { name: 'Ada', password: 'a long password' })).status).to.equal(410)
  })

  it('is accepted by a program with the same form, and answered as a program', async () => {
    const path = await service.invite('program@example.com')
    const faulty = await service.request('POST', path, { headers: FORM, body: 'name=Ada&password=short' })
    expect(faulty.json).to.include({ status: 422, code: 'validation_failed' })
    const { status, json } = await service.request('POST', path, {
      headers: FORM,
      body: 'name=Ada&password=a+long+password',
    })
    expect(status).to.equal(201)
    expect(json).to.include({ email: 'program@example.com', name: 'Ada' })
  })

  it('with a field twice, or one that nobody asked for, makes no account', async () => {
    const path = await service.invite('twice@example.com')
    for (const body of ['name=a&name=b&password=a+long+password', 'name=a&password=a+long+password&role=admin']) {
      const { status } = await service.visit(path, 'en', { headers: FORM, body }, 'POST')
      expect(status, body).to.be.oneOf([400, 422])
    }
    expect(await service.db.asOwner(`select from users where email = 'twice@example.com'`)).to.have.length(0)
  })
})
