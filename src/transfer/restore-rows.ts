import { createHash } from 'node:crypto'
import type { DocumentContext } from '../documents/context.ts'
import { ApplicationError } from '../errors.ts'
import type { MediaStorage } from '../media/storage/storage.ts'
import { fromText } from '../mongo/read/dump-versions.ts'
import { findStoredVersionIds } from '../mongo/read/read-versions.ts'
import { restoreSettings, type SettingsRow } from '../mongo/system/settings-rows.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { asVersion, type StoredVersion } from '../mongo/versions/stored-version.ts'
import { addVersions } from '../mongo/write/write-versions.ts'
import type { Data, Uid } from '../schema/definition.ts'
import type { Schema } from '../schema/plan.ts'
import { importAsset } from './import-assets.ts'
import {
  type ArchiveEntry,
  type ArchiveFile,
  jsonLines,
  jsonOf,
  readArchive,
} from './read-archive.ts'

export interface RowsImport {
  readonly file: ArchiveFile
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly documents: DocumentContext
  readonly storage: MediaStorage
  readonly spoolFolder: string
  readonly leaveBehind: (sentence: string) => void
  readonly onRows: (count: number) => void
}

export interface RestoredRows {
  readonly types: Readonly<Record<string, { readonly versions: number; readonly added: number }>>
  readonly files: { readonly records: number; readonly bytes: number }
  readonly users: number
}

/** In `quire/` of an archive of ours. */
const ROWS = 'quire/rows_'
const SETTINGS = 'quire/settings_'
const CHECKSUMS = 'quire/checksums.json'
const ROLE = 'plugin::users-permissions.role'
const BATCH = 500

/**
 * Makes an empty database what an archive of ours was made of: rows as they were stored, with ids, revisions, hashes and
 * times, settings, and the bytes of files. What is here already stays, so that one that was killed goes on.
 * @throws ApplicationError for an archive that is not what was written
 */
export async function restoreRows(given: RowsImport): Promise<RestoredRows> {
  await assertWhole(given.file)
  const types: Types = {}
  let bytes = 0
  for await (const entry of readArchive(given.file)) {
    if (await restoreEntry(given, entry, types)) bytes += 1
  }
  const content = Object.entries(types).filter(([uid]) => uid.startsWith('api::'))
  return {
    types: Object.fromEntries(content) as RestoredRows['types'],
    files: { records: types['plugin::upload.file']?.versions ?? 0, bytes },
    users: types['plugin::users-permissions.user']?.versions ?? 0,
  }
}

type Types = Record<Uid, { versions: number; added: number } | undefined>

/** Answers whether it was the bytes of a file that were not here. */
async function restoreEntry(
  given: RowsImport,
  entry: ArchiveEntry,
  types: Types,
): Promise<boolean> {
  if (entry.path.startsWith('assets/')) {
    return importAsset({ ...given, folder: given.spoolFolder }, entry)
  }
  if (entry.path.startsWith(ROWS)) {
    for await (const batch of batchesOf(entry)) await storeBatch(given, batch, types)
  } else if (entry.path.startsWith(SETTINGS)) {
    const rows: SettingsRow[] = []
    for await (const line of jsonLines(entry)) rows.push(line as unknown as SettingsRow)
    await restoreSettings(given.documents.database, rows)
  } else {
    entry.bytes.resume()
  }
  return false
}

/** Before anything is stored: what is damaged is told by its name. */
async function assertWhole(file: ArchiveFile): Promise<void> {
  const found = new Map<string, string>()
  let expected: Data = {}
  for await (const entry of readArchive(file)) {
    if (entry.path === CHECKSUMS) {
      expected = await jsonOf(entry)
      continue
    }
    const hash = createHash('sha256')
    for await (const chunk of entry.bytes) hash.update(chunk as Buffer)
    found.set(entry.path, hash.digest('hex'))
  }
  const wrong = Object.entries(expected).filter(([path, sum]) => found.get(path) !== sum)
  const [first] = wrong
  if (first === undefined && Object.keys(expected).length > 0) return
  const what = first === undefined ? 'it has no checksums' : `${first[0]} is not what was written`
  throw new ApplicationError(`${file.path} is damaged: ${what}`)
}

interface Row {
  readonly type: Uid
  readonly version: StoredVersion
}

async function* batchesOf(entry: ArchiveEntry): AsyncGenerator<readonly [Row, ...Row[]]> {
  let batch: [Row, ...Row[]] | null = null
  for await (const line of jsonLines(entry)) {
    const { type, row } = line as { readonly type: Uid; readonly row: string }
    const one = { type, version: asVersion(fromText(row)) }
    if (batch !== null && batch.length < BATCH && batch[0].type === type) {
      batch.push(one)
      continue
    }
    if (batch !== null) yield batch
    batch = [one]
  }
  if (batch !== null) yield batch
}

async function storeBatch(
  { documents, schema, leaveBehind, onRows }: RowsImport,
  batch: readonly [Row, ...Row[]],
  types: Types,
): Promise<void> {
  const [{ type }] = batch
  const plan = schema.contentTypes.get(type)
  const count = types[type] ?? { versions: 0, added: 0 }
  types[type] = count
  if (plan === undefined) {
    if (count.versions === 0) leaveBehind(`${type}: no such content-type is declared here`)
  } else if (type !== ROLE) {
    const versions = batch.map(({ version }) => version)
    const idOf = (version: StoredVersion): string => versionId(version.documentId, version)
    const stored = await findStoredVersionIds(documents.database, plan, versions.map(idOf))
    const missing = versions.filter((version) => !stored.has(idOf(version)))
    await addVersions(documents.database, plan, missing)
    count.added += new Set(missing.map(({ documentId }) => documentId)).size
  }
  count.versions += batch.length
  onRows(batch.length)
}
