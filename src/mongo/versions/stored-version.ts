import { BSON, type Collection, type Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'

/** One version of a document as it is stored, with its attributes beside these. */
export interface StoredVersion extends Data {
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
  /** Another one after every write (`revision.ts`); absent from what was stored before there were any. */
  readonly _revision?: string
  /** The last commit that has written it (`revision.ts`); absent from what was stored before there was a log. */
  readonly _commit?: string
}

/** What MongoDB holds: a version and its `_id`, see `versionId`. */
export type VersionDocument = Document & { readonly _id: string }

/** All versions of all documents of a content-type. */
export function versionsOf(database: Database, plan: ContentTypePlan): Collection<VersionDocument> {
  return database.collection<VersionDocument>(plan.collectionName)
}

/**
 * The bytes of one version, as the driver would read them. Where commands are monitored it (7.8) decodes an answer for
 * its events and once more for its reader, unless the reader takes bytes: half of what monitoring cost.
 */
export function decodeVersion(bytes: Uint8Array): StoredVersion {
  return asVersion(BSON.deserialize(bytes, DECODING))
}

/** Of whatever is read. */
export const DECODING = { useBigInt64: true } as const

/** Versions are written by this room alone, so what is read is one. */
export function asVersion(document: Document): StoredVersion {
  return document as unknown as StoredVersion
}
