import { signal, type ReadonlySignal } from '@preact/signals'
import { LinkgateProblem } from 'linkgate/client'

import { chunksOf } from '../../parts/chunks.js'
import { outcomeOf, type ItemResult, type Outcome } from './outcome.js'
import type { Item, Row } from './rows.js'
import { dependsOnLinks, settle, type Known } from './there-already.js'

/** The requests of an import. Every call throws LinkgateProblem, or the signal's reason. */
export interface ImportService {
  readonly tryAll: (items: readonly Item[], signal: AbortSignal) => Promise<readonly ItemResult[]>
  readonly makeAll: (items: readonly Item[]) => Promise<readonly ItemResult[]>
  readonly makeOne: (item: Item) => Promise<Outcome>
  /** existing links with one of these codes or targets */
  readonly known: (wanted: Wanted, signal: AbortSignal) => Promise<Known>
  readonly wait: (seconds: number, signal: AbortSignal) => Promise<void>
}

export interface Wanted {
  readonly codes: ReadonlySet<string>
  readonly targets: ReadonlySet<string>
}

/** `stopped`: by the user or by an error; the rest can still be done. */
type Phase = 'checking' | 'checked' | 'running' | 'stopped' | 'done'

export interface ImportJob {
  readonly rows: ReadonlySignal<readonly Row[]>
  readonly phase: ReadonlySignal<Phase>
  readonly progress: ReadonlySignal<{ readonly done: number; readonly of: number }>
  /** seconds that the service asked to wait; null: none */
  readonly waits: ReadonlySignal<number | null>
  readonly problem: ReadonlySignal<LinkgateProblem | null>
  /** Checks the outcome of these rows with a dry run; a previous check is aborted. */
  readonly check: (rows: readonly Row[]) => Promise<void>
  /** Checks the rows that got no response again. */
  readonly checkRest: () => Promise<void>
  /** Creates the new links. Rows whose response was lost are checked again first, so that nothing is created twice. */
  readonly run: () => Promise<void>
  readonly stop: () => void
}

export const createImportJob = (service: ImportService): ImportJob => {
  const rows = signal<readonly Row[]>([])
  const phase = signal<Phase>('checked')
  const progress = signal({ done: 0, of: 0 })
  const waits = signal<number | null>(null)
  const problem = signal<LinkgateProblem | null>(null)
  let turn = new AbortController()

  const put = (outcomes: Iterable<readonly [Row, Outcome]>): void => {
    const changed = new Map([...outcomes].map(([{ at }, outcome]) => [at, outcome]))
    rows.value = rows.value.map((row) => {
      const outcome = changed.get(row.at)
      return outcome === undefined ? row : { ...row, outcome }
    })
  }
  const thoseThat = (is: Outcome['is']): readonly Row[] => rows.value.filter(({ outcome }) => outcome.is === is)

  /** Retries after the wait that the service asks for. */
  const patiently = async <T>(ended: AbortSignal, ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof LinkgateProblem) || (error.status !== 429 && error.code !== 'exports_busy')) throw error
        waits.value = error.retryAfter ?? 1
        await service.wait(waits.value, ended)
      } finally {
        waits.value = null
      }
    }
  }

  /** Runs `work` in this phase; an error or a stop ends it as `stopped`. */
  const begin = async (name: 'checking' | 'running', work: (ended: AbortSignal) => Promise<void>): Promise<void> => {
    turn.abort()
    turn = new AbortController()
    const { signal: ended } = turn
    phase.value = name
    problem.value = null
    try {
      await work(ended)
      if (turn.signal === ended) phase.value = ended.aborted ? 'stopped' : name === 'checking' ? 'checked' : 'done'
    } catch (error) {
      // a newer run shows its own state
      if (turn.signal !== ended) return
      phase.value = 'stopped'
      if (ended.aborted) return
      if (!(error instanceof LinkgateProblem)) throw error
      problem.value = error
    }
  }

  const ask = async (ended: AbortSignal): Promise<void> => {
    const open = thoseThat('open')
    progress.value = { done: 0, of: open.length }
    for (const chunk of chunksOf(open)) {
      const items = chunk.map(({ item }) => item)
      const results = await patiently(ended, () => service.tryAll(items, ended))
      ended.throwIfAborted()
      put(outcomesOf(chunk, results))
      progress.value = { done: progress.value.done + chunk.length, of: open.length }
    }
    await compare(ended)
    put(thoseThat('new').flatMap((row) => (row.lacksPassword ? [[row, LACKS_PASSWORD] as const] : [])))
  }

  const compare = async (ended: AbortSignal): Promise<void> => {
    const depending = rows.value.filter(dependsOnLinks)
    if (depending.length === 0) return
    const wanted = {
      codes: new Set(depending.map(({ code }) => code).filter(Boolean)),
      targets: new Set(depending.flatMap(({ code, target }) => (code === '' ? target : []))),
    }
    const known = await patiently(ended, () => service.known(wanted, ended))
    ended.throwIfAborted()
    put(depending.map((row) => [row, settle(row, known)]))
  }

  const make = async (ended: AbortSignal): Promise<void> => {
    if (thoseThat('open').length > 0) await ask(ended)
    const waiting = thoseThat('new')
    progress.value = { done: 0, of: waiting.length }
    const count = (more: number) => (progress.value = { ...progress.value, done: progress.value.done + more })
    for (const chunk of chunksOf(waiting)) {
      const together = chunk.filter(({ password }) => password === '')
      if (ended.aborted) return
      if (together.length > 0) {
        const items = together.map(({ item }) => item)
        put(outcomesOf(together, await orOpen(together, () => patiently(ended, () => service.makeAll(items)))))
        count(together.length)
      }
      for (const row of chunk.filter(({ password }) => password !== '')) {
        if (ended.aborted) return
        const item = { ...row.item, password: row.password }
        put([[row, await orOpen([row], () => patiently(ended, () => service.makeOne(item)))]])
        count(1)
      }
    }
    // rows whose code was taken meanwhile
    if (thoseThat('taken').length > 0) await compare(ended)
  }

  /** Without a response, it is unknown what was created. */
  const orOpen = async <T>(sent: readonly Row[], work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      put(sent.map((row) => [row, { is: 'open' }]))
      throw error
    }
  }

  return {
    rows,
    phase,
    progress,
    waits,
    problem,
    check: (all) => {
      rows.value = all
      return begin('checking', ask)
    },
    checkRest: () => begin('checking', ask),
    run: () => begin('running', make),
    stop: () => turn.abort(),
  }
}

const LACKS_PASSWORD: Outcome = { is: 'refused', why: { is: 'no password' } }

/** A row without a result stays open. */
const outcomesOf = (chunk: readonly Row[], results: readonly ItemResult[]): readonly (readonly [Row, Outcome])[] =>
  results.flatMap((result) => {
    const row = chunk[result.index]
    return row === undefined ? [] : [[row, outcomeOf(result)] as const]
  })
