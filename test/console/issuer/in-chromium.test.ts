import { expect } from 'chai'

import { openChromium } from '../../support/chromium.js'
import { describeConsole } from '../../support/console.js'
import { CONSOLE_CLIENT, openIdIssuer, type OpenIdIssuer } from '../../support/openid-issuer.js'
import { startTestService } from '../../support/service.js'

describeConsole('the console of an issuer’s users', () => {
  let issuer: OpenIdIssuer
  before(async () => {
    issuer = await openIdIssuer()
  })
  after(async () => {
    await issuer.stop()
  })
  const start = (environment: Readonly<Record<string, string>>) =>
    startTestService({
      environment: {
        BASE_URL: 'https://go.example.com',
        JWT_ISSUER: issuer.url,
        JWT_AUDIENCE: issuer.audience,
        JWT_UNKNOWN_SUBJECTS: 'viewer',
        ...environment,
      },
    })

  it('sends them there and takes what they bring back, by authorization code with PKCE', async () => {
    const service = await start({ CONSOLE_CLIENT_ID: CONSOLE_CLIENT.id })
    const context = await openChromium()
    context.setDefaultTimeout(15_000)
    try {
      const here = `http://127.0.0.1:${service.port}`
      const page = await context.newPage()
      let sentTo: URL | undefined
      await page.route(`${issuer.url}/**`, (route) => {
        sentTo = new URL(route.request().url())
        return route.fulfill({ body: 'the issuer asks for a password' })
      })
      await page.goto(`${here}/console/trash#kept`)
      await page.getByRole('button', { name: 'Continue at' }).click()
      await page.getByText('the issuer asks for a password').waitFor()

      // a refusal is shown where the user was before
      const refused = new URLSearchParams({
        error: 'access_denied',
        error_description: 'Not <b>you</b>',
        state: sentTo?.searchParams.get('state') ?? '',
      })
      await page.goto(`${here}/console/signed-in?${refused}`)
      await page.getByText('did not sign you in: it was refused or cancelled there.').waitFor()
      await page.getByText('Not <b>you</b>').waitFor()
      expect(page.url()).to.equal(`${here}/console/trash#kept`)
      // unless this tab has not asked for it
      await page.goto(`${here}/console/signed-in?${refused}`)
      await page.getByRole('button', { name: 'Continue at' }).waitFor()
      expect(await page.getByText('did not sign you in').count()).to.equal(0)
      await page.goto(`${here}/console/trash`)
      await page.getByRole('button', { name: 'Continue at' }).click()
      await page.getByText('the issuer asks for a password').waitFor()
      const asked = sentTo?.searchParams
      expect(asked?.get('code_challenge_method')).to.equal('S256')
      const state = asked?.get('state') ?? ''
      const code = await issuer.signInCode({ challenge: asked?.get('code_challenge') ?? '' })

      // somebody else's answer, or one that was never asked for, signs nobody in
      await page.goto(`${here}/console/signed-in?code=${code}&state=another`)
      await page.getByRole('button', { name: 'Continue at' }).click()
      await page.getByText('the issuer asks for a password').waitFor()
      const again = sentTo?.searchParams
      expect(again?.get('state')).to.not.equal(state)
      const fresh = await issuer.signInCode({ challenge: again?.get('code_challenge') ?? '' })
      await page.goto(`${here}/console/signed-in?code=${fresh}&state=${again?.get('state')}`)
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      expect(new URL(page.url()).search).to.equal('')
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    } finally {
      await context.close()
      await service.stop()
    }
  })

  it('says so where the browser keeps nothing for any page, and sends nobody there in vain', async () => {
    const service = await start({ CONSOLE_CLIENT_ID: CONSOLE_CLIENT.id })
    const context = await openChromium()
    context.setDefaultTimeout(15_000)
    try {
      await context.addInitScript(`Object.defineProperty(window, 'sessionStorage', {
        get: () => { throw new DOMException('denied', 'SecurityError') }
      })`)
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${service.port}/console`)
      await page.getByRole('button', { name: 'Continue at' }).click()
      await page.getByRole('alert').getByText('This browser stores no data for this site').waitFor()
    } finally {
      await context.close()
      await service.stop()
    }
  })

  it('says so where the service does not accept a sign-in: a token of another kind, or a stranger’s', async () => {
    const service = await start({ CONSOLE_CLIENT_ID: CONSOLE_CLIENT.id })
    const context = await openChromium()
    context.setDefaultTimeout(15_000)
    try {
      const page = await context.newPage()
      for (const access_token of ['opaque', issuer.forge('RS256', { sub: 'stranger' })]) {
        await page.route('**/auth/session/refresh', (route) =>
          route.fulfill({ json: { access_token, expires_in: 60 } }),
        )
        await page.goto(`http://127.0.0.1:${service.port}/console/trash`)
        await page.getByText('This service does not accept your sign-in').first().waitFor()
      }
    } finally {
      await context.close()
      await service.stop()
    }
  })

  it('says so where the operator has not set it up', async () => {
    const service = await start({})
    const context = await openChromium()
    try {
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${service.port}/console`)
      await page.getByText('CONSOLE_CLIENT_ID').waitFor()
    } finally {
      await context.close()
      await service.stop()
    }
  })
})
