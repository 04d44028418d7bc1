import { ServiceUnavailableError } from '../../base/errors.ts'
import type { Ledger } from '../../schema/ledger/ledger.ts'
import type { Database } from '../connection/database.ts'
import { storesSameValues } from './pending-conversions.ts'
import { readLedger } from '../system/schema-ledger.ts'

/** Stored values no longer have the types and names of this process. */
export class OutdatedReleaseError extends ServiceUnavailableError {
  protected override readonly usualCode = 'older_release'
  override readonly name = 'ServiceUnavailableError'

  constructor() {
    super(
      'This process has paused for too long, and another release has rewritten the stored values; restart it',
    )
  }
}

/**
 * @param entered the ledger with the types of this process
 * @throws OutdatedReleaseError
 */
export async function assertSameValues(database: Database, entered: Ledger): Promise<void> {
  if (!storesSameValues(entered, await readLedger(database))) throw new OutdatedReleaseError()
}
