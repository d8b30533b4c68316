import { randomUUID } from 'node:crypto'

import { Client, type ClientConfig } from 'pg'

import { deferred } from '../domain/deferred.js'

/** One connection that receives the database's notifications. */
export interface Listener {
  /** true while it is connected and known to receive the service's notifications */
  readonly up: boolean
  /** Every change committed before this time (`performance.now()`) is known to have been announced to this process. */
  readonly confirmedAt: number
  /** Registers a channel, before `start`. */
  hear(channel: string, onPayload: (payload: string) => void): void
  /** Connects and reconnects. Each time calls `onUp`, because notifications in between were missed. */
  start(onUp: () => void): void
  stop(): Promise<void>
}

interface ListenerOptions {
  /** must bypass a pooler in transaction mode, which drops notifications */
  readonly connection: ClientConfig
  /** sends a notification through the service's pool, to prove that it arrives here */
  readonly notify: (channel: string, payload: string) => Promise<unknown>
  /** called with the reason when connecting fails, and with null when connected */
  readonly onChange: (fault: unknown) => void
}

const ECHO_CHANNEL = 'linkgate_echo'
const HEARTBEAT_MS = 400
const MAX_RETRY_MS = 2_000
const MIN_RETRY_MS = 50
/** An unanswered heartbeat ends the connection: a network that drops packets reports no error. */
const TIMEOUT_MS = 1_500

const NOT_HEARD =
  'the listening connection does not receive notifications of the service: DATABASE_LISTEN_URL must name the ' +
  'database of DATABASE_URL and bypass a pooler in transaction mode'

/** Waits for one notification with a unique payload. */
const expectEcho = () => {
  const payload = randomUUID()
  const echo = deferred()
  return {
    payload,
    receive: (received: string) => {
      if (received === payload) echo.resolve()
    },
    wait: async () => {
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(NOT_HEARD)), TIMEOUT_MS).unref()
      })
      await Promise.race([echo.promise, timeout]).finally(() => clearTimeout(timer))
    },
  }
}

/**
 * Makes a listener that is up only if it hears what the service sends: each new connection first waits for a
 * notification sent through the service's pool, and announces pending changes. `onUp` is called before `up` is true, so
 * that nobody who sees it up still holds stale data. A heartbeat that is not answered within 1.5 seconds ends the
 * connection; the next attempt follows after 50 ms to 2 s.
 */
export const createListener = ({ connection, notify, onChange }: ListenerOptions): Listener => {
  const channels = new Map<string, (payload: string) => void>()
  let notifyUp = () => {}
  let stopped = false
  let client: Client | null = null
  let up = false
  let confirmedAt = Number.NEGATIVE_INFINITY
  let retryMs = MIN_RETRY_MS
  let retry: NodeJS.Timeout | undefined

  const retryLater = () => {
    retry = setTimeout(open, retryMs)
    retry.unref()
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
  }

  const listen = async (listening: Client) => {
    client = listening
    let beat: NodeJS.Timeout | undefined
    const lost = () => {
      clearTimeout(beat)
      listening.removeAllListeners()
      // a late error without a listener would end the process
      listening.on('error', () => undefined)
      // not end(), which waits for an answer of the server
      listening.connection.stream.destroy()
      if (stopped || client !== listening) return
      client = null
      up = false
      retryLater()
    }
    /** Announces pending changes. The response arrives after every earlier notification, on the same connection. */
    const confirm = async () => {
      const startedAt = performance.now()
      await listening.query('select announce_changed_links()')
      confirmedAt = startedAt
      beat = setTimeout(() => void confirm().catch(lost), HEARTBEAT_MS)
      beat.unref()
    }
    const echo = expectEcho()
    listening.on('error', lost)
    listening.on('end', lost)
    listening.on('notification', ({ channel, payload = '' }) =>
      channel === ECHO_CHANNEL ? echo.receive(payload) : channels.get(channel)?.(payload),
    )
    try {
      await listening.connect()
      await listening.query([ECHO_CHANNEL, ...channels.keys()].map((channel) => `listen ${channel}`).join('; '))
      // through the pool: sent on this connection, the echo would arrive even through a pooler
      await notify(ECHO_CHANNEL, echo.payload)
      await echo.wait()
      await confirm()
      if (stopped) return
      retryMs = MIN_RETRY_MS
      onChange(null)
      notifyUp()
      up = true
    } catch (error) {
      // a later connection may be up by the time that a lost one's echo is given up
      if (!stopped && !up) onChange(error)
      lost()
    }
  }

  const open = (): void => {
    try {
      // reads the files that sslrootcert, sslcert and sslkey name, and throws if one is missing
      const listening = new Client({
        ...connection,
        application_name: 'linkgate listener',
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
        query_timeout: TIMEOUT_MS,
      })
      void listen(listening)
    } catch (error) {
      onChange(error)
      retryLater()
    }
  }

  return {
    hear: (channel, onPayload) => void channels.set(channel, onPayload),
    start: (onUp) => {
      notifyUp = onUp
      open()
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
