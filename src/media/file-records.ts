import type { Document } from 'mongodb'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import type { IdAllocator } from '../mongo/system/id-allocator.ts'
import { revisionOf } from '../mongo/versions/version-fields.ts'
import { asVersion, type StoredVersion, versionsOf } from '../mongo/versions/stored-version.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { insertVersions, patchVersion } from '../mongo/write/write-versions.ts'
import { findDeletions, findVersionsOfDeletions } from '../mongo/trash/read-trash.ts'
import type { OriginalFile } from './crop-area.ts'
import type { DeletionRow } from '../mongo/trash/trash-rows.ts'
import {
  type FileTranslations,
  mergeTranslations,
  type TranslationsChange,
} from './file-translations.ts'
import { deleteVersions } from '../mongo/write/delete-versions.ts'
const KEY = { locale: NO_LOCALE, status: 'published' } as const

export interface FileValues {
  readonly name: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly focalPoint: unknown
  readonly width: number | null
  readonly height: number | null
  readonly formats: Readonly<Record<string, FormatValues>> | null
  /** A base64 placeholder to show while the image loads, see https://evanw.github.io/thumbhash */
  readonly thumbhash: string | null
  readonly hash: string
  readonly ext: string
  readonly mime: string
  readonly size: number
  readonly url: string
  readonly previewUrl: null
  readonly provider: string
  readonly provider_metadata: null
  /** The hash has the private form exactly if this is true. Absent in older records. */
  readonly private?: boolean
  /** Null or absent without texts in further languages. */
  readonly translations?: FileTranslations | null
}

/** The attributes that follow from the bytes of a file, in the order of the reference. */
export const BYTE_ATTRIBUTES = [
  'width',
  'height',
  'formats',
  'hash',
  'ext',
  'mime',
  'size',
  'url',
  'previewUrl',
] as const

export interface FormatValues {
  readonly ext: string
  readonly url: string
  readonly hash: string
  readonly mime: string
  readonly name: string
  readonly path: null
  readonly size: number
  readonly width: number
  readonly height: number
  readonly sizeInBytes: number
}

export type FileRecord = StoredVersion & FileValues & StoredBytes

interface StoredBytes {
  /** Changes whenever the bytes are replaced. Absent before the first replacement. */
  readonly generation?: string
  readonly variants?: readonly string[]
  /** Only of a cropped picture. */
  readonly original?: OriginalFile | null
  readonly folder?: string | null
  /** Set by `uploaderOf`. Absent in older records. */
  readonly uploadedBy?: string | null
}

export interface NewFile extends FileValues {
  readonly documentId: string
  readonly uploadedBy?: string | null
  readonly folder?: string | null
}

export type FileChanges = Partial<Omit<FileValues, 'translations'> & StoredBytes> & {
  readonly translations?: TranslationsChange
}

/** A whole record, or a part that other changes leave as it is: the hash, or the bytes and their names. */
export type AsOf = FileRecord | { readonly onlyHash: string } | { readonly onlyBytes: FileRecord }

export interface TrashedFile {
  readonly deletion: string
  readonly record: FileRecord
}

export interface ChangedFile {
  readonly before: FileRecord
  readonly after: FileRecord
}

export interface FileRecords {
  add(
    files: readonly NewFile[],
    alongside?: (session: Session) => Promise<void>,
  ): Promise<readonly FileRecord[]>
  get(name: { readonly documentId: string } | { readonly id: number }): Promise<FileRecord | null>
  getByHash(hash: string): Promise<FileRecord | null>
  all(): AsyncIterable<FileRecord>
  trashed(): AsyncIterable<TrashedFile>
  /** Returns null if the record is missing or has changed since `asOf`. */
  patch(
    documentId: string,
    changes: FileChanges,
    asOf?: AsOf,
    alongside?: (session: Session) => Promise<void>,
  ): Promise<ChangedFile | null>
  /** Drops the oldest beyond `most` and returns their names; null if the file has changed. */
  addVariant(record: FileRecord, name: string, most: number): Promise<readonly string[] | null>
  remove(documentId: string, asOf?: FileRecord): Promise<FileRecord | null>
  withdraw(files: readonly Pick<NewFile, 'documentId' | 'hash'>[]): Promise<void>
}

/** For entity tags. */
export function revisionOfFile(record: FileRecord): string {
  return revisionOf(record)
}

