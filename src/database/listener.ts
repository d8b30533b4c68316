import { Client } from 'pg'
import type { ClientConfig } from 'pg'

/** One connection that hears what the database notifies. */
export interface Listener {
  /** true while the connection stands */
  readonly up: boolean
  /**
   * The time, as `performance.now()` gives it, up to which everything that was committed and notified is known to have arrived
   * here. It stays behind where the connection hangs or is lost.
   */
  readonly confirmedAt: number
  stop(): Promise<void>
}

export interface ListenerOptions {
  /** straight to the server: a pooler in transaction mode hands no notification on */
  readonly connection: ClientConfig
  /** what is done with a payload, by channel */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** told whenever the connection stands anew: what was notified in between was missed */
  readonly onUp: () => void
  readonly onFault: (error: unknown) => void
  readonly heartbeatMs?: number
}

const LONGEST_PAUSE_MS = 2_000
const FIRST_PAUSE_MS = 50
/** A heartbeat that is not answered for so long ends the connection: a network that swallows packets tells nobody. */
const SILENCE_MS = 1_500

/** Listens until it is stopped, and connects again as often as it takes. */
export const openListener = ({ connection, channels, onUp, onFault, heartbeatMs = 400 }: ListenerOptions): Listener => {
  let stopped = false
  let client: Client | null = null
  let up = false
  let confirmedAt = Number.NEGATIVE_INFINITY
  let pause = FIRST_PAUSE_MS
  let retry: NodeJS.Timeout | undefined

  const listen = async () => {
    const listening = new Client({ ...connection, application_name: 'linkgate listener', keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: SILENCE_MS })
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
    /** Answers come behind what was notified before them, on the same connection. */
    const confirm = async () => {
      const asked = performance.now()
      await listening.query('select')
      confirmedAt = asked
      beat = setTimeout(() => void confirm().catch(lost), heartbeatMs)
      beat.unref()
    }
    listening.on('error', lost)
    listening.on('end', lost)
    listening.on('notification', ({ channel, payload = '' }) => channels[channel]?.(payload))
    try {
      await listening.connect()
      await listening.query(Object.keys(channels).map((channel) => `listen ${channel}`).join('; '))
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
    get up() { return up },
    get confirmedAt() { return confirmedAt },
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
