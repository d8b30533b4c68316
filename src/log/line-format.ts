import { styleText } from 'node:util'

import { z } from 'zod'

import type { Config } from '../config.js'
import { escapeInLine, escapeInvisible } from './escape-invisible.js'

/** Makes what is written of a line of JSON, its line break included. */
export type LineFormat = (line: string) => string

/** JSON for programs; for people, text with colours where this process's terminal takes them. */
export const lineFormat = (format: Config['logFormat']): LineFormat =>
  // false for NO_COLOR (https://no-color.org) and for TERM=dumb
  format === 'json' ? escapeInvisible : textLine({ colours: process.stdout.isTTY && process.stdout.hasColors() })

const shown = z.union([z.string(), z.number()]).optional().catch(undefined)

/** What people see of a line. The rest is for programs, and LOG_FORMAT=json has all of it. */
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
 * A line for people: the time of day, the level's name from warnings on, the message, and a few fields. It is one line
 * whatever a caller sent, and holds no character that a terminal obeys but the colours.
 */
export const textLine =
  ({ colours }: { readonly colours: boolean }): LineFormat =>
  (json) => {
    const { level, time, msg = '', err, ...fields } = Line.parse(JSON.parse(json))
    const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text)
    // the logger itself says an error that was given without a message
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

/** Of several addresses that could not be reached there is no message, only the code. */
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
    // what somebody tells who saw the page of a failure
    ...(id === undefined || level < WARN ? [] : [`request ${id}`]),
  ]
}

const inLine = (text: string): string => escapeInLine(text.replaceAll(/\s*\n\s*/g, ' '))
