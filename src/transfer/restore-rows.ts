import { createHash } from 'node:crypto'
import type { DocumentContext } from '../content/context.ts'
import { ApplicationError } from '../base/errors.ts'
import type { Folder, Folders } from '../media/folders.ts'
import type { MediaStorage } from '../media/storage/storage.ts'
import { fromText } from '../mongo/read/dump-versions.ts'
import { findStoredVersionIds } from '../mongo/read/get-versions.ts'
import { FOLDERS, restoreSettings, type SettingsRow } from '../mongo/system/settings-rows.ts'
import { singleDocumentId } from '../content/write/single-document-id.ts'
import { toCurrentNames } from '../mongo/versions/row-names.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { named, type StoredVersion } from '../mongo/versions/stored-version.ts'
import { addVersions } from '../mongo/write/add-versions.ts'
import type { Data, Uid } from '../schema/definition.ts'
import { typeNamed } from '../schema/named-type.ts'
import type { ContentTypePlan, Schema } from '../schema/plan.ts'
import { COMMENTS, restoreComments } from './comment-lines.ts'
import { importAsset, ORIGINALS } from './import-assets.ts'
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
  readonly folders: Pick<Folders, 'add'>
  readonly spoolFolder: string
  readonly leaveBehind: (sentence: string) => void
  readonly onRows: (count: number) => void
}

export interface RestoredRows {
  readonly types: Readonly<Record<string, { readonly versions: number; readonly added: number }>>
  readonly files: { readonly records: number; readonly bytes: number }
  readonly users: number
}

const ROWS = 'quire/rows_'
const SETTINGS = 'quire/settings_'
const CHECKSUMS = 'quire/checksums.json'
const ROLE = 'plugin::users-permissions.role'
const FILE = 'plugin::upload.file'
const BATCH = 500

/** Existing rows stay, so that an interrupted run can be repeated. @throws ApplicationError for a damaged archive */
export async function restoreRows(given: RowsImport): Promise<RestoredRows> {
  const own = await readWhole(given.file)
  const restoring = { ...given, folderIds: await given.folders.add(own) }
  const types: Types = new Map()
  let bytes = 0
  for await (const entry of readArchive(given.file)) {
    if (await restoreEntry(restoring, entry, types)) bytes += 1
  }
  const content = [...types].filter(([uid]) => uid.startsWith('api::'))
  return {
    types: Object.fromEntries(content),
    files: { records: types.get(FILE)?.versions ?? 0, bytes },
    users: types.get('plugin::users-permissions.user')?.versions ?? 0,
  }
}

interface Restoring extends RowsImport {
  readonly folderIds: ReadonlyMap<string, string>
}

/** A map, because an archive may name a type `__proto__`. */
type Types = Map<Uid, { versions: number; added: number }>

async function restoreEntry(given: Restoring, entry: ArchiveEntry, types: Types): Promise<boolean> {
  if (entry.path.startsWith('assets/') || entry.path.startsWith(ORIGINALS)) {
    return importAsset({ ...given, folder: given.spoolFolder }, entry)
  }
  if (entry.path.startsWith(ROWS)) {
    for await (const batch of batchesOf(entry)) await storeBatch(given, batch, types)
  } else if (entry.path.startsWith(COMMENTS)) {
    const { schema, leaveBehind } = given
    await restoreComments({ database: given.documents.database, schema, leaveBehind }, entry)
  } else if (entry.path.startsWith(SETTINGS)) {
    const rows = await settingsOf(entry)
    const others = rows.filter(({ collection }) => collection !== FOLDERS)
    await restoreSettings(given.documents.database, others)
  } else {
    entry.bytes.resume()
  }
  return false
}

async function readWhole(file: ArchiveFile): Promise<readonly FolderRow[]> {
  const found = new Map<string, string>()
  const settings: Buffer[] = []
  let expected: Data = {}
  for await (const entry of readArchive(file)) {
    if (entry.path === CHECKSUMS) {
      expected = await jsonOf(entry)
      continue
    }
    const hash = createHash('sha256')
    for await (const chunk of entry.bytes) {
      hash.update(chunk as Buffer)
      if (entry.path.startsWith(SETTINGS)) settings.push(chunk as Buffer)
    }
    found.set(entry.path, hash.digest('hex'))
  }
  const wrong = Object.entries(expected).filter(([path, sum]) => found.get(path) !== sum)
  const [first] = wrong
  if (first === undefined && Object.keys(expected).length > 0) {
    return foldersOf(Buffer.concat(settings).toString('utf8'))
  }
  const what = first === undefined ? 'it has no checksums' : `${first[0]} is not what was written`
  throw new ApplicationError(`${file.path} is damaged: ${what}`)
}

type FolderRow = Omit<Folder, 'path'>

function foldersOf(lines: string): readonly FolderRow[] {
  const rows = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SettingsRow)
    .filter(({ collection }) => collection === FOLDERS)
    .map(({ row }) => fromText(row) as unknown as FolderRow & { readonly _id: string })
    .map(({ _id: id, name, parent }) => ({ id, name, parent }))
  const sorted: FolderRow[] = []
  let above: readonly (string | null)[] = [null]
  while (above.length > 0) {
    const level = rows.filter(({ parent }) => above.includes(parent))
    sorted.push(...level)
    above = level.map(({ id }) => id)
  }
  return sorted
}

async function settingsOf(entry: ArchiveEntry): Promise<readonly SettingsRow[]> {
  const rows: SettingsRow[] = []
  for await (const line of jsonLines(entry)) rows.push(line as unknown as SettingsRow)
  return rows
}

interface Row {
  readonly type: Uid
  readonly version: StoredVersion
}

async function* batchesOf(entry: ArchiveEntry): AsyncGenerator<readonly [Row, ...Row[]]> {
  let batch: [Row, ...Row[]] | null = null
  for await (const line of jsonLines(entry)) {
    const { type, row } = line as { readonly type: Uid; readonly row: string }
    const one = { type, version: named(fromText(row)) }
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
  { documents, schema, leaveBehind, onRows, folderIds }: Restoring,
  batch: readonly [Row, ...Row[]],
  types: Types,
): Promise<void> {
  const [{ type }] = batch
  const plan = typeNamed(schema, type)
  const count = types.get(type) ?? { versions: 0, added: 0 }
  types.set(type, count)
  if (plan === undefined) {
    if (count.versions === 0) leaveBehind(`${type}: no such content-type is declared here`)
  } else if (type !== ROLE) {
    const versions = batch.map(({ version }) => {
      const current = withCurrentNames(plan, version)
      return type === FILE ? inFolder(current, folderIds) : current
    })
    const idOf = (version: StoredVersion): string => versionId(version.documentId, version)
    const stored = await findStoredVersionIds(documents.database, plan, versions.map(idOf))
    const missing = versions.filter((version) => !stored.has(idOf(version)))
    await addVersions(documents.database, plan, missing)
    count.added += new Set(missing.map(({ documentId }) => documentId)).size
  }
  count.versions += batch.length
  onRows(batch.length)
}

function withCurrentNames(plan: ContentTypePlan, version: StoredVersion): StoredVersion {
  const current = toCurrentNames(plan, version)
  return named(
    plan.kind === 'singleType' ? { ...current, documentId: singleDocumentId(plan.uid) } : current,
  )
}

function inFolder(version: StoredVersion, folderIds: Restoring['folderIds']): StoredVersion {
  const folder = folderIds.get(String(version['folder']))
  return folder === undefined ? version : { ...version, folder }
}
