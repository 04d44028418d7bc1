import type { Ledger } from './ledger.ts'
import type { LoadClient } from './load-client.ts'

/** What each client of the load works with. */
export interface Work {
  readonly client: LoadClient
  readonly ledger: Ledger
  /** Whether it is to end, after what it has begun. */
  readonly isOver: () => boolean
}

/** Whoever was cut off has its key for ten seconds yet; the same request may succeed then. */
export const KEY_IN_USE: readonly number[] = [409]
