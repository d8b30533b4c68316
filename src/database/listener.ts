import { randomUUID } from 'node:crypto'

import { Client } from 'pg'
import type { ClientConfig } from 'pg'

/** One connection that hears what the database notifies. */
export interface Listener {
  /** true while the connection stands, and was found to hear what the service notifies */
  readonly up: boolean
  /**
   * The time, as `performance.now()` gives it, up to which everything that was committed is known to have been
   * announced and to have arrived here. It stays behind where the connection hangs or is lost.
   */
  readonly confirmedAt: number
  stop(): Promise<void>
}

export interface ListenerOptions {
  /** straight to the server: a pooler in transaction mode hands no notification on */
  readonly connection: ClientConfig
  /** what is done with a payload, by channel */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /**
   * a function of the database, called with every heartbeat: it notifies what others have committed and left to be
   * announced
   */
  readonly announce: string
  /**
   * notifies by the way that changes take: what it says must be heard here, or a pooler or another database is in
   * between
   */
  readonly notify: (channel: string, payload: string) => Promise<unknown>
  /** told whenever the connection stands anew: what was notified in between was missed */
  readonly onUp: () => void
  readonly onFault: (error: unknown) => void
  readonly heartbeatMs?: number
}

const ECHO_CHANNEL = 'linkgate_echo'
const LONGEST_PAUSE_MS = 2_000
const FIRST_PAUSE_MS = 50
/** A heartbeat that is not answered for so long ends the connection: a network that swallows packets tells nobody. */
const SILENCE_MS = 1_500

const DEAF =
  'the listening connection does not hear what the service notifies: it has to lead past a pooler in transaction mode, to the database of DATABASE_URL (DATABASE_LISTEN_URL)'

/** A word that was never said before, and whether it was heard in time. */
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
        late = setTimeout(() => reject(new Error(DEAF)), SILENCE_MS).unref()
      })
      await Promise.race([heard, silence]).finally(() => clearTimeout(late))
    },
  }
}

/** Listens until it is stopped, and connects again as often as it takes. */
export const openListener = ({
  connection,
  channels,
  announce,
  notify,
  onUp,
  onFault,
  heartbeatMs = 400,
}: ListenerOptions): Listener => {
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
      // an error after the end has nobody left to tell
      listening.on('error', () => undefined)
      // not end(): a peer that no longer answers would not answer that either
      listening.connection.stream.destroy()
      if (stopped || client !== listening) return
      client = null
      up = false
      retry = setTimeout(() => void listen(), pause)
      retry.unref()
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
    /**
     * Answers come behind what was notified before them, on the same connection. Where there is nothing to announce
     * this writes nothing.
     */
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
      channel === ECHO_CHANNEL ? echo.hear(payload) : channels[channel]?.(payload),
    )
    try {
      await listening.connect()
      await listening.query([ECHO_CHANNEL, ...Object.keys(channels)].map((channel) => `listen ${channel}`).join('; '))
      // not by this connection: a pooler that lends one session to both would pass for none
      await notify(ECHO_CHANNEL, echo.word)
      await echo.wait()
      await confirm()
      if (stopped) return
      pause = FIRST_PAUSE_MS
      onUp()
      up = true
    } catch (error) {
      if (!stopped) onFault(error)
      lost()
    }
  }
  void listen()

  return {
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
