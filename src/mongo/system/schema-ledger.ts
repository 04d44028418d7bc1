import { completeLedger, EMPTY_LEDGER, type Ledger } from '../../schema/ledger/ledger.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { ConfigError } from '../../base/errors.ts'

interface LedgerRow extends Ledger {
  readonly _id: 'ledger'
}

/** The names that attributes, content-types and components have had. */
const COLLECTION = 'quire_schema'

export const UNFINISHED_COMPACTION =
  'Values are moved to the names of their attributes, and this is unfinished: repeat `quire schema compact`, or start the server'

function rowsIn(database: Database) {
  return database.table<LedgerRow>(COLLECTION)
}

export async function readLedger(database: Database): Promise<Ledger> {
  const row = await rowsIn(database.majority).findOne({ _id: 'ledger' })
  if (row === null) return EMPTY_LEDGER
  const { _id, ...ledger } = row
  return completeLedger(ledger)
}

/** Returns false if another process has changed the ledger since it was read. @throws ConfigError during a compaction */
export async function replaceLedger(
  database: Database,
  before: Ledger,
  after: Ledger,
  session?: Session,
): Promise<boolean> {
  if (before.compacting !== undefined) throw new ConfigError([UNFINISHED_COMPACTION])
  return replaceMarked(database, before, after, session)
}

/** Also while values move, in the transaction of the move. */
export async function replaceMarked(
  database: Database,
  before: Ledger,
  after: Ledger,
  session?: Session,
): Promise<boolean> {
  const rows = rowsIn(database)
  if (before.version > 0) {
    const which = { _id: 'ledger', version: before.version } as const
    return (await rows.replaceOne(which, after, { session })).matchedCount === 1
  }
  try {
    await rows.insertOne({ _id: 'ledger', ...after })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
