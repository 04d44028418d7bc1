import { asCmsErrors } from '../connection/database-error.ts'
import { noteRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { optionsOf } from '../connection/commands.ts'
import { fromText, toText } from '../read/dump-versions.ts'

/** A row of settings as an archive has it. */
export interface SettingsRow {
  readonly collection: string
  readonly row: string
}

/** Locales, roles, API tokens by the hashes of their keys, folders of files, and how far ids were given. */
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
 * Puts rows in place of those of the same `_id`, together, and has every process read them anew. For a database that
 * was empty: what it had from its first start gives way. Folders are added elsewhere, as they are found by their names.
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

/** Numbers of changes are ids of new rows: those of the archive are below. */
const RESERVED = 100_000
