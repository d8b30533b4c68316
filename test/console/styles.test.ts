import { readFile, readdir } from 'node:fs/promises'

import { expect } from 'chai'

const STYLES = new URL('../../src/console/styles/', import.meta.url)

describe('the style sheets of the console', () => {
  it('style a class in one of them: a second one of that name would look like both', async () => {
    const sheetOf = new Map<string, string>()
    const twice: string[] = []
    for (const sheet of (await readdir(STYLES)).filter((name) => name.endsWith('.css'))) {
      const text = await readFile(new URL(sheet, STYLES), 'utf8')
      for (const [, name = ''] of text.matchAll(/^\.([\w-]+)(?: \{|,)$/gm)) {
        if ((sheetOf.get(name) ?? sheet) !== sheet) twice.push(`.${name}: ${sheetOf.get(name)}, ${sheet}`)
        sheetOf.set(name, sheet)
      }
    }
    expect(sheetOf.size).to.be.greaterThan(50)
    expect(twice).to.deep.equal([])
  })
})
