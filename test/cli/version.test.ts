import { readFile } from 'node:fs/promises'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { runCommand } from '../support/cli.js'
import { textAt } from '../support/json.js'

describe('linkgate --version', () => {
  it('is one line, the version of package.json, and nothing else', async () => {
    const version = textAt(JSON.parse(await readFile(new URL('package.json', PACKAGE_ROOT), 'utf8')), 'version')
    expect(await runCommand(['--version'], { environment: {} })).to.deep.equal({
      code: 0,
      out: `${version}\n`,
      err: '',
    })
  })
})

describe('linkgate help', () => {
  const help = (...args: readonly string[]) => runCommand(args, { environment: {} })

  it('is about the command that all the names lead to', async () => {
    for (const names of [['audit'], ['audit', 'verify'], ['policy', 'test'], ['user', 'add'], ['import']]) {
      const shown = await help('help', ...names)
      expect(shown, names.join(' ')).to.deep.include({ code: 0, err: '' })
      expect(shown.out).to.match(new RegExp(`^Usage: linkgate ${names.join(' ')} \\[`))
      expect(shown).to.deep.equal(await help(...names, '--help'))
    }
  })

  it('refuses a name that no command has', async () => {
    for (const args of [['nosuch'], ['nosuch', 'x'], ['audit', 'verfy'], ['audit', 'nosuch', 'x']]) {
      const refused = await help(...args)
      expect(refused, args.join(' ')).to.deep.include({ code: 2, out: '' })
      expect(refused.err).to.match(/^linkgate: unknown command '(?:nosuch'|verfy' \(Did you mean verify\?\))\n$/)
      expect(await help('help', ...args)).to.deep.equal(refused)
      expect(await help(...args, '--help')).to.deep.equal(refused)
    }
  })

  it('names the value that an argument cannot have, in plain words', async () => {
    const { err } = await help('user', 'email', 'ada@example.com', 'nowhere')
    expect(err).to.match(/^linkgate: value 'nowhere' is invalid for argument 'address'\. It must be one e-mail address/)
  })
})