export async function findFileRecords(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, FileRecord>> {
  const _id = { $in: documentIds.map((documentId) => versionId(documentId, KEY)) }
  const found = await versionsOf(database, plan).find({ _id }).toArray()
  return new Map(found.map((row) => asFile(plan, row)).map((file) => [file.documentId, file]))
}

export function openFileRecords(
  database: Database,
  plan: ContentTypePlan,
  { ids, now }: { readonly ids: IdAllocator; readonly now: () => Date },
): FileRecords {
  return {
    add: async (files, alongside) => {
      const taken = await ids.take(plan.collectionName, files.length)
      const createdAt = now()
      const records = files.map((file, index): FileRecord => {
        const stamps = { createdAt, updatedAt: createdAt, publishedAt: createdAt }
        return { ...file, ...KEY, ...stamps, id: taken[index] ?? 0 }
      })
      await database.transact(async (session) => {
        await insertVersions(database, plan, records, session)
        await alongside?.(session)
      })
      return records
    },
    get: async (name) => {
      const found = await versionsOf(database, plan).findOne({ ...KEY, ...name })
      return found === null ? null : asFile(plan, found)
    },
    getByHash: (hash) => getByHash(database, plan, hash),
    addVariant: (record, name, most) => addVariant(database, plan, record, { name, most }),
    all: () => findAll(database, plan),
    trashed: () => findTrashed(database, plan),
    patch: (documentId, changes, asOf, alongside) =>
      patch(
        database,
        plan,
        { documentId, asOf },
        { changes: { ...changes, updatedAt: now() }, alongside },
      ),
    remove: (documentId, asOf) => remove(database, plan, { documentId, asOf }),
    withdraw: (files) =>
      database.transact(async (session) => {
        for (const { documentId, hash } of files) {
          const stored = await getAsOf(database, plan, { documentId, asOf: undefined }, session)
          if (stored?.hash !== hash) continue
          await deleteVersions(database, plan, documentId, 'all', session)
        }
      }),
  }
}

interface Target {
  readonly documentId: string
  readonly asOf: AsOf | undefined
}

function patch(
  database: Database,
  plan: ContentTypePlan,
  target: Target,
  {
    changes,
    alongside,
  }: {
    readonly changes: FileChanges & Pick<FileRecord, 'updatedAt'>
    readonly alongside: ((session: Session) => Promise<void>) | undefined
  },
): Promise<ChangedFile | null> {
  const version = { documentId: target.documentId, key: KEY }
  return database.transact(async (session) => {
    const before = await getAsOf(database, plan, target, session)
    if (before === null) return null
    const written = { ...changes, ...mergedTexts(before, changes) }
    const after = await patchVersion(database, plan, version, written, session)
    if (after !== null) await alongside?.(session)
    return after === null ? null : { before, after: after as FileRecord }
  })
}

/** Merged within the transaction, so that concurrent changes of two languages are both kept. */
function mergedTexts(
  before: FileRecord,
  { translations }: FileChanges,
): Pick<FileValues, 'translations'> {
  if (translations === undefined) return {}
  return { translations: mergeTranslations(before.translations, translations) }
}

function remove(
  database: Database,
  plan: ContentTypePlan,
  target: Target,
): Promise<FileRecord | null> {
  return database.transact(async (session) => {
    const before = await getAsOf(database, plan, target, session)
    if (before === null) return null
    const removed = await deleteVersions(database, plan, target.documentId, 'all', session)
    return removed > 0 ? before : null
  })
}

async function getAsOf(
  database: Database,
  plan: ContentTypePlan,
  { documentId, asOf }: Target,
  session: Session,
): Promise<FileRecord | null> {
  const found = await versionsOf(database, plan).findOne(
    { _id: versionId(documentId, KEY) },
    { session },
  )
  if (found === null) return null
  const file = asFile(plan, found)
  return asOf === undefined || isAsOf(file, asOf) ? file : null
}

function isAsOf(file: FileRecord, asOf: AsOf): boolean {
  if ('onlyHash' in asOf) return asOf.onlyHash === file.hash
  if ('onlyBytes' in asOf) return hasSameBytes(file, asOf.onlyBytes as FileRecord)
  return revisionOf(asOf) === revisionOf(file)
}

/** Whether the bytes and their names are the same. */
export function hasSameBytes(one: FileRecord, other: FileRecord): boolean {
  return bytesOf(one) === bytesOf(other)
}

/** Differs for records with other bytes. */
function bytesOf({ hash, generation, original }: FileRecord): string {
  const crop = original?.crop
  return JSON.stringify([
    hash,
    generation,
    original?.hash,
    crop && [crop.x, crop.y, crop.width, crop.height],
  ])
}

async function getByHash(
  database: Database,
  plan: ContentTypePlan,
  hash: string,
): Promise<FileRecord | null> {
  const hashes = [hash, hash.replace(/^[a-z]+_/, '')] // a format is named `<format>_<hash>`
  const found = await versionsOf(database, plan)
    .find({ ...KEY, hash: { $in: hashes } })
    .toArray()
  const records = found.map((row) => asFile(plan, row))
  const isNamed = ({ formats }: FileRecord): boolean =>
    Object.values(formats ?? {}).some((format) => format.hash === hash)
  return records.find((record) => record.hash === hash) ?? records.find(isNamed) ?? null
}

async function addVariant(
  database: Database,
  plan: ContentTypePlan,
  { documentId, updatedAt }: FileRecord,
  { name, most }: { readonly name: string; readonly most: number },
): Promise<readonly string[] | null> {
  // The driver's types do not know this array.
  const pushed = { variants: { $each: [name], $slice: -most } } as never
  const before = await versionsOf(database, plan).findOneAndUpdate(
    { _id: versionId(documentId, KEY), updatedAt },
    { $push: pushed },
    { returnDocument: 'before' },
  )
  if (before === null) return null
  const known = asFile(plan, before).variants ?? []
  return known.slice(0, Math.max(0, known.length + 1 - most))
}

/** Reads in pages, so that each command stays within its time limit. */
async function* findAll(database: Database, plan: ContentTypePlan): AsyncGenerator<FileRecord> {
  let after = ''
  for (;;) {
    const page = await versionsOf(database, plan)
      .find({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray()
    for (const found of page) yield asFile(plan, found)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last._id
  }
}

async function* findTrashed(
  database: Database,
  plan: ContentTypePlan,
): AsyncGenerator<TrashedFile> {
  let before: string | null = null
  for (;;) {
    const page: readonly DeletionRow[] = await findDeletions(
      database,
      [{ type: plan.uid, locales: [NO_LOCALE], hidden: [] }],
      { before, limit: PAGE },
    )
    const ids = page.map(({ _id }) => _id)
    const versions = await findVersionsOfDeletions(database, ids)
    for (const { deletion, version } of versions) yield { deletion, record: asFile(plan, version) }
    before = page.at(-1)?._id ?? null
    if (page.length < PAGE) return
  }
}

const PAGE = 1_000

function asFile(plan: ContentTypePlan, stored: Document): FileRecord {
  return asVersion(plan, stored) as FileRecord
}
