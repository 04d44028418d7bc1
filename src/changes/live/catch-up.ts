import { assertFollowable, type SyncCaller } from '../sync/settle.ts'
import { CmsError, SyncTokenExpiredError, UnauthorizedError } from '../../base/errors.ts'
import type { SyncLocales } from '../sync/query/synced-locales.ts'
import { type Subscribers, pauseSubscriber, type Subscriber } from './subscribers.ts'
import type { LostReason } from './live-events.ts'
import type { LiveCommit, LiveLog } from './live-log.ts'
import type { LiveStream, SharedTexts } from './live-stream.ts'

export interface CatchUpOptions {
  readonly audience: Subscribers
  readonly log: LiveLog
  readonly locales: { current(): Promise<SyncLocales> }
  readonly shared: SharedTexts
  readonly times: Times
  readonly onBackgroundError: (error: unknown) => void
}

export interface Times {
  readonly heartbeatMs: number
  readonly recheckMs: number
  /** Maximum staleness of cached permissions: `mongo/system/versioned-cache.ts`. */
  readonly rightsMs: number
}

const RETRY_MS = 1_000
const MAX_BACKLOG = 8_192

export async function sendPending(
  options: CatchUpOptions,
  listener: Subscriber,
  known?: SyncCaller,
): Promise<void> {
  if (listener.isClosed) return
  listener.isBusy = true
  listener.isJoined = false
  try {
    await sendOrEnd(options, listener, known)
  } catch (error) {
    if (error instanceof UnauthorizedError) options.audience.end(listener, 'credentials')
    else if (error instanceof CmsError) pauseSubscriber(listener, RETRY_MS * (1 + Math.random()))
    else {
      options.onBackgroundError(error)
      options.audience.end(listener, 'error')
    }
  } finally {
    listener.isBusy = false
  }
}

async function sendOrEnd(
  options: CatchUpOptions,
  listener: Subscriber,
  known: SyncCaller | undefined,
): Promise<void> {
  const { log, audience } = options
  const { stream } = listener
  const until = log.position().seq
  const caller = known ?? (await stream.client.identify())
  const locales = await options.locales.current()
  const lost = lossOf(stream, log)
  if (lost === null) stream.settle(caller, log.position(), locales)
  else stream.lose(lost, caller, log.position(), locales)
  if (stream.isPermitted(caller)) await catchUp(options, listener, until)
  else audience.end(listener, 'permission')
}

function lossOf(stream: LiveStream, log: LiveLog): LostReason | null {
  try {
    assertFollowable(stream.token, log.position())
  } catch (error) {
    if (error instanceof SyncTokenExpiredError) return error.reason
    throw error
  }
  return log.position().seq - stream.token.seq > MAX_BACKLOG ? 'backlog' : null
}

async function catchUp(
  options: CatchUpOptions,
  listener: Subscriber,
  until: number,
): Promise<void> {
  const { log } = options
  const { stream } = listener
  const { sink } = stream.client
  if (sink.isBehind()) await sink.drained()
  while (!listener.isClosed && stream.token.seq < log.position().seq) {
    const commits = await log.after(stream.token.seq)
    if (commits === null) {
      pauseSubscriber(listener, 0) // the log has already deleted these commits
      return
    }
    for (const commit of commits) {
      if (sendCommit(options, listener, commit) && commit.seq > until) return
      if (sink.isBehind()) await sink.drained()
    }
  }
  listener.isJoined = true
  listener.dueAt = performance.now() + options.times.recheckMs
}

/** Returns whether the commit may affect the rights of the client, which suspends the stream. */
export function sendCommit(
  { shared, times }: Pick<CatchUpOptions, 'shared' | 'times'>,
  listener: Subscriber,
  commit: LiveCommit,
): boolean {
  const { stream } = listener
  stream.tell(commit, shared)
  const isAffected = commit.items.some((item) => stream.isAffected(item))
  if (isAffected) pauseSubscriber(listener, times.rightsMs)
  return isAffected
}
