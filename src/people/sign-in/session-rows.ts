import type { Filter } from 'mongodb'
import type { Database } from '../../mongo/connection/database.ts'
import { type ExpiringRows, openExpiringRows } from './expiring-rows.ts'

interface SessionRow {
  readonly _id: string
  /** Moves with each use. */
  readonly expiresAt: Date
  readonly endsAt: Date
}

export interface SessionRows<Row extends SessionRow> extends ExpiringRows<Row> {
  /** Returns live sessions, the last used first, at most 100. */
  readonly list: (owner: string) => Promise<readonly Row[]>
}

export interface SessionRowsOptions {
  readonly db: Database
  readonly collection: string
  readonly owner: string
  readonly usedAt: string
  readonly now: () => Date
}

const MAX_LISTED = 100

export async function openSessionRows<Row extends SessionRow>(
  options: SessionRowsOptions,
): Promise<SessionRows<Row>> {
  const { owner, usedAt, now } = options
  const indexes = [{ key: { [owner]: 1 }, name: owner }]
  const opened = await openExpiringRows<Row>({ ...options, indexes })
  return {
    ...opened,
    list: async (id) => {
      const live = { [owner]: id, ...liveAt(now()) } as Filter<Row>
      const found = await opened.rows
        .find(live)
        .sort({ [usedAt]: -1, _id: 1 })
        .limit(MAX_LISTED)
        .toArray()
      return found as unknown as readonly Row[]
    },
  }
}

export function liveAt(at: Date) {
  return { expiresAt: { $gt: at }, endsAt: { $gt: at } }
}
