import { AsyncResource } from 'node:async_hooks'
import type { CommitListener, Database } from '../connection/database.ts'
import { tryLease } from '../system/lease.ts'
import { releaseOverdue } from './bulk-intents.ts'
import { ensureHead, type Head, readHead } from './heads.ts'
import { examineLog, type LogHealth } from './log-health.ts'
import { type ObservedLog, observeLog } from './observe-log.ts'
import { type HeadMoment, type HeadWanted, readAtHead } from './read-at-head.ts'
import { openPace, type Pace } from '../../base/pace.ts'
import { sweepLog } from './retention.ts'
import { type Numbered, type SeenCommit, sequence } from './sequencer.ts'

export interface CommitLog {
  head(): Head
  refresh(): Promise<Head>
  /** Runs reads of data at least as new as the head (`readAtHead`) and the position of the client. */
  readAtHead<T>(wanted: Omit<HeadWanted, 'known'>, work: (at: HeadMoment) => Promise<T>): Promise<T>
  seenAt(): number
  onHead(listener: (head: Head) => void): () => void
  onOwnCommit(listener: CommitListener): () => void
  look(): Promise<ObservedLog>
  onLook(listener: (observed: ObservedLog) => void): () => void
  /** Polls more often while a request waits for the next commit. Returns a function that ends this. */
  follow(): () => void
  health(): Promise<LogHealth>
  close(): Promise<void>
}

export interface CommitLogOptions {
  readonly database: Database
  readonly retentionDays: number
  readonly historyDays: number
  readonly onBackgroundError: (error: unknown) => void
  readonly lookMs?: number
}

const LOOK_MS = 500
const FOLLOW_MS = 150
const DAY_MS = 86_400_000
const SWEEP_EVERY_MS = 60_000

export async function openCommitLog(options: CommitLogOptions): Promise<CommitLog> {
  const { database, onBackgroundError, lookMs = LOOK_MS } = options
  await ensureHead(database)
  const first = await readHead(database)
  const known = watchHead(first)
  const { look, onLook, noteNumbered } = openLooks(database, first, known.see)
  const number = async (): Promise<boolean> => {
    const { head, numbered, more } = await sequence(database)
    if (numbered !== null) noteNumbered(numbered)
    if (head !== null) known.see(head)
    return more
  }
  const pace = paceOf(number, onBackgroundError)
  const forget = database.onCommit(() => pace.wake())
  const { follow, restMs } = openFollowers(lookMs)
  const stopLooking = every(
    restMs,
    onBackgroundError,
    lookOnce(look, () => pace.wake()),
  )
  const stopSweeping = every(
    () => SWEEP_EVERY_MS,
    onBackgroundError,
    () => sweepOnce(options),
  )
  return {
    head: known.head,
    refresh: async () => {
      known.see(await readHead(database))
      return known.head()
    },
    readAtHead: (wanted, work) =>
      readAtHead(database, { ...wanted, known: known.head() }, (at) => {
        known.see(at.head)
        return work(at)
      }),
    seenAt: known.seenAt,
    onHead: known.onHead,
    onOwnCommit: (listener) => database.onCommit(listener),
    look,
    onLook,
    follow,
    health: () => examineLog(database, new Date()),
    close: async () => {
      forget()
      await Promise.all([stopLooking(), stopSweeping(), pace.stop()])
      await numberTheRest(database).catch(onBackgroundError) // the next process does it
    },
  }
}

function paceOf(number: () => Promise<boolean>, onError: (error: unknown) => void): Pace {
  return openPace({
    // Detaches the sequencer from the context of the request that has woken it.
    run: AsyncResource.bind(() =>
      number().catch((error: unknown) => {
        onError(error)
        return false // woken again by the next poll
      }),
    ),
  })
}

function openFollowers(lookMs: number) {
  let followers = 0
  return {
    restMs: () => (followers > 0 ? Math.min(FOLLOW_MS, lookMs) : lookMs),
    follow: () => {
      followers += 1
      return () => {
        followers -= 1
      }
    },
  }
}

async function numberTheRest(database: Database): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const { head, more } = await sequence(database)
    if (head !== null && !more) return
  }
}

function openLooks(database: Database, first: Head, see: (head: Head) => void) {
  const listeners = new Set<(observed: ObservedLog) => void>()
  let lookedTo = first
  const numbered = new Map<number, SeenCommit>()
  return {
    noteNumbered: ({ from, commits }: Numbered): void => {
      for (const [index, commit] of commits.entries()) numbered.set(from + index, commit)
    },
    look: async (): Promise<ObservedLog> => {
      const observed = await observeLog(database, lookedTo, numbered)
      for (const seq of numbered.keys()) if (seq <= observed.head.seq) numbered.delete(seq)
      lookedTo = observed.head
      see(observed.head)
      for (const listen of listeners) listen(observed)
      return observed
    },
    onLook: (listener: (observed: ObservedLog) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function watchHead(first: Head) {
  const listeners = new Set<(head: Head) => void>()
  let head = first
  let seenAt = performance.now()
  return {
    head: () => head,
    seenAt: () => seenAt,
    see: (seen: Head): void => {
      if (seen.log === head.log && seen.version < head.version) return // a late reply of an earlier read
      seenAt = performance.now()
      const isNewer = seen.seq !== head.seq || seen.log !== head.log
      head = seen
      if (isNewer) for (const listen of listeners) listen(seen)
    },
    onHead: (listener: (head: Head) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A commit that stays unnumbered for two polls has a dead sequencer. */
function lookOnce(look: () => Promise<ObservedLog>, wake: () => void): () => Promise<void> {
  let waiting: string | null = null
  return async () => {
    const { head, waiting: oldest } = await look()
    const unfinished = head.assigning === null ? null : `version ${head.version}`
    const found = oldest ?? unfinished
    if (found !== null && found === waiting) wake()
    waiting = found
  }
}

async function sweepOnce({
  database,
  retentionDays,
  historyDays,
}: CommitLogOptions): Promise<void> {
  await tryLease(database, 'commit log', SWEEP_EVERY_MS, async () => {
    const now = Date.now()
    await releaseOverdue(database, new Date(now))
    await sweepLog(database, {
      log: new Date(now - retentionDays * DAY_MS),
      history: new Date(now - historyDays * DAY_MS),
    })
  })
}

function every(
  restMs: () => number,
  onError: (error: unknown) => void,
  run: () => Promise<void>,
): () => Promise<void> {
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const plan = (): void => {
    timer = setTimeout(() => {
      running = run()
        .catch(onError)
        .then(() => {
          if (!isStopped) plan()
        })
    }, restMs())
    timer.unref()
  }
  plan()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}
