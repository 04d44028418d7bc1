import { tmpdir } from 'node:os'
import type { Access } from '../people/access/access.ts'
import { ROLE, USER } from '../people/accounts/users.ts'
import type { DocumentContext } from '../content/context.ts'
import { ApplicationError } from '../base/errors.ts'
import type { LocaleList, Locales } from '../content/locales/locales.ts'
import type { Folders } from '../media/folders.ts'
import type { MediaStorage } from '../media/storage/storage.ts'
import { versionsOf } from '../mongo/versions/stored-version.ts'
import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../schema/plan.ts'
import { type ArchiveIndex, openArchiveIndex } from './archive-index.ts'
import { importAsset } from './import-assets.ts'
import { type ContentImport, openContentImport } from './import-content.ts'
import { FOLDER, importFolders } from './import-folders.ts'
import { importFileRecords, importUsers } from './import-records.ts'
import { importLocales, importRoles, type SettingsImport } from './import-settings.ts'
import { noteImport, wasImported } from './import-marks.ts'
import { type ArchiveEntry, type ArchiveFile, jsonLines, readArchive } from './read-archive.ts'
import { type RestoredRows, restoreRows } from './restore-rows.ts'
import { type ArchiveEntity, type ArchiveSummary, scanArchive } from './scan-archive.ts'

