import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { z } from 'zod'

import { PACKAGE_ROOT } from '../../src/config.js'
import { parseExposition } from '../support/exposition.js'
import { startTestService } from '../support/service.js'
import { until } from '../support/until.js'

const Target = z.object({ expr: z.string(), legendFormat: z.string() })
const Dashboard = z.object({
  schemaVersion: z.number().min(36),
  panels: z.array(
    z.object({
      id: z.number(),
      type: z.string(),
      title: z.string(),
      targets: z.array(Target).optional(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
    }),
  ),
  templating: z.object({
    list: z.array(
      z.object({ name: z.string(), type: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) }),
    ),
  }),
})

/** A metric's name or that of a histogram's part, with the labels that an expression expects of it. */
interface Use {
  readonly name: string
  readonly labels: ReadonlySet<string>
}

/** Labels that Prometheus adds to whatever it collects. */
const OF_THE_SCRAPE = ['job', 'instance']
const WORDS = new Set([
  'sum',
  'max',
  'min',
  'by',
  'rate',
  'increase',
  'histogram_quantile',
  'and',
  'or',
  'label_values',
])
const NAME = /[a-zA-Z_][\w]*/g

/** The metrics of a PromQL expression. Throws for a word that is no metric, function or label that this knows of. */
const usesOf = (expr: string): readonly Use[] => {
  const grouped = new Set([...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.match(NAME) ?? []))
  const bare = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\bby \([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
  const uses = [...bare.matchAll(/([a-zA-Z_]\w*)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', matchers = '']): readonly Use[] => {
      if (WORDS.has(name)) return []
      if (!/^(?:linkgate|nodejs|process)_/.test(name))
        throw new Error(`${name} is neither a metric nor a word of PromQL: ${expr}`)
      return [{ name, labels: new Set([...(matchers.match(NAME) ?? []), ...grouped]) }]
    },
  )
  if (uses.length === 0) throw new Error(`no metric in ${expr}`)
  return uses
}

describe('the dashboard, the alerts and the page about metrics', () => {
  /** what a running service exposes: series by their names, with the names of their labels */
  const exposed = new Map<string, ReadonlySet<string>>()
  const types = new Map<string, string>()
  let dashboard: z.infer<typeof Dashboard>
  let alerts: string
  let page: string
  const expressions = () => dashboard.panels.flatMap(({ targets = [] }) => targets)
  const alertExpressions = () => [...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr)

  before(async () => {
    const [json, yaml, markdown] = await Promise.all(
      ['deploy/grafana/linkgate.json', 'deploy/prometheus/alerts.yml', 'docs/metrics.md'].map((path) =>
        readFile(new URL(path, PACKAGE_ROOT), 'utf8'),
      ),
    )
    dashboard = Dashboard.parse(JSON.parse(json ?? ''))
    alerts = yaml ?? ''
    page = markdown ?? ''
    const service = await startTestService({ environment: { RATE_LIMIT_ANONYMOUS: '1/60' } })
    try {
      // every labelled metric shows its labels once it has counted something
      await service.request('GET', '/absent')
      await service.request('GET', '/absent')
      const { token } = await service.addUser('viewer')
      await service.request('POST', '/links', { token, json: { target: 'https://example.com/' } })
      const parsed = await until('background work has run', async () => {
        const exposition = parseExposition((await service.request('GET', '/metrics', { token })).text)
        return exposition.series.some(({ name }) => name.startsWith('linkgate_job_')) && exposition
      })
      for (const { name, labels } of parsed.series)
        exposed.set(name, new Set([...(exposed.get(name) ?? []), ...Object.keys(labels)]))
      for (const [name, type] of parsed.types) types.set(name, type)
    } finally {
      await service.stop()
    }
  })

  /** Names, by what Prometheus would find no data for. */
  const faultsOf = (expr: string): readonly string[] =>
    usesOf(expr).flatMap(({ name, labels }) => {
      const known = exposed.get(name)
      if (known === undefined) return [`${name} is not exposed: ${expr}`]
      return [...labels]
        .filter((label) => !known.has(label) && !OF_THE_SCRAPE.includes(label))
        .map((label) => `${name} has no label ${label}: ${expr}`)
    })

  it('the dashboard asks for metrics and labels that a running service exposes, and for nothing else', () => {
    expect(expressions().length).to.be.greaterThan(30)
    expect(expressions().flatMap(({ expr }) => faultsOf(expr))).to.deep.equal([])
    const variables = dashboard.templating.list.flatMap(({ query }) =>
      typeof query === 'string' ? [] : [query.query.replace(/label_values\((.*), (\w+)\)/, '$1')],
    )
    expect(variables.flatMap(faultsOf)).to.deep.equal([])
  })

  it('a legend of the dashboard names labels that its expression keeps', () => {
    for (const { expr, legendFormat } of expressions()) {
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? OF_THE_SCRAPE
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(kept, `${legendFormat}: ${expr}`).to.include(label)
    }
  })

  it('a quantile of the dashboard is one of a histogram’s buckets', () => {
    for (const { expr } of expressions()) {
      if (expr.includes('histogram_quantile'))
        for (const { name } of usesOf(expr)) expect(types.get(name.replace(/_bucket$/, '')), expr).to.equal('histogram')
      for (const [, name = ''] of expr.matchAll(/(?:rate|increase)\((\w+)/g))
        expect(name, expr).to.match(/_(?:total|count|bucket|sum)$/)
    }
  })

  it('no panel of the dashboard stands on another, and each has an id of its own', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).to.equal(cells.length)
  })

  it('an alert asks for metrics and labels that a running service exposes', () => {
    expect(alertExpressions().length).to.be.greaterThan(6)
    expect(alertExpressions().length).to.equal([...alerts.matchAll(/- alert: /g)].length)
    expect(alertExpressions().flatMap(faultsOf)).to.deep.equal([])
  })

  /** The table of the page: a metric, its type, its labels, the alerts. */
  const table = () =>
    [...page.matchAll(/^\| `(linkgate_\w+)` \| (\w+) \|([^|\n]*)\|[^|\n]*\|([^|\n]*)\|/gm)].map(
      ([, name = '', type = '', labels = '', alerts = '']) => ({
        name,
        type,
        labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
        alerts: [...alerts.matchAll(/`(\w+)`/g)].map(([, alert = '']) => alert),
      }),
    )

  it('the page lists exactly the metrics that there are, with their types and labels', () => {
    const own = [...types]
      .filter(([name]) => name.startsWith('linkgate_'))
      .map(([name, type]) => {
        const labels = exposed.get(type === 'histogram' ? `${name}_count` : name) ?? new Set()
        return `${name} ${type} ${[...labels].toSorted().join()}`
      })
    expect(
      table()
        .map(({ name, type, labels }) => `${name} ${type} ${labels.toSorted().join()}`)
        .toSorted(),
    ).to.deep.equal(own.toSorted())
  })

  it('the page names each alert beside the metrics that it asks for', () => {
    const asked = [...alerts.matchAll(/- alert: (\w+)\n +expr: (.+)/g)].flatMap(([, alert = '', expr = '']) =>
      usesOf(expr).map(({ name }) => `${alert} ${name.replace(/_(?:bucket|count|sum)$/, '')}`),
    )
    expect(
      table()
        .flatMap(({ name, alerts }) => alerts.map((alert) => `${alert} ${name}`))
        .toSorted(),
    ).to.deep.equal([...new Set(asked)].toSorted())
  })

  it('every metric of the service is on the dashboard', () => {
    const shown = new Set(
      expressions()
        .flatMap(({ expr }) => usesOf(expr))
        .map(({ name }) => name.replace(/_(?:bucket|count|sum)$/, '')),
    )
    expect(
      table()
        .map(({ name }) => name)
        .filter((name) => !shown.has(name)),
    ).to.deep.equal([])
  })
})
