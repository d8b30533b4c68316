import { formsOf, plain, text, utc, value } from './export-columns.js'

/** When a visit was: a row has the beginning of an hour, and the milliseconds after which like visits came. */
export const VISIT_TIME = `(time + moment * interval '1 millisecond')`

export const IN_ORDER = ['time', 'moment']

const TEXTS = ['referrer', 'country', 'browser', 'os', 'device']

/** The columns that an exported line uses. */
export const VISIT_COLUMNS = [...IN_ORDER, `${utc(VISIT_TIME)} as at`, ...TEXTS, 'bot'].join(', ')

export const VISIT_FORMS = formsOf({
  time: plain('at'),
  ...Object.fromEntries(TEXTS.map((column) => [column, text(column)])),
  bot: value('bot'),
})
