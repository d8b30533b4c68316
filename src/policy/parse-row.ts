import { z } from 'zod'

import { isAction, type Action } from '../domain/action.js'
import { EFFECTS, REACHES, RULE_LABEL, type PolicyRow } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'
import { ENGINE_ROLES, isRoleName, isUserRole } from '../domain/role.js'
import { faultMessageWith, faultsOf } from '../input/fault-message.js'
import { CommentText } from './comment-text.js'

/** The value, or every fault of the input. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] }

/** A row as an edit gives it. A `comment` of null removes it; undefined leaves it unchanged. */
export interface EditedRow {
  readonly row: PolicyRow
  readonly comment?: string | null | undefined
}

export const fault = (message: string, field = '') => ({ ok: false, faults: [{ field, message }] }) as const

// Rows are stored as strings, priorities too: only a canonical decimal becomes a number.
const PRIORITY = /^[1-9]\d{0,8}$/
const isPriority = (value: unknown): value is number => typeof value === 'number' && PRIORITY.test(String(value))

/** casbin-pg-adapter reads `regex:` and `like:` as patterns when it removes rows (docs/decisions/0002). */
const isRowAction = (value: unknown): value is Action | '*' =>
  value === '*' || (isAction(value) && !/^(?:regex|like):/.test(value))

const isInheritable = (value: unknown): value is string => value === ENGINE_ROLES.user || isUserRole(value)

const RULE = 'must be a label: [A-Z][A-Z0-9-]{0,15}'
const ROLE = 'must be a role: [a-z][a-z0-9_-]{0,31}'
const ACTION = 'must be <resource>:<verb>, each [a-z][a-z0-9_]{0,31}, or *; the resource not like or regex'

const ROLE_TEXT = { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,31}$', maxLength: 32 } as const
const role = z.custom<string>(isRoleName, ROLE).meta({ ...ROLE_TEXT, description: 'whose row it is' })
const action = z.custom<Action | '*'>(isRowAction, ACTION).meta({
  type: 'string',
  pattern: '^([a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}|[*])$',
  maxLength: 65,
  description: 'such as `link:update`; `*`: any',
})

/** The fields of each kind of row, in the order in which Casbin, the database and the CSV files hold them. */
const FIELDS = {
  p: {
    priority: z.custom<number>(isPriority, 'must be an integer from 1 to 999,999,999').meta({
      type: 'integer',
      minimum: 1,
      maximum: 999_999_999,
      description: 'unique; the smallest of the rows that match decides',
    }),
    rule: z
      .string(RULE)
      .regex(RULE_LABEL, RULE)
      .meta({ maxLength: 16, description: 'R1 to R7, or a label of your own', examples: ['R5'] }),
    role,
    action,
    reach: z.enum(REACHES, 'must be own or any').describe('whose records it is about'),
    effect: z.enum(EFFECTS, 'must be allow or deny').describe('what it decides'),
  },
  p2: { role, action },
  g: {
    role: z.custom<string>(isUserRole, `${ROLE}, and not a name of the engine (anonymous, anyone, user)`).meta({
      ...ROLE_TEXT,
      description: 'that has the rows of the other as well',
    }),
    inherits: z
      .custom<string>(isInheritable, `${ROLE}, or user`)
      .meta({ ...ROLE_TEXT, description: 'whose rows they are' }),
  },
}

const ROW_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FIELDS).map(([ptype, fields]) => [ptype, Object.keys(fields)]),
)

const comment = CommentText.transform((text) => (text === '' ? null : text))
  .nullable()
  .optional()
  .meta({
    description: 'what admins say of it, several lines too; null or empty: nothing; absent: as it is. Decides nothing',
  })

type RowWithComment = PolicyRow & { readonly comment?: string | null | undefined }

/** One row of an edit. */
export const Row: z.ZodType<RowWithComment> = z.discriminatedUnion(
  'ptype',
  [
    z.strictObject({ ptype: z.literal('p').describe('an object row'), ...FIELDS.p, comment }),
    z.strictObject({ ptype: z.literal('p2').describe('an endpoint row'), ...FIELDS.p2, comment }),
    z
      .strictObject({ ptype: z.literal('g').describe('an inheritance row'), ...FIELDS.g, comment })
      .refine((row) => row.role !== row.inherits, {
        path: ['inherits'],
        message: 'must be another role than the one that inherits',
      }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be p, p2 or g' : 'must be an object') },
)

const ROW_MESSAGE = faultMessageWith('is not a field of such a row')

/** Like `parseRow`, but also returns the comment of the edit. */
export const parseEditedRow = (input: unknown): Parsed<EditedRow> => {
  const parsed = Row.safeParse(input, { error: ROW_MESSAGE })
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error) }
  const { comment: said, ...row } = parsed.data
  return { ok: true, value: { row, comment: said } }
}

/**
 * Parses one row from JSON into the closed vocabulary, before the engine or the database sees any of it. Reports every
 * field with a fault, unknown fields included.
 */
export const parseRow = (input: unknown): Parsed<PolicyRow> => {
  const parsed = parseEditedRow(input)
  return parsed.ok ? { ok: true, value: parsed.value.row } : parsed
}

/** Parses a row in its stored or CSV form: its kind, and its fields as strings, in order. */
export const parseRowTexts = (ptype: string, texts: readonly string[]): Parsed<PolicyRow> => {
  const names = ROW_FIELDS.get(ptype)
  if (names === undefined) return parseRow({ ptype })
  if (texts.length !== names.length)
    return fault(`a ${ptype} row has the fields ${names.join(', ')}; this one has ${texts.length}`)
  const row: Record<string, unknown> = { ptype }
  for (const [i, name] of names.entries()) {
    const text = texts[i] ?? ''
    row[name] = name === 'priority' && PRIORITY.test(text) ? Number(text) : text
  }
  return parseRow(row)
}

/** A row's fields as strings, as Casbin and the database hold them. */
export const rowTexts = (row: PolicyRow): string[] => {
  switch (row.ptype) {
    case 'p':
      return [String(row.priority), row.rule, row.role, row.action, row.reach, row.effect]
    case 'p2':
      return [row.role, row.action]
    case 'g':
      return [row.role, row.inherits]
  }
}

/** The row as a line of a CSV file. Equal rows give equal lines. */
export const rowText = (row: PolicyRow): string => [row.ptype, ...rowTexts(row)].join(', ')
