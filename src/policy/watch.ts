import { Client } from 'pg'
import type { ClientConfig } from 'pg'

import type { CurrentPolicy } from './current.js'

export interface PolicyWatch { stop(): Promise<void> }

export interface WatchOptions {
  readonly connection: ClientConfig
  readonly policy: CurrentPolicy
  readonly onFault: (error: unknown) => void
  /** how often the revision is asked for beside the notifications, in milliseconds */
  readonly intervalMs?: number
}

export const POLICY_CHANNEL = 'linkgate_policy'

const LONGEST_PAUSE_MS = 2_000

/**
 * Keeps the policy in force up to date: by notification, over a connection of its own, and by a check at an interval, so
 * that a lost notification or a dead connection costs at most that interval (promise 2). A load that fails keeps the last
 * good policy and is tried again with the next check (promise 3).
 */
export const watchPolicy = ({ connection, policy, onFault, intervalMs = 400 }: WatchOptions): PolicyWatch => {
  let stopped = false
  let client: Client | null = null
  let pause = 50
  let retry: NodeJS.Timeout | undefined

  const refresh = () => void policy.refresh().catch(onFault)
  const timer = setInterval(refresh, intervalMs)
  timer.unref()

  const listen = async () => {
    if (stopped) return
    const listening = new Client({ ...connection, keepAlive: true, connectionTimeoutMillis: 5_000 })
    client = listening
    const lost = () => {
      listening.removeAllListeners()
      // an error after the end has nobody left to tell
      listening.on('error', () => undefined)
      void listening.end().catch(() => undefined)
      if (stopped || client !== listening) return
      client = null
      retry = setTimeout(() => void listen(), pause)
      retry.unref()
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
    listening.on('error', lost)
    listening.on('end', lost)
    listening.on('notification', refresh)
    try {
      await listening.connect()
      await listening.query(`listen ${POLICY_CHANNEL}`)
      pause = 50
      // what was notified while nobody listened
      refresh()
    } catch (error) {
      onFault(error)
      lost()
    }
  }
  void listen()

  return {
    stop: async () => {
      stopped = true
      clearInterval(timer)
      clearTimeout(retry)
      const last = client
      client = null
      await last?.end().catch(() => undefined)
    },
  }
}
