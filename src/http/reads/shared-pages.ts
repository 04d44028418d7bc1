import type { Grants } from '../../access/principal.ts'
import type { SyncPage } from '../../documents/sync/read-page.ts'
import { createWorkQueue } from '../../work-queue.ts'

/**
 * Pages of changes for all clients that one change wakes: equal requests share a page, and different ones take
 * turns. Otherwise one write would cause as many reads of the database as clients wait.
 */
export interface SharedPages {
  /** `asked` is equal where pages are, for those with the same grants. @throws ServiceUnavailableError */
  read(grants: Grants, asked: string, read: () => Promise<SyncPage>): Promise<SyncPage>
  /** Work of one of them alone, in its turn. @throws ServiceUnavailableError */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

/** As a fraction of the connections to the database: the others are for who has just come. */
const AT_A_TIME = 8
const LONGEST_MS = 10_000

export function openSharedPages(mostWaiting: number): SharedPages {
  const turns = createWorkQueue({
    concurrency: AT_A_TIME,
    maxWaiting: mostWaiting,
    maxWaitMs: LONGEST_MS,
    refusal: 'Too many clients wait for changes',
  })
  // Roles are loaded anew when they have changed: an object that was seen before permits what it did.
  const underWay = new WeakMap<Grants, Map<string, Promise<SyncPage>>>()
  const readOnce: SharedPages['read'] = (grants, asked, read) => {
    const pages = underWay.get(grants) ?? new Map<string, Promise<SyncPage>>()
    underWay.set(grants, pages)
    const other = pages.get(asked)
    if (other !== undefined) return other
    const reading = turns.run(read).finally(() => pages.delete(asked))
    pages.set(asked, reading)
    return reading
  }
  return { read: readOnce, inTurn: (work) => turns.run(work) }
}
