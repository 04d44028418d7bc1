import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Db, Document } from 'mongodb'

/** Fields that differ in each write, or that background work settles later. */
const RANDOM: ReadonlySet<string> = new Set(['_revision', '_commit', '_state'])

type Row = Readonly<Record<string, unknown>>

/** Returns a few differing members of rows. */
export function differing(found: unknown, expected: readonly unknown[]): readonly string[] {
  const here = found as readonly unknown[]
  const faults =
    here.length === expected.length ? [] : [`${here.length} rows of ${expected.length}`]
  for (const [at, row] of expected.entries()) {
    const [one, other] = [(here[at] ?? {}) as Row, row as Row]
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [was, is] = [JSON.stringify(other[name]), JSON.stringify(one[name])]
      if (was !== is) faults.push(`${String(other['_id'])}.${name}: ${is} instead of ${was}`)
    }
  }
  return faults.slice(0, 5)
}

/** Reads all stored content and file names, without random fields. */
export async function readEverything(db: Db, folder: string): Promise<Document> {
  const roles = await db
    .collection('quire_roles')
    .find({}, { sort: { type: 1 } })
    .toArray()
  const typeOf = new Map(roles.map((role) => [role['documentId'] ?? role._id, role['type']]))
  const plain = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1))
    if (value instanceof Date) return value.toISOString()
    if (typeof value === 'string') return typeOf.get(value) ?? value
    if (typeof value !== 'object' || value === null) return value
    if (Object.getPrototypeOf(value) !== Object.prototype) return JSON.stringify(value)
    const entries = Object.entries(value).filter(
      ([name]) => !RANDOM.has(name) && (depth === 0 || name !== 'id'),
    )
    return Object.fromEntries(entries.map(([name, one]) => [name, plain(one, depth + 1)]))
  }
  const found: Document = {}
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  for (const name of collections.map((one) => one.name).toSorted()) {
    if (name.startsWith('quire_') && name !== 'quire_folders') continue
    const rows = await db
      .collection(name)
      .find({}, { sort: { _id: 1 } })
      .toArray()
    found[name] = rows.map((row) => plain(row, 0))
  }
  found['permitted'] = roles.map((role) => [role['type'], role['permissions']])
  found['files on disk'] = readdirSync(path.join(folder, 'uploads')).sort()
  return found
}
