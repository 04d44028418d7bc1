import type { Document, Filter } from 'mongodb'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { asCmsErrors } from './database-error.ts'
import type { Database } from './database.ts'
import type { IdAllocator } from './id-allocator.ts'
import {
  asVersion,
  optionsOf,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from './stored-version.ts'
import { versionId } from './version-match.ts'
import { deleteVersions, insertVersions, patchVersion } from './write-versions.ts'

/** The one version that a file has. */
const KEY = { locale: NO_LOCALE, status: 'published' } as const

/** What is known of a file; the keys are the attributes of `plugin::upload.file`. */
export interface FileValues {
  readonly name: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly focalPoint: unknown
  readonly width: number | null
  readonly height: number | null
  readonly formats: Readonly<Record<string, FormatValues>> | null
  /** A placeholder of an image to show while it loads, in base64: https://evanw.github.io/thumbhash */
  readonly thumbhash: string | null
  readonly hash: string
  readonly ext: string
  readonly mime: string
  /** In kB. */
  readonly size: number
  readonly url: string
  readonly previewUrl: null
  readonly provider: string
  readonly provider_metadata: null
}

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

/** A file as it is stored: one published version without a locale, like content without either. */
export type FileRecord = StoredVersion & FileValues & StoredVariants

/** Names of what was made of an image later; no attribute, so that no answer shows it. */
interface StoredVariants {
  readonly variants?: readonly string[]
}

export interface NewFile extends FileValues {
  readonly documentId: string
}

export type FileChanges = Partial<FileValues & StoredVariants>

export interface FileRecords {
  /** All of them or none. */
  add(files: readonly NewFile[]): Promise<readonly FileRecord[]>
  /** By documentId or numeric id; null when there is none. */
  get(name: { readonly documentId: string } | { readonly id: number }): Promise<FileRecord | null>
  /** By the hash of the file or of one of its formats; null when there is none. */
  getByHash(hash: string): Promise<FileRecord | null>
  /** All that there are, by documentId. */
  all(): AsyncIterable<FileRecord>
  /** Null when it is gone. */
  patch(documentId: string, changes: FileChanges): Promise<FileRecord | null>
  /**
   * Notes one more variant of a file that is still as `record` says, and forgets the oldest beyond
   * `most`. Answers the names forgotten; null when the file has changed, or is gone.
   */
  addVariant(record: FileRecord, name: string, most: number): Promise<readonly string[] | null>
  /** Whether it was there. */
  remove(documentId: string): Promise<boolean>
  /** Takes back what `add` may have stored, even where it failed: only what has these hashes. */
  withdraw(files: readonly Pick<NewFile, 'documentId' | 'hash'>[]): Promise<void>
}

/** Name and type of those that there are, by documentId. */
export async function findFileTypes(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<FileValues, 'name' | 'mime'>>> {
  const found = await asCmsErrors(() =>
    versionsOf(database, plan)
      .find(
        { _id: { $in: documentIds.map((documentId) => versionId(documentId, KEY)) } },
        {
          ...optionsOf(database),
          projection: { _id: 0, documentId: 1, name: 1, mime: 1 },
        },
      )
      .toArray(),
  )
  return new Map(
    found.map(asFile).map(({ documentId, name, mime }) => [documentId, { name, mime }]),
  )
}

/** The records of files; `plan` is the content-type `plugin::upload.file`. */
export function openFileRecords(
  database: Database,
  plan: ContentTypePlan,
  { ids, now }: { readonly ids: IdAllocator; readonly now: () => Date },
): FileRecords {
  return {
    add: async (files) => {
      const taken = await ids.take(plan.collectionName, files.length)
      const createdAt = now()
      const records = files.map((file, index): FileRecord => {
        const stamps = { createdAt, updatedAt: createdAt, publishedAt: createdAt }
        return { ...file, ...KEY, ...stamps, id: taken[index] ?? 0 }
      })
      if (records.length < 2) await insertVersions(database, plan, records)
      else await database.transact((session) => insertVersions(database, plan, records, session))
      return records
    },
    get: (name) => getOne(database, plan, name),
    getByHash: (hash) => getByHash(database, plan, hash),
    addVariant: (record, name, most) => addVariant(database, plan, record, { name, most }),
    all: () => findAll(database, plan),
    patch: async (documentId, changes) => {
      const target = { documentId, key: KEY }
      const patched = await patchVersion(database, plan, target, { ...changes, updatedAt: now() })
      return patched === null ? null : asFile(patched)
    },
    remove: async (documentId) => (await deleteVersions(database, plan, documentId, 'all')) > 0,
    withdraw: async (files) => {
      const added = files.map(({ documentId, hash }) => ({ _id: versionId(documentId, KEY), hash }))
      await asCmsErrors(() =>
        versionsOf(database, plan).deleteMany({ $or: added }, optionsOf(database)),
      )
    },
  }
}

async function getOne(
  database: Database,
  plan: ContentTypePlan,
  filter: Filter<VersionDocument>,
): Promise<FileRecord | null> {
  const found = await asCmsErrors(() =>
    versionsOf(database, plan).findOne({ ...KEY, ...filter }, optionsOf(database)),
  )
  return found === null ? null : asFile(found)
}

async function getByHash(
  database: Database,
  plan: ContentTypePlan,
  hash: string,
): Promise<FileRecord | null> {
  const whole = await getOne(database, plan, { hash })
  if (whole !== null) return whole
  const record = await getOne(database, plan, { hash: hash.replace(/^[a-z]+_/, '') })
  const formats = Object.values(record?.formats ?? {})
  return formats.some((format) => format.hash === hash) ? record : null
}

async function addVariant(
  database: Database,
  plan: ContentTypePlan,
  { documentId, updatedAt }: FileRecord,
  { name, most }: { readonly name: string; readonly most: number },
): Promise<readonly string[] | null> {
  // The driver's types know only what a version has of its own.
  const pushed = { variants: { $each: [name], $slice: -most } } as never
  const before = await asCmsErrors(() =>
    versionsOf(database, plan).findOneAndUpdate(
      { _id: versionId(documentId, KEY), updatedAt },
      { $push: pushed },
      { ...optionsOf(database), returnDocument: 'before' },
    ),
  )
  if (before === null) return null
  const known = asFile(before).variants ?? []
  return known.slice(0, Math.max(0, known.length + 1 - most))
}

/** In pages, so that each command ends in time. */
async function* findAll(database: Database, plan: ContentTypePlan): AsyncGenerator<FileRecord> {
  let after = ''
  for (;;) {
    const page = await asCmsErrors(() =>
      versionsOf(database, plan)
        .find({ _id: { $gt: after } }, optionsOf(database))
        .sort({ _id: 1 })
        .limit(PAGE)
        .toArray(),
    )
    for (const found of page) yield asFile(found)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last._id
  }
}

const PAGE = 1_000

/** Files are written by this module alone. */
function asFile(stored: Document): FileRecord {
  return asVersion(stored) as FileRecord
}
