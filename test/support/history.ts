import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { addUser } from './add-user.js'
import { ask, type RequestOptions } from './ask.js'
import { at, textAt } from './json.js'
import { findUnexplained, type Operation } from './linearizable.js'
import { onDatabase, startNode, type ServiceNode } from './node.js'
import { startOwnServer } from './own-server.js'
import { random } from './random.js'
import { madeSigningKey } from './signing-key.js'
import { until } from './until.js'

export interface HistoryReport {
  readonly operations: number
  /** operations whose answer never came, or was 503 */
  readonly lost: number
  readonly kills: number
  readonly suspensions: number
  readonly revocations: number
  readonly flips: number
  /** links whose operations no order explains, with the one that does not fit */
  readonly unexplained: readonly string[]
  /** answers that a right which was taken, or given back, and acknowledged before the request, does not allow */
  readonly wrongRights: readonly string[]
}

/** While a right was taken: from the acknowledgement of its end to the request that gives it back, and so on. */
interface Span {
  readonly taken: boolean
  readonly from: number
  /** Infinity until something else is asked for */
  to: number
}

interface Answer {
  readonly what: string
  readonly user: number
  readonly status: number
  readonly start: number
  readonly end: number
}

/** a request that no service took, and one whose answer never came */
const NOT_SENT = -1
const LOST = 0

const isNotSent = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED'

const CODES = 24
const USERS = 4
const WRITERS = 10
const DENY = {
  ptype: 'p',
  priority: 5,
  rule: 'FLIP',
  role: 'editor',
  action: 'link:update',
  reach: 'any',
  effect: 'deny',
}

/**
 * Two services on one database; clients create, change, delete and read 24 links, while services are killed with -9,
 * users are suspended, their personal tokens are revoked, and the right to update is taken from editors and given back.
 * Then every link's operations are searched for an order that explains all answers, and every answer is held against
 * the rights that stood for the whole time of its request.
 */
