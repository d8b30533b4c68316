import { dayAndMonth, hour, weekday } from '../../language/format'
import { t } from '../../language/language'
import type { Interval } from './periods'

/** The name of a point in a series: "Mon 23 Nov, 16:00", "Thu 12 Nov", "week of 9 Nov". */
export const momentOf = (interval: Interval, time: string): string => {
  if (interval === 'hour') return `${weekday(time)}, ${hour(time)}`
  return interval === 'day' ? weekday(time) : t.visits.weekOf(dayAndMonth(time))
}

/** The same on an axis. */
export const shortMomentOf = (interval: Interval, time: string): string =>
  interval === 'hour' ? hour(time) : dayAndMonth(time)
