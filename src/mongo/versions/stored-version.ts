import { BSON, type Collection, type Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'

export interface StoredVersion extends Data {
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
  readonly _revision?: string
  readonly _commit?: string
}

export type VersionDocument = Document & { readonly _id: string }

export function versionsOf(database: Database, plan: ContentTypePlan): Collection<VersionDocument> {
  return database.collection<VersionDocument>(plan.collectionName)
}

/** The driver (7.8) decodes each reply twice under command monitoring, unless it returns BSON. */
export function decodeVersion(bytes: Uint8Array): StoredVersion {
  return asVersion(BSON.deserialize(bytes, DECODING))
}

export const DECODING = { useBigInt64: true } as const

/** Casts without a check, because only this folder writes versions. */
export function asVersion(document: Document): StoredVersion {
  return document as unknown as StoredVersion
}
