import { openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { openRunner } from '../../mongo/jobs/runner.ts'
import { USER } from '../../people/accounts/users.ts'
import { runUserContent, type UserContentContext } from './run-user-content.ts'
import { USER_CONTENT, type UserContentRow } from './user-content-rows.ts'

export interface UserContentOptions extends UserContentContext {
  readonly onBackgroundError: (error: unknown) => void
}

export interface UserContentWork {
  wake(): void
  close(): Promise<void>
}

/** For work of processes that were killed. New work wakes the process that stores it. */
const LOOK_MS = 5_000
const LEASE_MS = 10_000
/** A batch takes seconds. After this time, another process takes over. */
const MAX_HELD_MS = 24 * 60 * 60_000

/** Processes the content of deleted and merged users until `close`. */
export async function openUserContent(options: UserContentOptions): Promise<UserContentWork> {
  const { onBackgroundError, ...context } = options
  const { database, now } = context.documents
  const queue = await openJobQueue<UserContentRow>({
    database,
    collection: USER_CONTENT,
    leaseMs: LEASE_MS,
    now,
  })
  const lane = {
    atOnce: 1,
    next: async () => {
      const job = await queue.claim()
      if (job === null) return null
      return () => queue.hold(job, () => runUserContent(context, queue, job), MAX_HELD_MS)
    },
  }
  const runner = openRunner({
    lanes: [lane],
    soon: (leastMs) => queue.nextWithin(LOOK_MS, {}, leastMs),
    onError: onBackgroundError,
    lookMs: LOOK_MS,
  })
  const unsubscribe = database.onCommit((items) => {
    if (items.some(({ type, op }) => type === USER && op === 'delete')) runner.wake()
  })
  runner.wake()
  return {
    wake: () => runner.wake(),
    close: async () => {
      unsubscribe()
      await runner.close()
    },
  }
}
