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
})
