import type { Filter, IndexDescription } from 'mongodb'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { Table } from '../../mongo/connection/table.ts'

interface ExpiringRow {
  readonly expiresAt: Date
}

export interface ExpiringRows<Row extends ExpiringRow> {
  readonly rows: Table<Row>
  /** Deletes expired rows at most once per minute. Call it before rows are added. */
  readonly sweep: () => Promise<void>
}

export interface ExpiringRowsOptions {
  readonly db: Database
  readonly collection: string
  readonly indexes?: readonly IndexDescription[]
  readonly now: () => Date
}

const SWEEP_INTERVAL_MS = 60_000

/** Rows are deleted on use, because not every engine has indexes that expire rows. */
export async function openExpiringRows<Row extends ExpiringRow>({
  db,
  collection,
  indexes = [],
  now,
}: ExpiringRowsOptions): Promise<ExpiringRows<Row>> {
  const rows = db.table<Row>(collection)
  await ensureIndexes(rows, [...indexes, { key: { expiresAt: 1 }, name: 'expiresAt' }])
  let sweptAt = -Infinity
  return {
    rows,
    sweep: async () => {
      const at = now()
      if (Math.abs(at.getTime() - sweptAt) < SWEEP_INTERVAL_MS) return // the clock may be set back
      sweptAt = at.getTime()
      await rows.deleteMany({ expiresAt: { $lte: at } } as Filter<Row>)
    },
  }
}
