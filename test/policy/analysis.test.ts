import { expect } from 'chai'
import * as fc from 'fast-check'

import type { PolicyRow } from '../../src/domain/policy-row.js'
import { analyseRows, type Finding } from '../../src/policy/analysis.js'
import { csvRows, interpret, interpretEndpoint, policyRows, questionsAbout, rowsOf } from '../support/policy.js'

/** The same findings by trying everything: every question, and every question again with each row taken away. */
const byTrying = (rows: readonly PolicyRow[]) => {
  const questions = questionsAbout(rows)
  const ask = (some: readonly PolicyRow[]) =>
    questions.map(({ role, action, relation }) => ({
      ...interpret(some, role, action, relation),
      endpoint: interpretEndpoint(some, role, action),
    }))
  const answers = ask(rows)
  const priorities = (list: Iterable<number | undefined>) =>
    [...new Set(list)].filter((each) => each !== undefined).sort((a, b) => a - b)
  return rows.flatMap((row): object[] => {
    const without = ask(rows.filter((other) => other !== row))
    const same = answers.every(
      ({ effect, endpoint }, i) => without[i]?.effect === effect && without[i].endpoint === endpoint,
    )
    if (row.ptype !== 'p') return same ? [{ kind: 'redundant', row }] : []
    const matched = questions.map(
      ({ role, action, relation }) =>
        interpret([row, ...rows.filter(({ ptype }) => ptype === 'g')], role, action, relation).row !== null,
    )
    const decides = answers.map((answer) => answer.row === row)
    if (!decides.includes(true))
      return [
        {
          kind: 'unreachable',
          row,
          deciders: priorities(answers.flatMap((answer, i) => (matched[i] ? [answer.row?.priority] : []))),
        },
      ]
    const found: object[] = []
    if (same)
      found.push({
        kind: 'redundant',
        row,
        stays: priorities(without.flatMap((answer, i) => (decides[i] ? [answer.row?.priority] : []))),
      })
    const overriders = answers.flatMap((answer, i) =>
      matched[i] && answer.row !== row && answer.effect !== row.effect ? [answer.row?.priority] : [],
    )
    if (overriders.length > 0) found.push({ kind: 'overridden', row, by: priorities(overriders) })
    return found
  })
}

const plain = (findings: readonly Finding[]) =>
  findings.flatMap((finding): object[] => {
    if (finding.kind === 'unreachable') return [{ kind: 'unreachable', row: finding.row }]
    if (finding.kind === 'overridden') return [{ kind: 'overridden', row: finding.row, by: finding.by }]
    if (finding.kind !== 'redundant') return []
    return [
      finding.row.ptype === 'p'
        ? { kind: 'redundant', row: finding.row, stays: finding.stays }
        : { kind: 'redundant', row: finding.row },
    ]
  })

describe('the analysis of rows', () => {
  it('finds exactly what a brute-force search finds', async () => {
    await fc.assert(
      fc.asyncProperty(policyRows, async (rows) => {
        const findings = await analyseRows({ rows })
        const tried = byTrying(rows)
        expect(plain(findings)).to.deep.equal(
          tried.map((each) => Object.fromEntries(Object.entries(each).filter(([key]) => key !== 'deciders'))),
        )
        for (const finding of findings) {
          if (finding.kind !== 'unreachable') continue
          const all = tried.find((each) => 'row' in each && each.row === finding.row && 'deciders' in each)
          const deciders = all !== undefined && 'deciders' in all && Array.isArray(all.deciders) ? all.deciders : []
          expect(
            finding.by.every((priority) => deciders.includes(priority)),
            'who shadows decides something that the row matches',
          ).to.equal(true)
          expect(finding.by.length > 0, 'nobody shadows a row that matches nothing').to.equal(deciders.length > 0)
          // taken alone, the rows that shadow match everything that the row matches
          const alone = rows.filter(
            (row) => row.ptype === 'g' || (row.ptype === 'p' && finding.by.includes(row.priority)),
          )
          for (const { role, action, relation } of questionsAbout(rows)) {
            const matches =
              interpret([...rows.filter(({ ptype }) => ptype === 'g'), finding.row], role, action, relation).row !==
              null
            if (matches)
              expect(interpret(alone, role, action, relation).row?.priority).to.be.lessThan(finding.row.priority)
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('names the rows that shadow a row, replace it and override it', async () => {
    const rows = csvRows(
      [
        'p, 10, A, user, link:read, any, allow',
        'p, 20, B, editor, link:read, own, deny',
        'p, 30, C, anonymous, link:read, own, allow',
        'p, 40, D, editor, link:update, own, allow',
        'p, 50, E, editor, link:update, any, deny',
        'p, 60, F, editor, link:delete, any, deny',
        'p, 99, G, anyone, *, any, deny',
      ].join('\n'),
    )
    const told = (await analyseRows({ rows }))
      .filter(({ kind }) => kind !== 'unknown_action')
      .map((finding) => [
        finding.row.ptype === 'p' ? finding.row.priority : 0,
        finding.kind,
        'by' in finding ? finding.by : 'stays' in finding ? finding.stays : [],
      ])
    expect(told).to.deep.equal([
      [20, 'unreachable', [10]],
      [30, 'unreachable', []],
      [50, 'redundant', [99]],
      [50, 'overridden', [40]],
      [60, 'redundant', [99]],
      [99, 'redundant', []],
      [99, 'overridden', [10, 40]],
    ])
  })

  it('warns of roles that no user has or inherits, and of actions that no route has', async () => {
    const rows = csvRows(
      'p2, editor, link:read\np2, clerk, link:raed\np2, base, link:read\ng, editor, base\np2, user, *\n',
    )
    const warnings = (findings: readonly Finding[]) =>
      findings.flatMap((finding) =>
        finding.kind === 'unknown_role' || finding.kind === 'unknown_action' ? [`${finding.kind} ${finding.name}`] : [],
      )
    expect(warnings(await analyseRows({ rows }, { rolesInUse: ['editor'] }))).to.deep.equal([
      'unknown_role clerk',
      'unknown_action link:raed',
    ])
    expect(warnings(await analyseRows({ rows }))).to.deep.equal(['unknown_action link:raed'])
  })

  it('finds no row of the shipped policy that decides nothing', async () => {
    expect(
      (await analyseRows({ rows: await rowsOf('default.csv') })).filter(
        ({ kind }) => kind === 'unreachable' || kind === 'unknown_action',
      ),
    ).to.deep.equal([])
  })

  it('analyses a hundred thousand rows, and lets the event loop run meanwhile', async () => {
    const rows: readonly PolicyRow[] = Array.from({ length: 100_000 }, (_, i): PolicyRow => {
      if (i % 10 === 8) return { ptype: 'p2', role: `role${i % 997}`, action: `doc:act${i}` }
      if (i % 10 === 9) return { ptype: 'g', role: `role${i}`, inherits: `base${i % 7}` }
      return {
        ptype: 'p',
        priority: i + 1,
        rule: 'R',
        role: i % 50 === 0 ? 'user' : `role${i % 997}`,
        action: `doc:act${i % 613}`,
        reach: i % 2 === 0 ? 'any' : 'own',
        effect: i % 3 === 0 ? 'deny' : 'allow',
      }
    })
    let turns = 0
    const counter = setInterval(() => {
      turns += 1
    }, 1)
    await analyseRows({ rows })
    clearInterval(counter)
    expect(turns).to.be.greaterThan(5)
  })
})
