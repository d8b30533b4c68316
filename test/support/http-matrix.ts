import { expect } from 'chai'

import type { Route } from '../../src/layers/route.js'
import { at } from './json.js'
import { oracleStatus, type OracleRecord, type OracleUser } from './oracle.js'
import { addDeletedLink, addLink, addUserToDelete, freshCode } from './records.js'
import { operationOf, requestOf, scopeOf, subjectOf } from './samples.js'
import type { TestService } from './service.js'

/** Who asks; `id` is what "their own" means, for an absent user too. */
export interface Actor {
  readonly user: OracleUser
  readonly id: string
}

export interface MatrixParts {
  readonly service: TestService
  /** the id of a user who asks nothing */
  readonly stranger: string
  /** ids that are close to another one; the stranger's elsewhere */
  readonly neighbours?: Readonly<Record<string, string>>
}

const ABSENT_ID = '4611686018427387904'

/** What a layer says. An operation that the oracle lets through may fail later, but never with one of these. */
const OF_LAYERS = ['token_required', 'invalid_token', 'insufficient_scope', 'role_not_allowed', 'policy_denied']

/** Every operation on every kind of record, asked over HTTP and held against the oracle. */
export const httpMatrix = (partsOf: () => MatrixParts) => {
  const recordsFor = (id: string): Readonly<Record<string, OracleRecord>> => {
    const { stranger, neighbours = {} } = partsOf()
    return {
      'their own record': { owner_id: id },
      "another's record": { owner_id: stranger },
      "a neighbour's record": { owner_id: neighbours[id] ?? stranger },
      'no record': null,
      'a record without an owner': { owner_id: null },
    }
  }

  /** The record's name in a path: a link made for this cell, a user's id, or a name that nothing has. */
  const nameOf = async (subject: string, record: OracleRecord): Promise<string> => {
    if (subject === 'link')
      return record === null ? freshCode('absent') : addLink(partsOf().service.db, { owner: record.owner_id ?? null })
    if (subject === 'deleted link' && record !== null)
      return addDeletedLink(partsOf().service.db, record.owner_id ?? null)
    if (subject === 'user to delete' && record !== null) return addUserToDelete(partsOf().service.db)
    return record?.owner_id ?? ABSENT_ID
  }

  /** The record of this name as it is stored, past every layer: a link, a deleted one or a user. */
  const storedRecords = (name: string): Promise<readonly unknown[]> =>
    partsOf().service.db.asOwner(
      `select to_jsonb(l) from links l where code = $1
       union all select to_jsonb(d) from deleted_links d where id::text = $1
       union all select to_jsonb(u) from users u where id::text = $1`,
      [name],
    )

  /** Asks one cell of the matrix over HTTP, and holds the answer and what is stored after it against the oracle. */
  const askCell = async ({ user, id }: Actor, route: Route, record: OracleRecord, asked: string): Promise<void> => {
    const { service } = partsOf()
    const subject = subjectOf(route)
    const name = await nameOf(subject, record)
    const before = await storedRecords(name)
    expect(before.length, `${asked}: what it is about`).to.equal(record === null ? 0 : 1)
    const { method, path, options, status } = requestOf(route, name)
    const scope = scopeOf(route) === 'public' ? '' : scopeOf(route)
    const answer = await service.request(method, path, {
      ...options,
      token: user === null ? undefined : await service.tokenFor({ id }, scope),
    })
    const expected = oracleStatus(
      user,
      operationOf(route, status),
      subject === 'profile' ? { owner_id: user?.id ?? null } : record,
    )
    expect({ status: answer.status }, `${asked}: ${answer.text}`).to.deep.equal({ status: expected.status })
    const { code, rule } = expected
    if (code === undefined) expect(OF_LAYERS, asked).to.not.include(at(answer.json, 'code'))
    else expect({ code: at(answer.json, 'code'), rule: at(answer.json, 'rule') }, asked).to.deep.equal({ code, rule })
    if (expected.status >= 400) expect(await storedRecords(name), asked).to.deep.equal(before)
    if (expected.status === 204) expect(await storedRecords(name), asked).to.deep.equal([])
  }

  const recordsOf = (route: Route, id: string): Readonly<Record<string, OracleRecord>> => {
    switch (subjectOf(route)) {
      case 'link':
      case 'deleted link':
        return recordsFor(id)
      case 'user':
        return { themselves: { owner_id: id }, 'another user': { owner_id: partsOf().stranger }, 'no user': null }
      case 'user to delete':
        return { 'another user': { owner_id: partsOf().stranger }, 'no user': null }
      default:
        return { 'no record': null }
    }
  }

  return {
    recordsFor,
    /** Asks one actor's whole part of the matrix, one cell after the other; answers how many there were. */
    askAll: async (actor: Actor, who: string): Promise<number> => {
      let cells = 0
      for (const route of partsOf().service.routes) {
        for (const [what, record] of Object.entries(recordsOf(route, actor.id))) {
          await askCell(actor, route, record, `${who}, ${route.method} ${route.path}, ${what}`)
          cells += 1
        }
      }
      return cells
    },
  }
}
