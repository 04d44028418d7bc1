import type { SyncSources } from '../../changes/sync/read-changes.ts'
import { isBehind } from '../../changes/sync/read-page.ts'
import { RIGHTS } from '../../changes/live/live-stream.ts'
import type { SyncScope } from '../../changes/sync/query/parse-scope.ts'
import type { SyncToken } from '../../changes/sync/query/sync-token.ts'
import type { Shutdown } from '../router/shutdown.ts'
import type { Context } from '../router/state.ts'

type Head = SyncSources['head']

export interface FollowedLog {
  head(): Head
  onHead(listener: (head: Head) => void): () => void
  follow(): () => void
}

export interface Waited {
  readonly commitLog: FollowedLog
  readonly shutdown: Pick<Shutdown, 'onBegin'>
}

export interface Seen {
  readonly scope: SyncScope
  readonly next: SyncToken
  /** `SyncPage.reached` */
  readonly reached?: number
  readonly rightsSeq: number
}

/** `deadline` is on the clock of `performance.now()`. False on deadline, disconnect or shutdown. */
export function untilChanged(
  { commitLog, shutdown }: Waited,
  seen: Seen,
  deadline: number,
  ctx: Pick<Context, 'res' | 'set'>,
): Promise<boolean> {
  // The log may have advanced during the read, and its listeners are not called again.
  if (isChanged(seen, commitLog.head())) return Promise.resolve(true)
  return new Promise((resolve) => {
    const unfollow = commitLog.follow()
    const stop = (goesOn: boolean): void => {
      clearTimeout(timer)
      forget()
      stay()
      unfollow()
      ctx.res.off('close', gone)
      resolve(goesOn)
    }
    const gone = (): void => stop(false)
    const timer = setTimeout(gone, deadline - performance.now())
    const leave = (): void => {
      ctx.set('Connection', 'close') // the client reconnects to another process
      stop(false)
    }
    const stay = shutdown.onBegin(leave)
    const forget = commitLog.onHead((head) => {
      if (isChanged(seen, head)) stop(true)
    })
    ctx.res.once('close', gone)
  })
}

function isChanged({ next, reached = next.seq, scope, rightsSeq }: Seen, head: Head): boolean {
  if (head.log !== next.log || isBehind({ ...next, seq: reached }, head, scope)) return true
  return head.types.some(({ type, seq }) => seq > rightsSeq && RIGHTS.has(type))
}
