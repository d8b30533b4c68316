import { styleText } from 'node:util'

import { z } from 'zod'

import type { Config } from '../config.js'
import { escapeInLine, escapeInvisible } from './escape-invisible.js'

/** Converts a line of JSON, including its line break, to what is written. */
export type LineFormat = (line: string) => string

/** JSON for programs; for people, text, with colours if the terminal supports them. */
export const lineFormat = (format: Config['logFormat']): LineFormat =>
  // false for NO_COLOR (https://no-color.org) and for TERM=dumb
  format === 'json' ? escapeInvisible : textLine({ colours: process.stdout.isTTY && process.stdout.hasColors() })

const shown = z.union([z.string(), z.number()]).optional().catch(undefined)

/** The fields that people see. LOG_FORMAT=json has all of them. */
const Line = z.object({
  level: z.number().catch(0),
  time: z.number().catch(0),
  msg: shown,
  err: z.object({ message: shown, code: shown, type: shown }).optional().catch(undefined),
  method: shown,
  route: shown,
  status: shown,
  duration_ms: z.number().optional().catch(undefined),
  url: shown,
  file: shown,
  job: shown,
  worker: shown,
  request_id: shown,
})

const [WARN, ERROR, FATAL] = [40, 50, 60]

/**
 * A line for people: time of day, level (from warnings on), message, and a few fields. Whatever a caller sent, it stays
 * one line, and its only control characters are those for colours.
 */
export const textLine =
  ({ colours }: { readonly colours: boolean }): LineFormat =>
  (json) => {
    const { level, time, msg = '', err, ...fields } = Line.parse(JSON.parse(json))
    const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text)
    // for an error logged without a message, pino uses the error's message, which must not appear twice
    const said = [...new Set([msg, ...reasonOf(err)])].join(': ')
    const parts = [
      paint('dim', new Date(time).toTimeString().slice(0, 8)),
      ...(level >= WARN ? [paint(level >= ERROR ? 'red' : 'yellow', levelName(level))] : []),
      inLine(said),
      ...wordsOf(fields, level).map((words) => paint('dim', inLine(words))),
    ]
    return `${parts.join('  ')}\n`
  }

type Style = 'dim' | 'red' | 'yellow'
type Fields = Omit<z.infer<typeof Line>, 'level' | 'time' | 'msg' | 'err'>

const levelName = (level: number): string => (level >= FATAL ? 'fatal' : level >= ERROR ? 'error' : 'warning')

/** The error's message, or else its code: an AggregateError of several failed addresses has no message. */
const reasonOf = (err: z.infer<typeof Line>['err']): readonly (string | number)[] => {
  const reason = err?.message || (err?.code ?? err?.type)
  return reason === undefined ? [] : [reason]
}

const wordsOf = (fields: Fields, level: number): readonly string[] => {
  const { method, route, status, duration_ms: duration, url, file, job, worker, request_id: id } = fields
  const request = [method, route, status].filter((each) => each !== undefined).join(' ')
  return [
    ...(request === '' ? [] : [request]),
    ...(duration === undefined ? [] : [`${Math.round(duration)} ms`]),
    ...[url, file, job].flatMap((each) => (each === undefined ? [] : [String(each)])),
    ...(worker === undefined ? [] : [`worker ${worker}`]),
    // the id that the error page shows, so that a user can report it
    ...(id === undefined || level < WARN ? [] : [`request ${id}`]),
  ]
}

const inLine = (text: string): string => escapeInLine(text.replaceAll(/\s*\n\s*/g, ' '))
