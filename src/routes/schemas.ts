import { z } from 'zod'

import { MOST_COUNTED } from '../domain/counted.js'
import { isId } from '../domain/id.js'
import { isObject } from '../domain/is-object.js'
import { isCode } from '../domain/link.js'
import { isOneLine } from '../domain/text.js'
import { LONGEST_REQUEST_ID, REQUEST_ID } from '../domain/request-id.js'
import { isUserRole } from '../domain/role.js'
import { isEmail, type User } from '../domain/user.js'

/** Schemas shared by several resources. Their descriptions appear in the API description. */
export const Id = z
  .string()
  .refine(isId, 'must be a positive 64-bit integer in decimal')
  .meta({ pattern: '^[1-9][0-9]{0,18}$', maxLength: 19, examples: ['42'] })

export const Code = z
  .string()
  .refine(isCode, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -')
  .meta({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    maxLength: 64,
    examples: ['spring'],
    description: 'the part after the host in the short URL',
  })

/** The path parameters of a link. */
export const ByCode = z.object({ code: Code })

export const Role = z
  .string()
  .refine(isUserRole, 'must be a role of [a-z][a-z0-9_-]{0,31}, and not anonymous, anyone or user')
  .meta({
    pattern: '^[a-z][a-z0-9_-]{0,31}$',
    maxLength: 32,
    examples: ['editor'],
    description: 'a role named by rows of the policy',
  })

export const Email = z
  .string()
  .max(254)
  .refine(isEmail, 'must be one e-mail address in ASCII, such as ada@example.com')
  .meta({ format: 'email', examples: ['ada@example.com'], description: 'kept as it is given; the same in any case' })

export const Name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .refine(isOneLine, 'must be one line')
  .meta({ description: 'name of the person', examples: ['Ada Lovelace'] })
export const Password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(256)
  .meta({ format: 'password', description: 'stored only as a hash (argon2id)' })
/**
 * The token of a link that was mailed to somebody. Accepts any text: a malformed token gets the same answer as an
 * expired one.
 */
export const LinkToken = z.string().min(1).max(512).meta({ description: 'from the link in the mail' })
/** A boolean in a query. */
export const BooleanText = z.enum(['true', 'false']).transform((text) => text === 'true')
/** A boolean in a query; false if the caller does not say. */
export const Switch = BooleanText.prefault('false')
/** An integer in a query or a path. */
export const integerText = (least: number, most: number, fault = `must be an integer from ${least} to ${most}`) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { abort: true, error: fault })
    .refine((text) => Number(text) >= least && Number(text) <= most, fault)
    .transform(Number)
    .meta({ type: 'integer', minimum: least, maximum: most })
/** A text in a response. */
export const text = (most: number, description: string) => z.string().max(most).meta({ description })
/** A text in a response, or null. */
export const textOrNull = (most: number, description: string) => z.string().max(most).nullable().meta({ description })
/** A count in a response. */
export const count = (description: string) => z.int().min(0).meta({ description })
export const RevisionNumber = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .meta({ description: 'policy revision; 0: before the first' })
/** A policy revision in a query or a path. */
export const revisionNumber = (least: 0 | 1 = 1, fault = 'must be the number of a revision') =>
  integerText(least, 999_999_999_999_999, fault)
export const RequestId = z
  .string()
  .regex(REQUEST_ID)
  .meta({
    maxLength: LONGEST_REQUEST_ID,
    description: 'id of the request in the log (`X-Request-ID`)',
    examples: ['3f1c'],
  })
/** A text field of a form that is shown again, even if other fields are faulty. */
export const textIn = (sent: unknown, name: string): string => {
  const text = isObject(sent) ? sent[name] : undefined
  return typeof text === 'string' ? text : ''
}

export const Time = z.iso.datetime().meta({ maxLength: 24, examples: ['2026-11-01T09:00:00.000Z'] })

const MOST_OF_A_PAGE = 100

/** RFC 3339 allows lower-case letters and leap seconds (`:60`) as well. */
const DATE_TIME = new RegExp(
  z.regexes.datetime({ offset: true }).source.replace(':[0-5]\\d(?:\\.', ':(?:[0-5]\\d|60)(?:\\.'),
  'i',
)
const LEAP_SECOND = /:60(?=[.Z+-])/