export const recordHistory = async (operations: number, kills: number, seed = 7): Promise<HistoryReport> => {
  const { integer, pick } = random(seed)
  const server = await startOwnServer()
  const environment = {
    ...onDatabase(server.service, server.owner),
    JWT_SIGNING_KEY_FILE: await madeSigningKey(join(server.dataDir, 'key.pem')),
  }
  const nodes: ServiceNode[] = [await startNode(environment), await startNode(environment)]
  try {
    const service = { connection: server.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
    const root = await addUser(service, 'admin')
    const users = await Promise.all(Array.from({ length: USERS }, () => addUser(service, 'editor')))

    /** Asks one of the two services. */
    const request = async (
      method: string,
      path: string,
      options?: RequestOptions,
    ): Promise<{ status: number; json: unknown; headers: Headers | null }> =>
      ask(nodes[integer(0, nodes.length - 1)]?.baseUrl ?? '', method, path, options).catch((error: unknown) => ({
        status: isNotSent(error) ? NOT_SENT : LOST,
        json: null,
        headers: null,
      }))
    /** Asks until it is answered: what this changes may be asked for twice. */
    const insist = (what: string, work: () => Promise<{ status: number; json: unknown }>) =>
      until(
        what,
        async () => {
          const answer = await work()
          return answer.status >= 200 && answer.status < 300 && answer
        },
        { withinMs: 60_000 },
      )
    const makeToken = async (user: number) => {
      const json = { name: 'a key', scopes: ['link:create', 'link:update', 'link:delete'] }
      const made = await insist('a token is made', () =>
        request('POST', '/users/me/tokens', { token: users[user]?.token ?? '', json }),
      )
      return { id: textAt(made.json, 'id'), value: textAt(made.json, 'token') }
    }
    const keys = await Promise.all(users.map((_, user) => makeToken(user)))

    const histories = Array.from({ length: CODES }, (): Operation[] => [])
    const answers: Answer[] = []
    let asked = 0
    let lost = 0
    const isDone = () => asked >= operations
    // a link belongs to one user, who may do everything with it: which answer comes is then a matter of its state
    const write = async (writer: number) => {
      while (!isDone()) {
        const number = (asked += 1)
        const link = integer(0, CODES - 1)
        const user = link % USERS
        const kind = pick<Operation['kind']>(['create', 'update', 'update', 'delete', 'read', 'read'])
        const value = `https://example.com/${writer}-${number}`
        const path = kind === 'create' ? '/links' : `/links/h-${link}`
        const token = keys[user]?.value ?? ''
        const start = performance.now()
        const { status, json } = await (kind === 'read'
          ? request('GET', path)
          : kind === 'create'
            ? request('POST', path, { token, json: { code: `h-${link}`, target: value } })
            : kind === 'update'
              ? request('PATCH', path, { token, json: { target: value } })
              : request('DELETE', path, { token }))
        const end = performance.now()
        if (kind === 'update' || kind === 'create') answers.push({ what: kind, user, status, start, end })
        if (status === NOT_SENT) {
          asked -= 1
          await setTimeout(5)
        } else if (status === LOST || status === 503) {
          lost += 1
          if (kind !== 'read')
            histories[link]?.push({ kind, value, start, end: Number.POSITIVE_INFINITY, done: undefined })
        } else if (kind === 'read') {
          histories[link]?.push({ kind, value: status === 404 ? null : textAt(json, 'target'), start, end, done: true })
        } else if (status === 404 || (status === 409 && at(json, 'code') === 'code_taken')) {
          histories[link]?.push({ kind, value, start, end, done: false })
        } else if (status < 300) {
          histories[link]?.push({ kind, value, start, end, done: true })
        } else if (status !== 401 && status !== 403 && status !== 409) {
          throw new Error(`${kind}: ${status} ${JSON.stringify(json)}`)
        }
      }
    }

    /** Spans of what was taken from whom: the user's standing, or (for all) the right to update. */
    const standing = users.map((): Span[] => [{ taken: false, from: 0, to: Number.POSITIVE_INFINITY }])
    const updating: Span[] = [{ taken: false, from: 0, to: Number.POSITIVE_INFINITY }]
    const turn = async (spans: Span[], taken: boolean, work: () => Promise<unknown>) => {
      const last = spans.at(-1)
      if (last) last.to = performance.now()
      await work()
      spans.push({ taken, from: performance.now(), to: Number.POSITIVE_INFINITY })
    }
    const counts = { kills: 0, suspensions: 0, revocations: 0, flips: 0 }
    const pause = () => until('some operations later', laterThan(asked + integer(10, 60)))
    const laterThan = (count: number) => () => asked >= count || isDone()

    const suspend = async () => {
      while (!isDone()) {
        await pause()
        const user = integer(0, USERS - 1)
        const spans = standing[user] ?? []
        const set = (suspended: boolean) =>
          insist('a suspension', () =>
            request('PATCH', `/users/${users[user]?.id}`, { token: root.token, json: { suspended } }),
          )
        if (integer(0, 1) === 0) {
          counts.suspensions += 1
          await turn(spans, true, () => set(true))
          await pause()
          await turn(spans, false, () => set(false))
        } else {
          counts.revocations += 1
          await turn(spans, true, () =>
            until(
              'a revocation',
              async () =>
                [204, 404].includes(
                  (await request('DELETE', `/users/me/tokens/${keys[user]?.id}`, { token: users[user]?.token ?? '' }))
                    .status,
                ),
              { withinMs: 60_000 },
            ),
          )
          await pause()
          await turn(spans, false, async () => {
            keys[user] = await makeToken(user)
          })
        }
      }
    }
    const flip = async () => {
      let revision = 1
      while (!isDone()) {
        await pause()
        const taken = updating.at(-1)?.taken !== true
        counts.flips += 1
        await turn(updating, taken, () =>
          insist('an edit', async () => {
            // without this a service may still show the rows from before the last flip
            const headers = { 'Policy-At-Least': String(revision) }
            const policy = await request('GET', '/policy', { token: root.token, headers })
            if (policy.status !== 200) return policy
            const isThere = JSON.stringify(policy.json).includes('"FLIP"')
            const answer =
              isThere === taken
                ? policy
                : await request('POST', '/policy/changes', {
                    token: root.token,
                    headers: { 'If-Match': policy.headers?.get('ETag') ?? '' },
                    json: { ...(taken ? { add: [DENY] } : { remove: [DENY] }), reason: 'a flip' },
                  })
            if (answer.status >= 200 && answer.status < 300) revision = Number(at(answer.json, 'revision'))
            return answer
          }),
        )
      }
    }
    const kill = async () => {
      for (; counts.kills < kills && !isDone(); counts.kills += 1) {
        const each = Math.floor(operations / (kills + 1))
        await until('it is time for the next kill', laterThan((counts.kills + 1) * each), { withinMs: 600_000 })
        const victim = integer(0, 1)
        await nodes[victim]?.stop('SIGKILL')
        nodes[victim] = await startNode(environment)
      }
    }
    await Promise.all([...Array.from({ length: WRITERS }, (_, i) => write(i)), suspend(), flip(), kill()])

    const within = ({ from, to }: Span, { start, end }: Answer) => from <= start && end <= to
    const wrongRights = answers.flatMap((answer) => {
      const stands = (standing[answer.user] ?? []).find((span) => within(span, answer))
      const updates = answer.what === 'update' ? updating.find((span) => within(span, answer)) : undefined
      const told = `${answer.what} ${answer.status} at ${answer.start.toFixed(1)}`
      if (answer.status < 300 && answer.status > 0) {
        if (stands?.taken === true) return [`${told}: the user's right was taken`]
        if (updates?.taken === true) return [`${told}: the policy denied it`]
      }
      if (answer.status === 401 && stands?.taken === false) return [`${told}: the user had their right`]
      if (answer.status === 403 && updates?.taken === false) return [`${told}: the policy allowed it`]
      return []
    })
    const unexplained = histories.flatMap((history, link) => {
      const odd = findUnexplained(history)
      return odd === null ? [] : [`h-${link}: ${JSON.stringify(odd)}`]
    })
    return { operations: asked, lost, ...counts, unexplained, wrongRights }
  } finally {
    for (const node of nodes) await node.stop('SIGKILL')
    await server.remove()
  }
}
