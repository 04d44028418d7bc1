import type { AfterCommit } from '../../extensions/commit-follower.ts'
import type { ContentService } from '../../extensions/content-service.ts'
import type { FollowerTimes } from '../../extensions/extension-host.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { tryLease } from '../../mongo/system/lease.ts'
import { followLog, type MissedCommits } from '../follow-log.ts'
import type { FollowerCalls } from './call-follower.ts'
import { sweepDeadLetters } from './dead-letters.ts'
import { ensureExtensionDeliveries } from './delivery-rows.ts'
import { followCommits, type Following } from './follow-commits.ts'
import { ensureFollower, openLeadership } from './follower-rows.ts'
import { openDeliveryRetries } from './retry-deliveries.ts'

/** A call of an extension and the chain of extensions that its writes continue. */
export interface FollowerCall {
  readonly extension: string
  readonly depth: number
  readonly signal: AbortSignal
}

export interface FailedFollower {
  readonly extension: string
  readonly type: string
  readonly error: unknown
}

export interface FollowersOptions {
  readonly database: Database
  readonly extensions: Pick<ExtensionRegistry, 'afterCommit'>
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly content: (call: FollowerCall) => ContentService
  readonly now: () => Date
  readonly onFailure: (failed: FailedFollower) => void
  readonly onMissed: (missed: MissedCommits & { readonly extension: string }) => void
  readonly onBackgroundError: (error: unknown) => void
  readonly times?: FollowerTimes
}

export interface Followers {
  close(): Promise<void>
}

const CALL_MS = 30_000
const LEASE_MS = 15_000
const SWEEP_INTERVAL_MS = 3_600_000

export async function openFollowers(options: FollowersOptions): Promise<Followers> {
  const { database, now, onBackgroundError } = options
  const handlers = handlersByExtension(options.extensions)
  if (handlers.size === 0) return { close: () => Promise.resolve() }
  await ensureExtensionDeliveries(database)
  const stopping = new AbortController()
  const open = await Promise.all(
    [...handlers].map(([extension, byType]) =>
      openFollower(options, { extension, handlers: byType, stopping: stopping.signal }),
    ),
  )
  const sweep = setInterval(() => {
    tryLease(database, 'extension deliveries', SWEEP_INTERVAL_MS / 2, () =>
      sweepDeadLetters(database, now()),
    ).catch(onBackgroundError)
  }, SWEEP_INTERVAL_MS)
  sweep.unref()
  for (const { follower } of open) follower.wake()
  return {
    close: async () => {
      clearInterval(sweep)
      stopping.abort(new Error('The server stopped'))
      await Promise.all(open.map(({ close }) => close()))
    },
  }
}

async function openFollower(
  options: FollowersOptions,
  given: Pick<FollowerCalls, 'extension' | 'handlers' | 'stopping'>,
) {
  const { database, commitLog, now, onBackgroundError } = options
  const { content, onFailure, onMissed, times = {} } = options
  const { extension } = given
  await ensureFollower(database, extension, commitLog.head())
  const calls: FollowerCalls = {
    ...given,
    content: (call) => content({ ...call, extension }),
    onFailure: (failed) => onFailure({ ...failed, extension }),
    timeoutMs: times.callMs ?? CALL_MS,
  }
  const leaseMs = times.leaseMs ?? LEASE_MS
  const leadership = openLeadership({ database, extension, leaseMs, now })
  const { delays, stepMs } = times
  const retrying = { database, calls, now, onBackgroundError }
  const deliveries = await openDeliveryRetries({ ...retrying, ...(delays && { delays }) })
  const rest = { ...retrying, leadership, deliveries, onMissed }
  const following: Following = { ...rest, ...(stepMs !== undefined && { stepMs }) }
  const follower = followLog({
    commitLog,
    step: (head) => followCommits(following, head),
    onError: onBackgroundError,
  })
  return {
    follower,
    close: async () => {
      await follower.close()
      await deliveries.close()
      await leadership.release()
    },
  }
}

function handlersByExtension({
  afterCommit,
}: Pick<ExtensionRegistry, 'afterCommit'>): ReadonlyMap<string, ReadonlyMap<string, AfterCommit>> {
  const byExtension = new Map<string, Map<string, AfterCommit>>()
  for (const [type, registered] of afterCommit) {
    for (const { extension, run } of registered) {
      const handlers = byExtension.get(extension) ?? new Map<string, AfterCommit>()
      byExtension.set(extension, handlers)
      handlers.set(type, run)
    }
  }
  return byExtension
}