export interface ArchiveImport {
  readonly file: ArchiveFile
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly locales: () => Promise<LocaleList>
  readonly destination: ArchiveDestination | null
  readonly intoExisting: boolean
  readonly runHooks?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

export interface ArchiveDestination {
  readonly documents: DocumentContext
  readonly access: Pick<Access, 'roles' | 'actions'>
  readonly locales: Locales
  readonly storage: MediaStorage
  readonly folders: Pick<Folders, 'add'>
  readonly spoolFolder: string
}

export interface ArchiveReport {
  readonly version: string | null
  readonly parts: readonly string[]
  readonly types: Readonly<Record<string, { readonly versions: number; readonly added: number }>>
  readonly files: { readonly records: number; readonly bytes: number }
  readonly users: number
  readonly notTaken: readonly string[]
}

const FILE = 'plugin::upload.file'
const BATCH = 500
const MAX_WARNINGS = 1_000
const LAYOUTS = 'labels and forms of the admin panel: `quire import layouts` imports them'

/** Existing content stays, so that an interrupted import can be repeated. @throws ApplicationError for other content */
export async function importArchive(given: ArchiveImport): Promise<ArchiveReport> {
  const index = await openArchiveIndex(given.destination?.spoolFolder ?? tmpdir())
  try {
    const summary = await scanArchive(given.file, index)
    if (summary.parts.length === 0) throw new ApplicationError(`${given.file.path} is no export`)
    return await importScanned(given, index, summary)
  } finally {
    await index.close()
  }
}

async function importScanned(
  given: ArchiveImport,
  index: ArchiveIndex,
  summary: ArchiveSummary,
): Promise<ArchiveReport> {
  const { schema, destination } = given
  const sentences = keepSentences()
  const leaveBehind = (sentence: string): void => sentences.add(sentence)
  const settings = { summary, index, leaveBehind }
  const { runHooks = false } = given
  if (destination !== null && !runHooks && (await isRestored(given, destination, summary))) {
    const restored = await restoreOwn(given, destination, { summary, leaveBehind })
    return {
      version: summary.version,
      parts: summary.parts,
      ...restored,
      notTaken: sentences.all(),
    }
  }
  const prepared = destination === null ? null : await prepare(given, destination, settings)
  const here = await given.locales()
  const locales = prepared === null ? withThoseOf(summary, here) : here
  const target = prepared
  const content = openContentImport({ schema, locales, index, leaveBehind, target, runHooks })
  const stored = await storeRows(given, { index, summary, content, locales, prepared, leaveBehind })
  for (const type of index.types()) {
    const sentence = notDeclared(type, schema, index.count(type))
    if (sentence !== null) leaveBehind(sentence)
  }
  if (summary.hasLayouts) leaveBehind(LAYOUTS)
  return {
    version: summary.version,
    parts: summary.parts,
    types: content.report(),
    ...stored,
    notTaken: sentences.all(),
  }
}

async function isRestored(
  { schema }: ArchiveImport,
  { documents }: ArchiveDestination,
  { parts, fingerprint }: ArchiveSummary,
): Promise<boolean> {
  if (!parts.includes('rows')) return false
  return (
    (await wasImported(documents.database, fingerprint)) || !(await hasContent(documents, schema))
  )
}

async function restoreOwn(
  { file, schema, onProgress }: ArchiveImport,
  destination: ArchiveDestination,
  { summary, leaveBehind }: Pick<Storing, 'summary' | 'leaveBehind'>,
): Promise<RestoredRows> {
  const { documents } = destination
  await noteImport(documents.database, summary.fingerprint, documents.now())
  let done = 0
  const onRows = (count: number): void => {
    done += count
    onProgress?.(done, Math.max(done, summary.rows))
  }
  leaveBehind('administrators, sessions and history: no archive has them')
  return restoreRows({ ...destination, file, schema, leaveBehind, onRows })
}

function withThoseOf(
  { settings }: ArchiveSummary,
  here: LocaleList,
): Pick<LocaleList, 'defaultCode' | 'has'> {
  const codes = new Set((settings.get('plugin::i18n.locale') ?? []).map(({ data }) => data['code']))
  return { defaultCode: here.defaultCode, has: (code) => codes.has(code) || here.has(code) }
}

interface Prepared extends Omit<ArchiveDestination, 'folders'> {
  readonly folders: ReadonlyMap<number, string>
  readonly roles: ReadonlyMap<number, string>
  readonly keepsIds: boolean
}

async function prepare(
  { schema, intoExisting }: ArchiveImport,
  destination: ArchiveDestination,
  settings: SettingsImport & { readonly summary: ArchiveSummary; readonly index: ArchiveIndex },
): Promise<Prepared> {
  const { documents, access, locales } = destination
  const { fingerprint } = settings.summary
  const isOurs = await wasImported(documents.database, fingerprint)
  const keepsIds = isOurs || !(await hasContent(documents, schema))
  if (!keepsIds && !intoExisting) {
    throw new ApplicationError(
      'The database has content already: --into-existing adds to it what is missing, with ids of its own',
    )
  }
  if (keepsIds) {
    await noteImport(documents.database, fingerprint, documents.now())
    await raiseIds(documents, schema, settings.index)
  }
  await importLocales(locales, settings, keepsIds)
  const folderRows = settings.summary.settings.get(FOLDER) ?? []
  const folders = await importFolders({ ...destination, ...settings }, folderRows)
  return { ...destination, roles: await importRoles(access, settings), folders, keepsIds }
}

interface Storing {
  readonly index: ArchiveIndex
  readonly summary: ArchiveSummary
  readonly content: ContentImport
  readonly locales: Pick<LocaleList, 'defaultCode'>
  readonly prepared: Prepared | null
  readonly leaveBehind: (sentence: string) => void
}

async function storeRows(
  given: ArchiveImport,
  { index, summary, content, locales, prepared, leaveBehind }: Storing,
): Promise<Pick<ArchiveReport, 'files' | 'users'>> {
  let [done, records, bytes, users] = [0, 0, 0, 0]
  const target = prepared && { ...prepared, index, leaveBehind }
  const sources = {
    defaultLocale: locales.defaultCode,
    planOf: (uid: Uid) => given.schema.contentTypes.get(uid),
  }
  const storeBatch = async (type: Uid, rows: readonly ArchiveEntity[]): Promise<void> => {
    if (type.startsWith('api::')) await content.store(type, rows)
    else if (type === FILE) {
      records += target === null ? rows.length : await importFileRecords(target, rows)
    } else if (type === USER) {
      users += target === null ? rows.length : await importUsers({ ...target, ...sources }, rows)
    }
    done += rows.length
    given.onProgress?.(done, summary.rows)
  }
  for await (const entry of readArchive(given.file)) {
    const [part] = entry.path.split('/')
    if (part === 'entities') {
      for await (const batch of batchesOf(entry)) await storeBatch(batch[0].type, batch)
    } else if (part === 'assets' && target !== null) {
      if (await importAsset({ ...target, folder: target.spoolFolder }, entry)) bytes += 1
    } else {
      entry.bytes.resume()
    }
  }
  return { files: { records, bytes }, users }
}

async function* batchesOf(
  entry: ArchiveEntry,
): AsyncGenerator<readonly [ArchiveEntity, ...ArchiveEntity[]]> {
  let batch: [ArchiveEntity, ...ArchiveEntity[]] | null = null
  for await (const line of jsonLines(entry)) {
    const entity = line as unknown as ArchiveEntity
    if (batch !== null && batch.length < BATCH && batch[0].type === entity.type) {
      batch.push(entity)
      continue
    }
    if (batch !== null) yield batch
    batch = [entity]
  }
  if (batch !== null) yield batch
}

async function raiseIds(
  { ids }: DocumentContext,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  index: ArchiveIndex,
): Promise<void> {
  for (const plan of contentTypes.values()) {
    if (index.highest(plan.uid) > 0) await ids.raise(plan.collectionName, index.highest(plan.uid))
  }
}

async function hasContent(
  { database }: DocumentContext,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): Promise<boolean> {
  const options = { projection: { _id: 1 }, maxTimeMS: database.queryTimeoutMs }
  for (const plan of contentTypes.values()) {
    if (plan.uid === ROLE || plan.adopted !== undefined) continue
    if ((await versionsOf(database, plan).findOne({}, options)) !== null) return true
  }
  return false
}

const TAKEN_OTHERWISE: ReadonlySet<string> = new Set([
  FILE,
  USER,
  ROLE,
  'plugin::users-permissions.permission',
  'plugin::i18n.locale',
  FOLDER,
])

function notDeclared(
  type: Uid,
  { contentTypes }: { readonly contentTypes: ReadonlyMap<Uid, ContentTypePlan> },
  count: number,
): string | null {
  if (contentTypes.get(type)?.adopted !== undefined) {
    return `${type}: ${count} rows; another service writes its collection`
  }
  if (TAKEN_OTHERWISE.has(type) || contentTypes.has(type)) return null
  return `${type}: ${count} rows; no such content-type is declared here`
}

function keepSentences() {
  const kept: string[] = []
  let more = 0
  return {
    add: (sentence: string): void => {
      if (kept.length < MAX_WARNINGS) kept.push(sentence)
      else more += 1
    },
    all: (): readonly string[] => (more === 0 ? kept : [...kept, `and ${more} more`]),
  }
}
