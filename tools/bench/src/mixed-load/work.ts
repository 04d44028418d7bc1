import type { Ledger } from './ledger.ts'
import type { LoadClient } from './load-client.ts'

export interface WorkContext {
  readonly client: LoadClient
  readonly ledger: Ledger
  /** True if the client should stop after its current step. */
  readonly isOver: () => boolean
}

/** The key of an interrupted request stays locked for ten seconds. Then a retry can succeed. */
export const KEY_IN_USE: readonly number[] = [409]
