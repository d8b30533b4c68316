import axe from 'axe-core'
import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { at, listAt } from './json.js'

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']
const CONTRAST = 'color-contrast'
const ASKED = {
  all: { runOnly: STANDARDS },
  'all but colours': { runOnly: STANDARDS, rules: { [CONTRAST]: { enabled: false } } },
  // another theme of a page that is looked at already
  colours: { runOnly: { type: 'rule', values: [CONTRAST] } },
}

export interface AxeOptions {
  /** a function of a rule's result, in the page's JavaScript: whether what axe cannot tell is a fault; all of it is */
  readonly untold?: string
  /** what is looked at; by default all */
  readonly rules?: keyof typeof ASKED
}

/** What axe finds wrong with a page as it is shown, or cannot tell, in one line for each rule. */
export const axeFaults = async (
  page: Page,
  { untold = '() => true', rules = 'all' }: AxeOptions = {},
): Promise<readonly string[]> => {
  // the policy of a page lets no script in; the browser's own door is not the page's
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe.source}; undefined`)
  // axe describes every element that passes unless it is told not to, and that is most of its work
  const options = { ...ASKED[rules], resultTypes: ['violations', 'incomplete'] }
  const result = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ passes, violations, incomplete }) => ({
      passes: passes.length,
      faults: [...violations, ...incomplete.filter(${untold})].map(({ id, nodes }) =>
        id + ': ' + nodes.slice(0, 5).map(({ html, failureSummary }) => html + ' (' + failureSummary + ')').join(' ')),
    }))`,
  )
  expect(at(result, 'passes')).to.be.greaterThan(rules === 'colours' ? 0 : 8)
  return listAt(result, 'faults').map(String)
}
