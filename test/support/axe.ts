import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { at, listAt } from './json.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Each width once and each theme once: a fault of a theme is one of its colours, whatever the width. */
export const LOOKS = [
  { screen: { width: 1_280, height: 800 }, colorScheme: 'light' },
  // the narrowest that has to fit
  { screen: { width: 360, height: 780 }, colorScheme: 'dark' },
] as const

export interface AxeOptions {
  /** a function of a rule's result, in the page's JavaScript: whether what axe cannot tell is a fault; all of it is */
  readonly untold?: string
  /** whether colours are looked at, too */
  readonly colours?: boolean
}

/** What axe finds wrong with a page as it is shown, or cannot tell, in one line for each rule. */
export const axeFaults = async (
  page: Page,
  { untold = '() => true', colours = true }: AxeOptions = {},
): Promise<readonly string[]> => {
  // the policy of a page lets no script in; the browser's own door is not the page's
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${AXE}; undefined`)
  // axe describes every element that passes unless it is told not to, and that is most of its work
  const options = {
    runOnly: STANDARDS,
    rules: { 'color-contrast': { enabled: colours } },
    resultTypes: ['violations', 'incomplete'],
  }
  const result = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ passes, violations, incomplete }) => ({
      passes: passes.length,
      faults: [...violations, ...incomplete.filter(${untold})].map(({ id, nodes }) =>
        id + ': ' + nodes.slice(0, 5).map(({ html, failureSummary }) => html + ' (' + failureSummary + ')').join(' ')),
    }))`,
  )
  expect(at(result, 'passes')).to.be.greaterThan(8)
  return listAt(result, 'faults').map(String)
}