/** `text` in capitals. Dates have no leap seconds: one is the second after it. */
const instantOf = (text: string): Date =>
  new Date(Date.parse(text.replace(LEAP_SECOND, ':59')) + (LEAP_SECOND.test(text) ? 1_000 : 0))

/** RFC 3339, from 1970 to 9999, cut to the millisecond. */
export const Instant = z
  .string()
  .regex(DATE_TIME, { abort: true, error: 'must be a time as in RFC 3339, such as 2027-01-31T12:00:00Z' })
  .max(40)
  .toUpperCase()
  .refine((text) => {
    const year = instantOf(text).getUTCFullYear()
    return year >= 1970 && year <= 9999
  }, 'must be a time from 1970 to 9999')
  .transform((text) => instantOf(text).toISOString())
  .meta({ format: 'date-time', examples: ['2027-01-31T12:00:00Z'] })

export const MOMENT_RULE = 'must be a day such as 2026-11-01, or a time as in RFC 3339, from 1970 to 9999'

/** A + of a query that was not encoded arrives as a space. */
const hasLostPlus = (input: unknown): boolean => typeof input === 'string' && /T\S+ \d\d:\d\d$/i.test(input)

/** An instant, or a day, which is left as it is: the caller's time zone decides when it begins. */
export const Moment = z.union(
  [
    z.iso
      .date({ abort: true, error: MOMENT_RULE })
      .refine((text) => text >= '1970', MOMENT_RULE)
      .meta({ maxLength: 10 }),
    Instant,
  ],
  { error: ({ input }) => (hasLostPlus(input) ? `${MOMENT_RULE}; a + in a query is written %2B` : MOMENT_RULE) },
)

/** An instant, or a day, which begins at midnight UTC. */
export const MomentInUtc = Moment.transform((text) => new Date(text).toISOString())

/** Refuses a period that ends before it begins, in which nothing is ever found. Both times are in ISO 8601. */
export const endsAfter = <Name extends string>(from: Name, to: Name) =>
  z.refine<Readonly<Partial<Record<Name, string | undefined>>>>(
    ({ [from]: start, [to]: end }) => start === undefined || end === undefined || start < end,
    { path: [to], error: `must be later than ${from}` },
  )

/** How many items a page has at most, if the caller does not say. */
export const LIMIT = 20
const Limit = integerText(1, MOST_OF_A_PAGE).describe('the most items in a page')
export const PageLimit = Limit.prefault(String(LIMIT))
/** The limit of a route that also exports, where there are no pages: undefined if the caller does not say. */
export const GivenLimit = Limit.optional()

const CURSOR_LENGTH = 400
export const Cursor = z
  .string()
  .min(1)
  .max(CURSOR_LENGTH)
  .optional()
  .meta({ description: '`next_cursor` of the previous page' })

/** `count=true`: the response also contains the total of all pages. */
export const WantsCount = BooleanText.optional().describe('`true`: the response also has `count`')

/** A page, with the total of all pages if it was requested. */
export const withCount = async <Page extends object>(
  reading: Promise<Page>,
  wanted: boolean | undefined,
  countAll: () => Promise<number>,
): Promise<Page & { readonly count?: number }> => {
  const [page, count] = await Promise.all([reading, wanted ? countAll() : undefined])
  return count === undefined ? page : { ...page, count }
}

/** A page of a list: at most 100 items of this schema, and the cursor of the next page. */
export const pageOf = <View extends z.ZodType>(view: View) =>
  z.object({
    data: z.array(view).max(MOST_OF_A_PAGE).meta({ description: 'the items of this page' }),
    next_cursor: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .meta({ description: 'for the parameter `cursor`; null on the last page' }),
    count: z
      .int()
      .min(0)
      .max(MOST_COUNTED)
      .optional()
      .meta({ description: `the total of all pages, with \`count=true\`; ${MOST_COUNTED} means that many or more` }),
  })

export const ProfileView = z
  .object({
    id: Id.describe('id of the user'),
    email: text(254, 'address of the user'),
    name: text(200, 'name of the user'),
    role: text(32, 'role of the user'),
    created_at: Time.describe('when the account was created'),
  })
  .meta({ id: 'Profile', description: 'a user’s own account' })

/** A user as a `ProfileView`. */
export const profileOf = ({ id, email, name, role, created_at }: User) => ({ id, email, name, role, created_at })

export const PROFILE_EXAMPLE = {
  id: '7',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'editor',
  created_at: '2026-11-01T09:00:00.000Z',
} as const
