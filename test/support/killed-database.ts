import type { Document } from 'mongodb'
import type { Database } from '../../src/mongo/connection/database.ts'
import type { Table } from '../../src/mongo/connection/table.ts'
import { wrapMethods } from './wrapped-database.ts'

export class Killed extends Error {}

export interface KilledDatabase {
  readonly database: Database
  /** The number of writes until now. */
  readonly writes: () => number
}

const WRITES: ReadonlySet<string | symbol> = new Set<keyof Table<Document>>([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'bulkWrite',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
])

/** A database whose process is killed in its n-th write. A write of several rows does half of its work. */
export function killedAt(target: Database, last: number): KilledDatabase {
  let writes = 0
  const table = (name: string): unknown =>
    wrapMethods(target.table(name), (method, own) => {
      if (!WRITES.has(method)) return own
      return async (...parts: readonly unknown[]) => {
        writes += 1
        if (writes < last) return own(...parts)
        const half = writes === last ? halfOf(parts) : null
        if (half !== null) await own(...half)
        throw new Killed()
      }
    })
  const database = wrapMethods(target, (method, own) => (method === 'table' ? table : own))
  return { database, writes: () => writes }
}

/** Null if the write has one row. */
function halfOf([first, ...rest]: readonly unknown[]): readonly unknown[] | null {
  if (Array.isArray(first)) return first.length < 2 ? null : [first.slice(0, 1), ...rest]
  const ids = (first as { readonly _id?: { readonly $in?: readonly unknown[] } })._id?.$in ?? []
  return ids.length < 2 ? null : [{ _id: { $in: ids.slice(0, 1) } }, ...rest]
}
