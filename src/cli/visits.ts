import { Option, type Command } from 'commander'

import { enter } from '../database/statement.js'
import { StartError } from '../domain/start-error.js'
import { timeZone } from '../domain/time-zone.js'
import { VISIT_INTERVALS, visitRange, type VisitInterval } from '../domain/visit-range.js'
import { LINK_ROLES } from '../layers/4-data/link-rows.js'
import { COUNTED, VISIT_DIMENSIONS, type Counted, type ValueCount } from '../layers/4-data/visit-statistics.js'
import { visitsOfLink } from '../layers/4-data/visits.js'
import { findLink } from '../redirects/find-link.js'
import { MOMENT_RULE, Moment } from '../routes/schemas.js'
import { showVisits } from '../routes/visits.js'
import { checked, parsed } from './arguments.js'
import { columnsOf } from './columns.js'
import { counted, number } from '../domain/counted.js'
import { UsageError } from './errors.js'
import { print, printStyled } from './print.js'
import { withDatabase } from './session.js'
import { drawChart } from './visits/chart.js'

const moment = parsed((text) => Moment.safeParse(text).data, MOMENT_RULE)
const zone = checked((text) => timeZone(text) !== null, 'must be a time zone such as Europe/Berlin')

interface Options {
  readonly from?: string
  readonly to?: string
  readonly interval: VisitInterval
  readonly zone: string
  readonly bots: Counted
  readonly json?: true
}

const TOP = 5

/** Whoever runs the command line owns the installation: it may read every link, and no policy row restricts it. */
const EVERY_LINK = { reach: 'any', userId: null, enterRead: enter(LINK_ROLES.any, null) } as const

export const register = (program: Command): void => {
  program
    .command('visits')
    .description('show the visits of a link')
    .argument('<code>', 'code of the link')
    .option('--from <time>', 'a time, or a day (default: 30 days before --to)', moment)
    .option('--to <time>', 'the end of the period (default: now)', moment)
    .addOption(
      new Option('--interval <interval>', 'the length of one bar').choices([...VISIT_INTERVALS]).default('day'),
    )
    .option('--zone <zone>', 'the time zone of days, weeks and months', zone, 'UTC')
    .addOption(
      new Option('--bots <bots>', 'count people, people and bots (true), or bots only')
        .choices([...COUNTED])
        .default('false'),
    )
    .option('--json', 'print JSON, like GET /links/{code}/visits')
    .action((code: string, options: Options) =>
      withDatabase(async (database, { countsVisits }) => {
        const found = visitRange(options, Date.now())
        if ('fault' in found) {
          const { field, message } = found.fault
          throw new UsageError(`--${field} ${message.replace(/ to$/, ' --to')}`)
        }
        const link = await findLink(database)(code)
        if (link === null) throw new StartError(`there is no link ${code}`)
        const { range } = found
        const statistics = await visitsOfLink(database, EVERY_LINK, link, { range, bots: options.bots })
        const shown = showVisits(options, range, statistics, countsVisits)
        if (options.json) print(JSON.stringify(shown))
        else draw(code, options, shown)
      }),
    )
}

const draw = (code: string, { bots, interval }: Options, shown: ReturnType<typeof showVisits>): void => {
  const { total, visitors, before, series, by } = shown
  const of = { false: '', true: ', bots included', only: ', bots only' }[bots]
  printStyled([{ text: code }, { text: `${shown.from} to ${shown.to}${of}`, style: 'dim' }])
  print('')
  const { lines, perBar } = drawChart(
    series.map(({ visits }) => visits),
    columnsOf(process.stdout),
  )
  print(lines.join('\n'))
  printStyled([{ text: `each bar: ${counted(perBar, interval)} (${shown.zone})`, style: 'dim' }])
  print('')
  const bot = bots === 'false' ? [{ text: counted(shown.bots, 'bot') }] : []
  printStyled([{ text: counted(total, 'visit') }, { text: counted(visitors, 'daily visitor') }, ...bot])
  printStyled([
    { text: `before: ${counted(before.total, 'visit')}, ${counted(before.visitors, 'daily visitor')}`, style: 'dim' },
  ])
  if (!shown.counting) print('VISITS=off: visits are no longer counted; these are from before.')
  for (const dimension of VISIT_DIMENSIONS) {
    print('')
    printStyled([{ text: dimension, style: 'dim' }])
    for (const value of by[dimension].slice(0, TOP)) print(valueLine(value, total))
  }
}

const valueLine = ({ value, visits }: ValueCount, total: number): string =>
  `${number(visits).padStart(11)}  ${percent(visits / total).padStart(5)}  ${value ?? 'not known'}`

/** A share in whole percent; a little is not shown as nothing. */
const percent = (share: number): string => `${share < 0.005 ? '<1' : Math.round(share * 100)} %`
