import type { Document, Filter } from 'mongodb'
import type { Session } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'

/** Runs writes in a transaction, such as while no other process has taken over a rewrite of all rows. */
export type WriteTogether = (work: (session: Session) => Promise<void>) => Promise<void>

/** The number of rows in one transaction. */
const DELETED = 1_000

/** Deletes many rows in several transactions. */
export async function deleteRows<Row extends Document>(
  table: Table<Row>,
  filter: Filter<Row>,
  write: WriteTogether,
): Promise<void> {
  for (;;) {
    const options = { projection: { _id: 1 }, limit: DELETED, batchSize: DELETED + 1 } as const
    const rows = await table.find(filter, options).toArray()
    if (rows.length === 0) return
    const which = { _id: { $in: rows.map(({ _id }) => _id) } } as Filter<Row>
    await write(async (session) => {
      await table.deleteMany(which, { session })
    })
  }
}
