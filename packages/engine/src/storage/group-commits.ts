import { CommandError } from '../errors.ts'
import { recoverData } from './database.ts'
import type { Data } from './database.ts'

/** Pending writes share one LMDB transaction and one disk sync. */
export interface GroupCommits {
  /**
   * Resolves when the changes are on disk. `work` may run more than once, so its effects in memory
   * must be repeatable.
   */
  write<T>(work: () => T): Promise<T>
  /** Delays commits until the returned function is called. */
  hold(): () => void
  /** Null unless commits are held. */
  released(): Promise<void> | null
  close(): void
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

interface Outcome {
  readonly of: Waiting
  readonly result?: unknown
  readonly error?: unknown
}

export interface GroupOptions {
  /** Milliseconds that a group accepts further writes. @default 20 */
  readonly groupMs?: number
  /**
   * How long to wait until the group is as large as the last one, by the duration of its commit.
   */
  readonly waitMs?: (commitMs: number) => number
}

const GROUP_MS = 20
const MAX_GROUP_WAIT_MS = 3

/**
 * Returns the time to wait for further writers, 0 on a fast disk. Clients whose writes end in the same
 * commit usually write again at the same time. Without the wait, half of them would wait for two
 * commits.
 */
export function computeGroupWait(commitMs: number): number {
  return Math.min(Math.floor(commitMs / 4), MAX_GROUP_WAIT_MS)
}

export function groupCommits(
  data: Data,
  { groupMs = GROUP_MS, waitMs = computeGroupWait }: GroupOptions = {},
): GroupCommits {
  const queue: Waiting[] = []
  const last = { writers: 0, ms: 0 }
  const holds = createHolds(() => plan())
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
    if (planned || queue.length === 0 || holds.released() !== null) return
    const wait = queue.length < last.writers ? waitMs(last.ms) : 0
    if (wait > 0) timer ??= setTimeout(run, wait)
    // After pending socket reads, so that their writes join the group.
    else planned = setImmediate(run)
  }
  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        queue.push({ work, resolve, reject })
        plan()
      }),
    hold: () => {
      unplan()
      return holds.add()
    },
    released: () => holds.released(),
    close: () => {
      unplan()
      for (const { reject } of queue.splice(0))
        reject(new CommandError('InterruptedAtShutdown', 'interrupted at shutdown'))
    },
  }
}

interface Holds extends Pick<GroupCommits, 'released'> {
  add(): () => void
}

function createHolds(onRelease: () => void): Holds {
  const active = new Set<() => void>()
  let pause: { readonly over: Promise<void>; readonly end: () => void } | null = null
  const begin = (): { over: Promise<void>; end: () => void } => {
    let end = (): void => undefined
    const over = new Promise<void>((resolve) => (end = resolve))
    return { over, end }
  }
  return {
    released: () => pause?.over ?? null,
    add: () => {
      pause ??= begin()
      const release = (): void => {
        if (!active.delete(release) || active.size > 0) return
        pause?.end()
        pause = null
        onRelease()
      }
      active.add(release)
      return release
    },
  }
}

/** A write of the group failed after its first change, so the whole group is undone. */
class HalfDone extends Error {}

function commitSome(data: Data, queue: Waiting[], groupMs: number): number {
  const group: Waiting[] = []
  try {
    settle(runGroup(data, queue, { group, groupMs }))
  } catch (error) {
    // The write could not start.
    if (group.length === 0) group.push(...queue.splice(0))
    const isHalfDone = error instanceof HalfDone
    if (isHalfDone && group.length > 1) for (const one of group) commitAlone(data, one)
    else for (const { reject } of group) reject(isHalfDone ? error.cause : error)
  }
  return group.length
}

/** @throws HalfDone; the error of the commit */
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
    data.history.commit()
    return result
  } catch (error) {
    data.history.discard()
    recoverData(data)
    throw error
  }
}
