import { randomUUID } from 'node:crypto'

import { Client } from 'pg'
import type { ClientConfig } from 'pg'

/** One connection that hears what the database notifies. */
export interface Listener {
  /** true while the connection stands, and was found to hear what the service notifies */
  readonly up: boolean
  /**
   * The time, by `performance.now()`, up to which everything that was committed is known to have been announced and to
   * have arrived here. It stays behind where the connection hangs or is lost.
   */
  readonly confirmedAt: number
  /** Hears a channel; before `start`. */
  hear(channel: string, onPayload: (payload: string) => void): void
  /** Connects, and again whenever the connection is lost; `onUp` is told each time: notifications in between were missed. */
  start(onUp: () => void): void
  stop(): Promise<void>
}

export interface ListenerOptions {
  /** straight to the server: a pooler in transaction mode passes no notification on */
  readonly connection: ClientConfig
  /** a function of the database, called with every heartbeat: it notifies what was committed and not yet announced */
  readonly announce: string
  /** notifies the way that changes do: it must be heard here, or a pooler or another database is in between */
  readonly notify: (channel: string, payload: string) => Promise<unknown>
  /** told of a failed connection, and null when one stands */
  readonly onChange: (fault: unknown) => void
  readonly heartbeatMs?: number
}

const ECHO_CHANNEL = 'linkgate_echo'
const LONGEST_PAUSE_MS = 2_000
const FIRST_PAUSE_MS = 50
/** A heartbeat that is not answered for so long ends the connection: a network that swallows packets tells nobody. */
const SILENCE_MS = 1_500

const NOT_HEARD =
  'the listening connection does not hear what the service notifies: it has to lead past a pooler in transaction mode, ' +
  'to the database of DATABASE_URL (DATABASE_LISTEN_URL)'

/** A word that was never sent before, and whether it came back in time. */
const expectEcho = () => {
  const word = randomUUID()
  let hear = () => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  return {
    word,
    hear: (payload: string) => {
      if (payload === word) hear()
    },
    /** Rejects where it was not heard for SILENCE_MS. */
    wait: async () => {
      let late: NodeJS.Timeout | undefined
      const silence = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error(NOT_HEARD)), SILENCE_MS).unref()
      })
      await Promise.race([heard, silence]).finally(() => clearTimeout(late))
    },
  }
}

/** Makes a listener, which connects when it is started. */
export const createListener = ({
  connection,
  announce,
  notify,
  onChange,
  heartbeatMs = 400,
}: ListenerOptions): Listener => {
  const channels = new Map<string, (payload: string) => void>()
  let tellUp = () => {}
  let stopped = false
  let client: Client | null = null
  let up = false
  let confirmedAt = Number.NEGATIVE_INFINITY
  let pause = FIRST_PAUSE_MS
  let retry: NodeJS.Timeout | undefined

  const listen = async () => {
    const listening = new Client({
      ...connection,
      application_name: 'linkgate listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: SILENCE_MS,
    })
    client = listening
    let beat: NodeJS.Timeout | undefined
    const lost = () => {
      clearTimeout(beat)
      listening.removeAllListeners()
      // pg may still emit an error, which without a listener would end the process
      listening.on('error', () => undefined)
      // not end(), which waits for an answer that may never come
      listening.connection.stream.destroy()
      if (stopped || client !== listening) return
      client = null
      up = false
      retry = setTimeout(() => void listen(), pause)
      retry.unref()
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
    /** The answer arrives after everything that was notified before it, on the same connection. */
    const confirm = async () => {
      const asked = performance.now()
      await listening.query(`select ${announce}()`)
      confirmedAt = asked
      beat = setTimeout(() => void confirm().catch(lost), heartbeatMs)
      beat.unref()
    }
    const echo = expectEcho()
    listening.on('error', lost)
    listening.on('end', lost)
    listening.on('notification', ({ channel, payload = '' }) =>
      channel === ECHO_CHANNEL ? echo.hear(payload) : channels.get(channel)?.(payload),
    )
    try {
      await listening.connect()
      await listening.query([ECHO_CHANNEL, ...channels.keys()].map((channel) => `listen ${channel}`).join('; '))
      // sent through the pool: on this connection the echo would come back through a pooler, too
      await notify(ECHO_CHANNEL, echo.word)
      await echo.wait()
      await confirm()
      if (stopped) return
      pause = FIRST_PAUSE_MS
      onChange(null)
      tellUp()
      up = true
    } catch (error) {
      if (!stopped) onChange(error)
      lost()
    }
  }

  return {
    hear: (channel, onPayload) => void channels.set(channel, onPayload),
    start: (onUp) => {
      tellUp = onUp
      void listen()
    },
    get up() {
      return up
    },
    get confirmedAt() {
      return confirmedAt
    },
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      const last = client
      client = null
      up = false
      await last?.end().catch(() => undefined)
    },
  }
}
