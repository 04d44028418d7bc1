import type { Grants } from '../../people/access/principal.ts'
import type { SyncPage } from '../../changes/sync/read-page.ts'
import { type ShareByKey, shareByKey } from '../../base/share-by-key.ts'
import { createWorkQueue } from '../../base/work-queue.ts'

/** Otherwise one write would cause a database read per waiting client. */
export interface SharedPages {
  /** `asked` identifies the page among principals with the same grants. @throws ServiceUnavailableError */
  read(grants: Grants, asked: string, read: () => Promise<SyncPage>): Promise<SyncPage>
  /** Queues work that cannot be shared. @throws ServiceUnavailableError */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

/** A fraction of the connection pool, so that new requests find free connections. */
const AT_A_TIME = 8
const MAX_WAIT_MS = 10_000

export function openSharedPages(mostWaiting: number): SharedPages {
  const turns = createWorkQueue({
    concurrency: AT_A_TIME,
    maxWaiting: mostWaiting,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'Too many clients wait for changes',
  })
  // Grants are compared by identity, because changed roles are loaded as new objects.
  const shares = new WeakMap<Grants, ShareByKey<string, SyncPage>>()
  const readOnce: SharedPages['read'] = (grants, asked, read) => {
    const share = shares.get(grants) ?? shareByKey()
    shares.set(grants, share)
    return share(asked, () => turns.run(read))
  }
  return { read: readOnce, inTurn: (work) => turns.run(work) }
}
