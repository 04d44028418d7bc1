import { ServiceUnavailableError } from '../../base/errors.ts'
import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { SyncLocales } from '../sync/query/synced-locales.ts'
import { createWorkQueue, type WorkQueue } from '../../base/work-queue.ts'
import { openAddressShares } from './address-shares.ts'
import { Subscribers, pauseSubscriber } from './subscribers.ts'
import { sendPending, type CatchUpOptions, sendCommit, type Times } from './catch-up.ts'
import { HEARTBEAT } from './live-events.ts'
import { type LiveLog, openLiveLog } from './live-log.ts'
import { type LiveClient, LiveStream, openSharedTexts } from './live-stream.ts'

export interface LiveStreams {
  /** `begin` runs after the last check, before the first write. @throws ServiceUnavailableError */
  open(client: LiveClient, begin: () => void): Promise<OpenStream>
  counts(): LiveCounts
  endAll(): void
  close(): Promise<void>
}

export interface OpenStream {
  close(): void
}

export interface LiveCounts {
  readonly open: number
  readonly told: number
}

export interface LiveStreamsOptions {
  readonly database: Database
  readonly commitLog: Pick<CommitLog, 'head' | 'refresh' | 'onHead' | 'onLook' | 'follow'>
  readonly locales: { current(): Promise<SyncLocales> }
  readonly max: number
  /** Per IP address, so that one client cannot take all streams. */
  readonly maxPerAddress: number
  readonly onBackgroundError: (error: unknown) => void
  readonly times?: Partial<Times>
}

const TIMES: Times = { heartbeatMs: 15_000, recheckMs: 60_000, rightsMs: 1_100 }
const SWEEP_MS = 500
/** Limits the checks of rights per sweep, to spread their load. */
const MAX_RECHECKS = 100
const CONCURRENCY = 8
/** With more listeners, each commit yields to the event loop. */
const YIELD_ABOVE_STREAMS = 50

export function openLiveStreams(options: LiveStreamsOptions): LiveStreams {
  const audience = new Subscribers(options.commitLog)
  const times = { ...TIMES, ...options.times }
  const parts = { ...options, audience, times, shared: openSharedTexts(), turns: openTurns() }
  let told = 0
  const log = openLog(parts, () => {
    told += 1
  })
  const stop = beginTimers({ ...parts, log })
  let isEnded = false
  const held = openAddressShares()
  const assertRoom = ({ address }: LiveClient): void => {
    const isFull = audience.size >= options.max || held.of(address) >= options.maxPerAddress
    if (!isEnded && !isFull) return
    throw new ServiceUnavailableError('Too many streams at a time', {}, { code: 'overloaded' })
  }
  return {
    open: async (client, begin) => {
      assertRoom(client)
      const release = held.add(client.address)
      try {
        const opening = () => open({ ...parts, log }, client, begin, () => isEnded)
        const stream = await audience.opening(opening)
        return {
          close: () => {
            release()
            stream.close()
          },
        }
      } catch (error) {
        release()
        throw error
      }
    },
    counts: () => ({ open: audience.listeners.size, told }),
    endAll: () => {
      isEnded = true
      for (const listener of audience.listeners) audience.end(listener, 'shutdown')
    },
    close: async () => {
      stop()
      await log.close()
    },
  }
}

type Parts = Omit<CatchUpOptions, 'log'> &
  LiveStreamsOptions & { readonly turns: WorkQueue } & {
    readonly times: Times
  }

function openTurns(): WorkQueue {
  return createWorkQueue({
    concurrency: CONCURRENCY,
    maxWaiting: Infinity,
    maxWaitMs: 10_000,
    refusal: 'Too many streams at a time',
  })
}

function openLog(parts: Parts, onTold: () => void): LiveLog {
  const { audience } = parts
  return openLiveLog({
    ...parts,
    isHeard: () => audience.size > 0,
    onRestart: () => {
      for (const listener of audience.listeners) pauseSubscriber(listener, 0)
    },
    onCommit: async (commit) => {
      for (const listener of audience.listeners) {
        if (!listener.isJoined) continue
        sendCommit(parts, listener, commit)
        if (listener.stream.client.sink.isBehind()) pauseSubscriber(listener, 0) // the client catches up from the log when it reads
        onTold()
      }
      if (audience.size > YIELD_ABOVE_STREAMS) await new Promise((resolve) => setImmediate(resolve))
    },
  })
}

async function open(
  parts: Parts & { readonly log: LiveLog },
  client: LiveClient,
  begin: () => void,
  isEnded: () => boolean,
): Promise<OpenStream> {
  const { log, audience, times, turns } = parts
  if (client.token !== null) await log.reach(client.token)
  const caller = await client.identify()
  const locales = await parts.locales.current()
  if (isEnded()) throw new ServiceUnavailableError('The server is stopping')
  begin()
  const listener = audience.add(new LiveStream(client, caller, log.position(), locales))
  listener.stream.begin()
  void turns.run(
    async () => {
      await sendPending(parts, listener, caller)
      // The cached permissions may have been stale.
      if (listener.isJoined) listener.dueAt = performance.now() + times.rightsMs
    },
    { isUrgent: true },
  )
  return { close: () => audience.remove(listener) }
}

function beginTimers(parts: Parts & { readonly log: LiveLog }): () => void {
  const { audience, turns, times } = parts
  const sweep = (): void => {
    const now = performance.now()
    let asked = 0
    for (const listener of audience.listeners) {
      if (listener.isBusy || listener.dueAt > now) continue
      if (listener.isJoined && (asked += 1) > MAX_RECHECKS) continue
      listener.isBusy = true
      void turns.run(() => sendPending(parts, listener), { isUrgent: true })
    }
  }
  const beat = (): void => {
    for (const { stream } of audience.listeners) {
      stream.client.sink.write(stream.lag() ?? HEARTBEAT)
    }
  }
  const timers = [setInterval(sweep, SWEEP_MS), setInterval(beat, times.heartbeatMs)]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
