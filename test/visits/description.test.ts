import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'
import * as fc from 'fast-check'

import { readConfig } from '../../src/config.js'
import { StartError } from '../../src/domain/start-error.js'
import { createAgents } from '../../src/visits/agent.js'
import { openCountries } from '../../src/visits/country.js'
import { referrerOf } from '../../src/visits/referrer.js'
import { mmdbFile } from '../support/mmdb.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { AGENTS } from '../support/visitors.js'

describe('what is told of a visitor', () => {
  const agentOf = createAgents()

  it('browser, system and device by name', () => {
    const person = (browser: string, os: string, device: string) => ({ kind: 'person', browser, os, device })
    expect(agentOf(AGENTS.chrome)).to.deep.equal(person('Chrome', 'Windows', 'desktop'))
    expect(agentOf(AGENTS.safari)).to.deep.equal(person('Safari', 'iOS', 'mobile'))
    expect(agentOf(AGENTS.firefox)).to.deep.equal(person('Firefox', 'Linux', 'desktop'))
    const tablet =
      'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
    expect(agentOf(tablet)).to.include({ browser: 'Chrome', os: 'Android', device: 'tablet' })
  })

  it('programs are bots, and messengers that look where a link leads are previews', () => {
    for (const text of [AGENTS.googlebot, 'curl/8.5.0', 'python-requests/2.32', 'Mozilla/5.0 HeadlessChrome/130.0'])
      expect(agentOf(text).kind, text).to.equal('bot')
    for (const text of [
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
      'Twitterbot/1.0',
      'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
      'WhatsApp/2.23.20.0 A',
      'TelegramBot (like TwitterBot)',
    ])
      expect(agentOf(text).kind, text).to.equal('preview')
    expect(agentOf(undefined)).to.deep.equal({ kind: 'person', browser: null, os: null, device: null })
  })

  it('never a text of their own, whatever they send', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (text) => {
        const { browser, os, device } = agentOf(`Mozilla/5.0 (${text}) ${text}/1.0 (${text})`)
        for (const name of [browser, os, device])
          expect(name === null || /^[A-Za-z][\w .()/+-]{0,40}$/.test(name), String(name)).to.equal(true)
      }),
      { numRuns: 200 },
    )
  })

  it('a referrer is a host of the web, or none, whatever they send', () => {
    expect(referrerOf('https://WWW.Example.com:444/path?q=1#f', 'lnk.example')).to.equal('example.com')
    expect(referrerOf('https://bücher.example/', 'lnk.example')).to.equal('xn--bcher-kva.example')
    expect(referrerOf('https://lnk.example/a+', 'lnk.example')).to.equal(null)
    expect(referrerOf('https://lnk.example./a+', 'lnk.example')).to.equal(null)
    expect(referrerOf('https://www.com/', 'lnk.example')).to.equal('www.com')
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (text) => {
        const host = referrerOf(text, 'lnk.example')
        expect(host === null || (host.length <= 253 && /^[^/?#@\s]+$/.test(host)), String(host)).to.equal(true)
      }),
    )
  })

  describe('a country', () => {
    it('comes from an mmdb file, for addresses that it knows', async () => {
      const file = join(await makeTemporaryFolder(), 'countries.mmdb')
      await writeFile(file, mmdbFile('203.0.113.0', 24, 'NZ'))
      const countries = await openCountries({ file, header: undefined })
      expect(countries.of('203.0.113.77', undefined)).to.equal('NZ')
      for (const address of ['203.0.112.1', '::1', '2001:db8::1', 'unknown'])
        expect(countries.of(address, 'FR'), address).to.equal(null)
    })

    it('a file that cannot be read is said at the start', async () => {
      const file = join(await makeTemporaryFolder(), 'countries.mmdb')
      for (const make of [async () => undefined, async () => writeFile(file, 'no such thing')]) {
        await make()
        const error = await openCountries({ file, header: undefined }).catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(StartError)
        expect(String(error)).to.include('GEOIP_DATABASE').and.include(file)
      }
    })

    it('a file of another kind, which names no country, is said at the start', async () => {
      const file = join(await makeTemporaryFolder(), 'other.mmdb')
      const opened = async (type: string) => {
        await writeFile(file, mmdbFile('203.0.113.0', 24, 'NZ', type))
        return openCountries({ file, header: undefined }).catch((thrown: unknown) => thrown)
      }
      for (const type of [
        'GeoLite2-ASN',
        'DBIP-ASN-Lite',
        'GeoIP2-ISP',
        'GeoIP2-Connection-Type',
        'GeoIP-Anonymous-Plus',
      ]) {
        const error = await opened(type)
        expect(error, type).to.be.instanceOf(StartError)
        expect(String(error)).to.include('GEOIP_DATABASE').and.include(file).and.include(type)
      }
      for (const type of ['GeoLite2-City', 'DBIP-Location-ISP', 'GeoIP2-Enterprise', 'our own'])
        expect(await opened(type), type).to.have.property('of')
    })

    it('comes from a header only behind a proxy that is trusted', () => {
      expect(() => readConfig({ COUNTRY_HEADER: 'CF-IPCountry' })).to.throw('TRUSTED_PROXY_HOPS')
      expect(readConfig({ COUNTRY_HEADER: 'CF-IPCountry', TRUSTED_PROXY_HOPS: '1' }).countryHeader).to.equal(
        'cf-ipcountry',
      )
      expect(() => readConfig({ COUNTRY_HEADER: 'a b', TRUSTED_PROXY_HOPS: '1' })).to.throw('COUNTRY_HEADER')
    })
  })
})
