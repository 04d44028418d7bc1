import { CommandError } from '../errors.ts'
import { recover } from './database.ts'
import type { Data } from './database.ts'

/** Writes that wait at the same time share one transaction of LMDB, and with it one sync of the disk. */
export interface GroupCommits {
  /**
   * Resolves when what `work` changed is on the disk, and rejects when nothing of it is there. `work` may run
   * more than once: what it leaves in memory beside applied units must bear that.
   */
  write<T>(work: () => T): Promise<T>
  /** Refuses what still waits. */
  close(): void
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** How the work of one that waited ended, before the commit. */
interface Outcome {
  readonly of: Waiting
  readonly result?: unknown
  readonly error?: unknown
}

export interface GroupOptions {
  /** So long a group goes on taking in others, who wait for its last one. @default 20 */
  readonly groupMs?: number
  /** How long a commit waits for as many as the one before it had, which took so long. */
  readonly waitMs?: (commitMs: number) => number
}

const GROUP_MS = 20
const LONGEST_WAIT_MS = 3

/**
 * A quarter of the time of a commit is worth its while: those who were answered together mostly write again
 * together, and half of them would have to wait for two commits. On a quick disk it is less than a timer can wait.
 */
export function waitFor(commitMs: number): number {
  return Math.min(Math.floor(commitMs / 4), LONGEST_WAIT_MS)
}

export function groupCommits(
  data: Data,
  { groupMs = GROUP_MS, waitMs = waitFor }: GroupOptions = {},
): GroupCommits {
  const queue: Waiting[] = []
  const last = { writers: 0, ms: 0 }
  let planned: NodeJS.Immediate | null = null
  let timer: NodeJS.Timeout | null = null
  const unplan = (): void => {
    clearTimeout(timer ?? undefined)
    clearImmediate(planned ?? undefined)
    planned = timer = null
  }
  const run = (): void => {
    unplan()
    const startedAt = performance.now()
    last.writers = commitSome(data, queue, groupMs)
    last.ms = performance.now() - startedAt
    plan()
  }
  const plan = (): void => {
    if (planned || queue.length === 0) return
    const wait = queue.length < last.writers ? waitMs(last.ms) : 0
    if (wait > 0) timer ??= setTimeout(run, wait)
    // After all sockets that have something to read were read: their writes join the group.
    else planned = setImmediate(run)
  }
  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        queue.push({ work, resolve, reject })
        plan()
      }),
    close: () => {
      unplan()
      for (const { reject } of queue.splice(0))
        reject(new CommandError('InterruptedAtShutdown', 'interrupted at shutdown'))
    },
  }
}

/** One of a group has failed after it began to change something: nothing of the group is left. */
class HalfDone extends Error {}

/** Returns how many it has answered. */
function commitSome(data: Data, queue: Waiting[], groupMs: number): number {
  const group: Waiting[] = []
  try {
    settle(runGroup(data, queue, { group, groupMs }))
  } catch (error) {
    // The write did not even begin.
    if (group.length === 0) group.push(...queue.splice(0))
    const isHalfDone = error instanceof HalfDone
    if (isHalfDone && group.length > 1) for (const one of group) commitAlone(data, one)
    else for (const { reject } of group) reject(isHalfDone ? error.cause : error)
  }
  return group.length
}

/** @throws HalfDone; what the commit failed with */
function runGroup(
  data: Data,
  queue: Waiting[],
  { group, groupMs }: { readonly group: Waiting[]; readonly groupMs: number },
): readonly Outcome[] {
  const endsAt = performance.now() + groupMs
  return commit(data, () => {
    const outcomes: Outcome[] = []
    do {
      const next = queue.shift()
      if (!next) break
      group.push(next)
      outcomes.push(runOne(data, next))
    } while (performance.now() < endsAt)
    return outcomes
  })
}

function runOne(data: Data, of: Waiting): Outcome {
  const before = data.store.changes()
  try {
    return { of, result: of.work() }
  } catch (error) {
    if (data.store.changes() !== before) throw new HalfDone('undone', { cause: error })
    return { of, error }
  }
}

function settle(outcomes: readonly Outcome[]): void {
  for (const { of, result, error } of outcomes) {
    if (error === undefined) of.resolve(result as never)
    else of.reject(error)
  }
}

function commitAlone(data: Data, { work, resolve, reject }: Waiting): void {
  try {
    resolve(commit(data, work) as never)
  } catch (error) {
    reject(error)
  }
}

function commit<T>(data: Data, work: () => T): T {
  try {
    const result = data.store.write(work)
    data.commits++
    return result
  } catch (error) {
    recover(data)
    throw error
  }
}
