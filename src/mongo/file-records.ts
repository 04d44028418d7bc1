import type { ContentTypePlan } from '../schema/plan.ts'
import type { Database } from './database.ts'
import { newDocumentId } from './document-id.ts'
import type { IdAllocator } from './id-allocator.ts'
import { optionsOf, run, type StoredVersion, versionsOf, asVersion } from './stored-version.ts'
import { versionId } from './version-match.ts'
import { deleteVersions, insertVersions, patchVersion } from './write-versions.ts'

/** What is known of a file; the keys are the attributes of `plugin::upload.file`. */
export interface FileValues {
  readonly name: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly focalPoint: unknown
  readonly width: number | null
  readonly height: number | null
  readonly formats: Readonly<Record<string, FormatValues>> | null
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
export type FileRecord = StoredVersion & FileValues

export interface FileRecords {
  /** All of them or none. */
  add(files: readonly FileValues[]): Promise<readonly FileRecord[]>
  /** By documentId or numeric id; null when there is none. */
  get(name: { readonly documentId: string } | { readonly id: number }): Promise<FileRecord | null>
  /** Null when it is gone. */
  patch(documentId: string, changes: Partial<FileValues>): Promise<FileRecord | null>
  /** Whether it was there. */
  remove(documentId: string): Promise<boolean>
}

/** Name and type of those that there are, by documentId. */
export async function findFileTypes(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<FileValues, 'name' | 'mime'>>> {
  const found = await run(undefined, () =>
    versionsOf(database, plan)
      .find(
        { _id: { $in: documentIds.map((documentId) => versionId(documentId, KEY)) } },
        {
          ...optionsOf(database, undefined),
          projection: { _id: 0, documentId: 1, name: 1, mime: 1 },
        },
      )
      .toArray(),
  )
  return new Map(
    found
      .map(asVersion)
      .map(asFile)
      .map(({ documentId, name, mime }) => [documentId, { name, mime }]),
  )
}

const KEY = { locale: null, status: 'published' } as const

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
        return { ...file, ...KEY, ...stamps, id: taken[index] ?? 0, documentId: newDocumentId() }
      })
      if (records.length < 2) await insertVersions(database, plan, records)
      else await database.transact((session) => insertVersions(database, plan, records, session))
      return records
    },
    get: async (name) => {
      const found = await run(undefined, () =>
        versionsOf(database, plan).findOne({ ...KEY, ...name }, optionsOf(database, undefined)),
      )
      return found === null ? null : asFile(asVersion(found))
    },
    patch: async (documentId, changes) => {
      const target = { documentId, key: KEY }
      const patched = await patchVersion(database, plan, target, { ...changes, updatedAt: now() })
      return patched === null ? null : asFile(patched)
    },
    remove: async (documentId) => (await deleteVersions(database, plan, documentId, 'all')) > 0,
  }
}

/** Files are written by this module alone. */
function asFile(version: StoredVersion): FileRecord {
  return version as FileRecord
}
