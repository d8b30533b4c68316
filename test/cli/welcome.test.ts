import { readFile } from 'node:fs/promises'

import { expect } from 'chai'

import { goodbye, welcome, type Start } from '../../src/cli/welcome.js'
import { PACKAGE_ROOT, readConfig } from '../../src/config.js'

const BASE_URL = 'http://127.0.0.1:3000'
const TOKEN = 'x'.repeat(22)

const saidTo = (
  reader: 'person' | 'pipe',
  { admin = null, baseUrl = BASE_URL }: Partial<Pick<Start, 'admin' | 'baseUrl'>> = {},
  environment: Readonly<Record<string, string>> = {},
): string => welcome({ baseUrl, admin, config: readConfig(environment, reader === 'person') })

const ISSUER = { JWT_ISSUER: 'https://issuer.example.com', JWT_AUDIENCE: 'links' }

describe('what a start says to a person', () => {
  it('fits into 80 columns, names the console first, and holds no line for curl', () => {
    for (const admin of [{ by: 'link', token: TOKEN } as const, null]) {
      const lines = saidTo('person', { admin }).split('\n')
      for (const line of lines) expect(line.length, line).to.be.at.most(79)
      expect(lines.find((line) => line.includes('http'))?.trim()).to.equal(`Console     ${BASE_URL}/console`)
      expect(lines.join('\n')).to.not.match(/curl|Bearer|token --user/)
    }
  })

  it('has an address to sign in at where the first admin was made just now, its secret behind the #', () => {
    expect(saidTo('person', { admin: { by: 'link', token: TOKEN } }))
      .to.include(`  ${BASE_URL}/console/welcome#${TOKEN}\n`)
      .and.include('npx linkgate user reset-link admin@localhost\n')
    expect(saidTo('person')).to.not.include('welcome')
  })

  it('is what the README shows', async () => {
    const readme = await readFile(new URL('README.md', PACKAGE_ROOT), 'utf8')
    const [, shown = 'nothing'] = /^```\n( {2}Console [^]*?\n)```$/m.exec(readme) ?? []
    expect(saidTo('person', { admin: { by: 'link', token: '…' } })).to.include(shown)
  })

  it('tells those who are locked out a command that finds this installation', () => {
    expect(saidTo('person')).to.include('  npx linkgate user reset-link ADDRESS\n')
    expect(saidTo('person', { baseUrl: 'https://go.example.com' }, { DATA_DIR: "./Ada's data" })).to.include(
      String.raw`  BASE_URL=https://go.example.com DATA_DIR='Ada'\''s data' npx linkgate user reset-link ADDRESS`,
    )
  })

  it('sends the first admin to the issuer where passwords are the issuer’s', () => {
    expect(saidTo('person', { admin: { by: 'issuer' } }, ISSUER))
      .to.include('npx linkgate user link admin@localhost --subject SUB')
      .and.not.match(/reset-link|welcome/)
  })

  it('says at its end where the links are kept', () => {
    expect(goodbye(readConfig({}, true))).to.equal('\n  Stopping. Your links are kept in data.')
    const elsewhere = readConfig({ DATABASE_URL: 'postgres://db.example/links' }, true)
    expect(goodbye(elsewhere)).to.equal('\n  Stopping. Your links are kept in the database.')
  })
})

describe('what a start says to a pipe', () => {
  it('has the address, the file with the password and the commands for scripts', () => {
    expect(saidTo('pipe', { admin: { by: 'file', file: 'data/first-admin-password' } }))
      .to.include(`  Linkgate listens on ${BASE_URL}\n`)
      .and.include(`${BASE_URL}/console\n`)
      .and.include('password in data/first-admin-password ')
      .and.include(`curl ${BASE_URL}/auth/token`)
      .and.include('npx linkgate token --user admin@localhost\n')
  })

  it('prints no command for a token where tokens are an issuer’s', () => {
    expect(saidTo('pipe', { admin: { by: 'issuer' } }, ISSUER)).to.not.include('token --user')
  })

  it('names no address for a token once there are accounts: the first admin may have changed theirs', () => {
    expect(saidTo('pipe')).to.include('npx linkgate token --user ADDRESS\n')
  })
})
