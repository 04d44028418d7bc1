import { BSON, type Db, type Document } from 'mongodb'
import type { Dump } from '../locale-rename/renamed-world.ts'
import { OLD } from './compacted-world.ts'

/** May contain any two letters. */
const RANDOM_ID = /\b[a-z][a-z0-9]{23}\b/g
const OLD_NAME = new RegExp(`(?<![a-z0-9])${OLD}`)

/** The rows that contain an older name, without the ledger. */
export function rowsWithOldNames(dump: Dump): readonly string[] {
  return Object.entries(dump).flatMap(([name, rows]) =>
    name === 'quire_schema'
      ? []
      : rows
          .map((row) => `${name} ${BSON.EJSON.stringify(row)}`)
          .filter((text) => OLD_NAME.test(text.replace(RANDOM_ID, '')) || text.includes('~2')),
  )
}

/** Rows of processes, of requests, and rows that are made again. */
const PASSING =
  /^quire_(processes|leases|stamps|heads|counters|query_stats|text_.*|search_.*|reservations|admin_presence|conversions|rate_limits|held_jobs|admin_sessions|sessions|settings|schema)$/

/** The other rows, as sorted texts with sorted members. */
export function comparedRows(dump: Dump): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(dump)
      .filter(([name, rows]) => !PASSING.test(name) && rows.length > 0)
      .map(([name, rows]) => [
        name,
        rows
          .map((row) => BSON.EJSON.stringify(sorted(row) as Document, { relaxed: false }))
          .toSorted(),
      ]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, sorted(one)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Exact types of numbers, unlike `dumpDatabase`. */
export async function dumpExactly(db: Db): Promise<Dump> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const dump: Record<string, readonly Document[]> = {}
  for (const name of names.toSorted()) {
    dump[name] = await db.collection(name).find({}, { promoteValues: false }).toArray()
  }
  return dump
}
