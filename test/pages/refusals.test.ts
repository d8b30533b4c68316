import { expect } from 'chai'

import type { RefusalCode } from '../../src/domain/refusal.js'
import { addAccountToken } from '../support/records.js'
import { startTestService, type TestResponse } from '../support/service.js'
import { BROWSER, FOR_PROGRAMS, startVisitedService, type VisitedService } from '../support/visited-pages.js'

/** Apart from where a form may lead. */
const POLICY = ["default-src 'none'", 'style-src HASH', "img-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]
const FORM_ACTION = { none: "form-action 'none'", password: "form-action 'self' http: https:" }

/** A refusal, its status, what is said in English and in German, and the headers that come with it. */
const REFUSED: readonly (readonly [RefusalCode, number, string, string, Readonly<Record<string, string>>?])[] = [
  ['not_found', 404, 'There is no link here', 'Hier ist kein Link'],
  ['link_expired', 410, 'This link has ended', 'Dieser Link ist abgelaufen'],
  ['password_required', 403, 'This link has a password', 'Dieser Link hat ein Passwort'],
  ['wrong_password', 403, 'That is not the password of this link', 'Das ist nicht das Passwort dieses Links'],
  ['policy_denied', 403, 'You may not open this', 'Das dürfen Sie nicht öffnen'],
  ['rate_limited', 429, 'Try again in 42 seconds.', 'Weiter geht es in 42 Sekunden.', { 'Retry-After': '42' }],
  ['rate_limited', 429, 'Try again in 1 second.', 'Weiter geht es in 1 Sekunde.', { 'Retry-After': '1' }],
  ['rate_limited', 429, 'Try again in 3 minutes.', 'Weiter geht es in 3 Minuten.', { 'Retry-After': '121' }],
  ['rate_limited', 429, 'Try again in 2 hours.', 'Weiter geht es in 2 Stunden.', { 'Retry-After': '6001' }],
  ['database_unavailable', 503, 'Try again in a moment.', 'in einem Augenblick wieder.', { 'Retry-After': '1' }],
  ['database_unavailable', 503, 'Try again in 30 seconds.', 'in 30 Sekunden wieder.', { 'Retry-After': '30' }],
  ['deadline_exceeded', 503, 'Try again in a moment.', 'in einem Augenblick wieder.'],
  ['internal_error', 500, 'Something went wrong on our side', 'Bei uns ging etwas schief'],
  ['invalid_request', 400, 'That could not be done', 'Das ging nicht'],
  ['token_required', 401, 'Only for signed-in users', 'Nur für Angemeldete', { 'WWW-Authenticate': 'Bearer' }],
]

describe('a person who follows a link and is refused', () => {
  let service: VisitedService

  before(async () => {
    service = await startVisitedService()
  })
  after(() => service.stop())
  afterEach(() => service.refuse(null))

  const typeOf = ({ headers }: TestResponse) => headers.get('Content-Type')

  /** What every page has, and what none may have. */
  const expectPage = (answer: TestResponse, language: string) => {
    const { headers, text } = answer
    expect(typeOf(answer), text.slice(0, 200)).to.equal('text/html; charset=utf-8')
    expect(headers.get('Content-Language')).to.equal(language)
    expect(text).to.match(new RegExp(`^<!doctype html>\\s*<html lang="${language}">`))
    expect(headers.get('Vary')).to.equal('Accept, Accept-Language')
    expect(headers.get('Cache-Control')).to.equal('no-store')
    expect(headers.get('Referrer-Policy')).to.equal('no-referrer')
    expect(text).to.include('<meta name="robots" content="noindex" />')
    expect(text).to.not.match(
      /<script|<iframe|<img|<object|\son[a-z]+=|\sstyle=|javascript:|https?:\/\/(?!www\.w3\.org)/i,
    )
    const policy = headers.get('Content-Security-Policy')?.replace(/'sha256-[A-Za-z0-9+/]{43}='/, 'HASH')
    expect(policy?.split('; ')).to.have.members([...POLICY, FORM_ACTION[text.includes('<form') ? 'password' : 'none']])
    expect(text).to.not.include(FOR_PROGRAMS).and.not.include('example.com').and.not.include('autumn')
    expect(text).to.include(headers.get('X-Request-ID'))
  }

  for (const [code, status, english, german, sent = {}] of REFUSED)
    it(`gets a page in their language with the same status and headers: ${code}, "${english}"`, async () => {
      service.refuse(code, sent)
      const program = await service.request('GET', '/launch')
      expect(program.json).to.include({ status, code, detail: FOR_PROGRAMS })
      expect(typeOf(program)).to.equal('application/problem+json')
      for (const [language, said] of [
        ['en', english],
        ['de', german],
      ] as const) {
        const page = await service.visit('/launch', language)
        expect(page.status).to.equal(status)
        expectPage(page, language)
        expect(page.text).to.include(said)
        for (const [name, value] of Object.entries(sent)) expect(page.headers.get(name)).to.equal(value)
      }
    })

  it('is told what they asked for, by the public address of the service', async () => {
    const { host } = new URL(service.baseUrl)
    expect((await service.visit('/absent')).text).to.include(`<strong>${host}/absent</strong>`)
    const forged = await service.visit('/absent', 'en', { headers: { 'X-Forwarded-Host': 'evil.example' } })
    expect(forged.text).to.not.include('evil.example')
    // words of somebody's choice are no address of ours
    for (const path of ['/call-0900-123.now', '/%3Cscript%3E', `/${'a'.repeat(65)}`, '/a/path/of/none']) {
      const { status, text } = await service.visit(path)
      expect([status, text.includes('There is nothing at this address')], path).to.deep.equal([404, true])
      expect(text).to.not.include('0900').and.not.include('script')
    }
  })

  it('is told to copy a link from a message whole where it comes with less, or with more', async () => {
    const token = await addAccountToken(service.db, (await service.addUser('viewer')).id)
    for (const path of [
      '/auth/password/reset',
      '/auth/password/reset?token=',
      `/auth/password/reset?token=${token}&from=mail`,
      '/auth/email/confirm',
    ])
      for (const [language, said] of [
        ['en', 'Copy the whole link from the message that you got.'],
        ['de', 'Kopieren Sie ihn ganz aus der Nachricht, die Sie bekamen.'],
      ] as const) {
        const page = await service.visit(path, language)
        expect(page.status, path).to.equal(400)
        expectPage(page, language)
        expect(page.text, path).to.include(said)
      }
  })

  it('is shown the id of their request as text, whatever it looks like', async () => {
    const { text } = await service.visit('/absent', 'en', { headers: { 'X-Request-ID': '<b>&"\'' } })
    expect(text).to.include('&#60;b&#62;&#38;&#34;&#39;').and.not.include('<b>')
  })

  it('gets the form for a password, sent to where it stands, with its fault tied to the field', async () => {
    service.refuse('password_required')
    const asked = await service.visit('/launch?from=mail')
    expect(asked.text)
      .to.match(/<form method="post">/)
      .and.not.match(/aria-invalid="|class="fault"/)
    const input = /<input[^>]*>/.exec(asked.text)?.[0].replace(/\s+/g, ' ')
    expect(input).to.equal(
      '<input id="password" name="password" type="password" autocomplete="off" required autofocus />',
    )
    expect(asked.text).to.match(/<label for="password">Password<\/label>/)
    service.refuse('wrong_password')
    const wrong = await service.visit('/launch')
    expect(wrong.text)
      .to.match(/<p class="fault" id="fault">/)
      .and.match(/aria-invalid="true" aria-describedby="fault"/)
  })

  it('gets that form again for a password that is too long, or none; a program gets the problem', async () => {
    await service.add({ code: 'guarded', target: 'https://example.com/', password: 'open sesame' })
    const long = `password=${'x'.repeat(1_001)}`
    const form = (body: string) => ({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body })
    for (const [body, language, said] of [
      [long, 'en', 'That is longer than any password of a link.'],
      [long, 'de', 'Das ist länger als jedes Passwort eines Links.'],
      ['', 'en', 'No password was sent.'],
      ['password=', 'en', 'No password was sent.'],
      ['a=b', 'de', 'Es wurde kein Passwort geschickt.'],
    ] as const) {
      const page = await service.visit('/guarded?from=mail', language, form(body), 'POST')
      expect(page.status).to.equal(422)
      expectPage(page, language)
      expect(page.text)
        .to.include(`<p class="fault" id="fault">${said}</p>`)
        .and.include('aria-invalid="true" aria-describedby="fault"')
        .and.include(`${new URL(service.baseUrl).host}/guarded</strong>`)
        .and.not.include('xxx')
      const program = await service.request('POST', '/guarded', form(body))
      expect(typeOf(program)).to.equal('application/problem+json')
      expect(program.json).to.include({ status: 422, code: 'validation_failed' })
    }
    const other = await service.visit('/guarded', 'en', form('password=open+sesame&a=b'), 'POST')
    expect(other.status).to.equal(422)
    expect(other.text)
      .to.include('<form method="post">')
      .and.not.match(/class="fault"|aria-invalid="/)
  })

  it('is not told by a form that a link is there which is not active', async () => {
    await service.add({ code: 'asleep', target: 'https://example.com/', password: 'open sesame', active: false })
    for (const body of ['password=open+sesame', `password=${'x'.repeat(1_001)}`, '']) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect((await service.request('POST', '/asleep', { headers, body })).status).to.equal(404)
    }
  })

  it('gets a page for whatever is refused before a link is looked for', async () => {
    const put = await service.visit('/launch', 'en', {}, 'PUT')
    expect([put.status, put.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD, POST, OPTIONS'])
    expect(put.text).to.include('This address cannot be used like that')
    const unsigned = await service.visit('/links')
    expect([unsigned.status, unsigned.headers.get('WWW-Authenticate')?.slice(0, 6)]).to.deep.equal([401, 'Bearer'])
    for (const page of [put, unsigned, await service.visit('/%ff')]) expectPage(page, 'en')
  })

  it('is told when to come back, over the limit', async () => {
    const limited = await startTestService({ environment: { RATE_LIMIT_ANONYMOUS: '1/60' } })
    try {
      await limited.request('GET', '/absent')
      const { status, headers, text } = await limited.request('GET', '/absent', { headers: { Accept: BROWSER } })
      const seconds = Number(headers.get('Retry-After'))
      expect([status, headers.get('RateLimit')]).to.deep.equal([429, `"anonymous";r=0;t=${seconds}`])
      expect(text).to.include(`Try again in ${seconds} seconds.`)
    } finally {
      await limited.stop()
    }
  })

  it('asks with HEAD, and gets the same headers alone', async () => {
    const [head, get] = [await service.visit('/absent', 'de', {}, 'HEAD'), await service.visit('/absent', 'de')]
    expect([head.status, head.text]).to.deep.equal([404, ''])
    for (const name of ['Content-Type', 'Content-Language', 'Vary', 'Content-Security-Policy', 'Content-Length'])
      expect(head.headers.get(name), name).to.equal(get.headers.get(name))
  })

  for (const [accept, type] of [
    [BROWSER, 'text/html'],
    ['text/html', 'text/html'],
    ['text/*', 'text/html'],
    ['text/html, application/json;q=0.9', 'text/html'],
    ['application/xhtml+xml, text/html;q=0.1', 'text/html'],
    ['*/*', 'application/problem+json'],
    ['', 'application/problem+json'],
    ['application/json', 'application/problem+json'],
    ['application/problem+json', 'application/problem+json'],
    ['application/problem+json, text/html;q=0.9', 'application/problem+json'],
    ['application/json, text/html', 'application/problem+json'],
    ['application/json, text/plain, */*', 'application/problem+json'],
    ['text/html;q=0.5, application/json', 'application/problem+json'],
    ['text/html;q=0.8, application/json;q=0.9, */*;q=0.1', 'application/problem+json'],
    ['text/html;q=0', 'application/problem+json'],
    ['text/html;q=0, */*', 'application/problem+json'],
    ['image/png', 'application/problem+json'],
    [';;,,q=,text', 'application/problem+json'],
  ] as const)
    it(`is who asks for "${accept}": ${type}`, async () => {
      const answer = await service.request('GET', '/absent', { headers: { Accept: accept } })
      expect([answer.status, typeOf(answer)?.split(';')[0]]).to.deep.equal([404, type])
      expect(answer.headers.get('Vary')).to.equal('Accept, Accept-Language')
    })

  for (const [asked, language] of [
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['DE-ch', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    // a variety of a language is that language, though another one is named as it is
    ['en-GB,de;q=0.9,en;q=0.8', 'en'],
    ['en-US,de', 'en'],
    ['de-AT,en', 'de'],
    ['fr, de;q=0.5, en;q=0.4', 'de'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['de;q=0', 'en'],
    // * is each language that is not named
    ['en;q=0, *', 'de'],
    ['*, EN;q=0.5', 'de'],
    ['de;q=0, *', 'en'],
    ['*;q=0.5, de', 'de'],
    ['fr, *;q=0.5', 'en'],
    ['en;q=0, de;q=0, *', 'en'],
    ['constructor, __proto__', 'en'],
    [';;;', 'en'],
  ] as const)
    it(`reads "${asked}": ${language}`, async () => expectPage(await service.visit('/absent', asked), language))

  it('varies by origin as well, where other origins may ask', async () => {
    const open = await startTestService({ environment: { CORS_ORIGINS: 'https://app.example' } })
    try {
      const { headers } = await open.request('GET', '/absent', { headers: { Accept: BROWSER } })
      expect(headers.get('Vary')).to.equal('Origin, Accept, Accept-Language')
    } finally {
      await open.stop()
    }
  })
})
