import { randomUUID } from 'node:crypto'
import type { Document } from 'mongodb'
import type { Table } from '../connection/table.ts'

/** The position of a follower. One process at a time moves it. */
export interface LeasedRow {
  readonly _id: string
  readonly holder: string | null
  readonly heldUntil: Date
}

export const FREE_LEASE = { holder: null, heldUntil: new Date(0) } as const

/** A lease that ends later than this multiple of its length was written with a wrong clock. */
const BELIEVED_LEASES = 10

export interface RowLease<Row> {
  readonly holder: string
  /** Null if another process holds the row. */
  claim(): Promise<Row | null>
  release(): Promise<void>
}

export interface RowLeaseOptions {
  readonly leaseMs: number
  readonly now: () => Date
}

export function openRowLease<Row extends LeasedRow & Document>(
  rows: Table<Row>,
  _id: Row['_id'],
  { leaseMs, now }: RowLeaseOptions,
): RowLease<Row> {
  const holder = randomUUID()
  const filterOf = (rest: Document) => ({ _id, ...rest }) as Parameters<typeof rows.updateOne>[0]
  const setOf = (set: Document) => ({ $set: set }) as Parameters<typeof rows.findOneAndUpdate>[1]
  return {
    holder,
    claim: async () => {
      const at = now()
      const heldUntil = new Date(at.getTime() + leaseMs)
      const unbelievable = new Date(at.getTime() + BELIEVED_LEASES * leaseMs)
      const over = [{ heldUntil: { $lte: at } }, { heldUntil: { $gt: unbelievable } }]
      const free = filterOf({ $or: [{ holder }, ...over] })
      const set = setOf({ holder, heldUntil })
      return (await rows.findOneAndUpdate(free, set, { returnDocument: 'after' })) as Row | null
    },
    release: async () => {
      await rows.updateOne(filterOf({ holder }), setOf({ ...FREE_LEASE }))
    },
  }
}
