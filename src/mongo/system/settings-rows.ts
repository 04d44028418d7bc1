import { asCmsErrors } from '../connection/database-error.ts'
import { noteRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { optionsOf } from '../connection/commands.ts'
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
    const found = await asCmsErrors(() =>
      database.collection(collection).find({}, optionsOf(database)).toArray(),
    )
    rows.push(...found.map((row) => ({ collection, row: toText(row) })))
  }
  return rows
}

/**
 * Replaces rows by `_id` in one transaction. The database must be as after its first start. Folders
 * are restored elsewhere, because they are matched by name.
 */
export async function restoreSettings(
  database: Database,
  rows: readonly SettingsRow[],
): Promise<void> {
  const known: ReadonlySet<string> = new Set(COLLECTIONS)
  await database.transact(async (session) => {
    for (const { collection, row } of rows) {
      if (!known.has(collection)) continue
      const { _id, ...values } = fromText(row) as { readonly _id: string }
      const options = { ...optionsOf(database, session), upsert: true }
      const target = database.collection<{ readonly _id: string }>(collection)
      if (collection === COUNTERS) {
        await target.updateOne({ _id }, { $max: values }, options)
        continue
      }
      await target.replaceOne({ _id }, values, options)
      noteRow(session, 'put', { type: collection, documentId: _id })
    }
    await database
      .collection('quire_stamps')
      .updateMany({}, { $inc: { number: RESERVED } }, optionsOf(database, session))
  })
}

/** Moves ids of new rows, which come from change numbers, above the ids of the archive. */
const RESERVED = 100_000
