import { noteRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { fromText, toText } from '../read/dump-versions.ts'

export interface SettingsRow {
  readonly collection: string
  readonly row: string
}

const COUNTERS = 'quire_counters'
export const FOLDERS = 'quire_folders'
const COLLECTIONS = [
  'quire_settings',
  'quire_roles',
  'quire_api_tokens',
  FOLDERS,
  COUNTERS,
] as const

export async function dumpSettings(database: Database): Promise<readonly SettingsRow[]> {
  const rows: SettingsRow[] = []
  for (const collection of COLLECTIONS) {
    const found = await database.table(collection).find({}).toArray()
    rows.push(...found.map((row) => ({ collection, row: toText(row) })))
  }
  return rows
}

/** Replaces rows by `_id` in one transaction. Folders are matched by name, so they are restored elsewhere. */
export async function restoreSettings(
  database: Database,
  rows: readonly SettingsRow[],
): Promise<void> {
  const known: ReadonlySet<string> = new Set(COLLECTIONS)
  await database.transact(async (session) => {
    for (const { collection, row } of rows) {
      if (!known.has(collection)) continue
      const { _id, ...values } = fromText(row) as { readonly _id: string }
      const options = { session, upsert: true }
      const target = database.table<{ readonly _id: string }>(collection)
      if (collection === COUNTERS) {
        await target.updateOne({ _id }, { $max: values }, options)
        continue
      }
      await target.replaceOne({ _id }, values, options)
      noteRow(session, 'put', { type: collection, documentId: _id })
    }
    await database.table('quire_stamps').updateMany({}, { $inc: { number: RESERVED } }, { session })
  })
}

/** Moves ids of new rows, which come from change numbers, above the ids of the archive. */
const RESERVED = 100_000
