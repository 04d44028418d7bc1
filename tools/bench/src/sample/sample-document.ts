import { type ImportedDocument } from '../../../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../../../src/mongo/versions/document-id.ts'
import type { VersionKey } from '../../../../src/query/query.ts'
import type { Data, Uid } from '../../../../src/schema/definition.ts'

export const COVERS = ['borders', 'maps', 'names'] as const

export type CoverKey = (typeof COVERS)[number]

export interface SampleDocument {
  readonly documentId: string
  /** The image in `cover` of all versions. */
  readonly cover?: CoverKey
  readonly versions: readonly SampleVersion[]
}

export interface SampleVersion extends VersionKey {
  readonly values: Data
  /**
   * documentIds of relations, and values of components and zones. They apply to every version with
   * such attributes.
   */
  readonly nested: Data
}

export interface SamplePart {
  readonly uid: Uid
  readonly count: number
  readonly documents: () => Iterable<SampleDocument>
}

/** Deterministic documentIds of the sample, with a key space per type. */
export const sampleId = {
  article: (key: string): string => documentIdFor(`article:${key}`),
  category: (key: string): string => documentIdFor(`category:${key}`),
  city: (geonameId: number): string => documentIdFor(`city:${geonameId}`),
  country: (cca3: string): string => documentIdFor(`country:${cca3}`),
  currency: (code: string): string => documentIdFor(`currency:${code}`),
  language: (code: string): string => documentIdFor(`language:${code}`),
} as const

/** Converts a document for the import, with its cover if the file exists. */
export function toImportedDocument(
  { documentId, cover, versions }: SampleDocument,
  covers: ReadonlyMap<CoverKey, string> = new Map(),
): ImportedDocument {
  const file = cover === undefined ? undefined : covers.get(cover)
  return {
    documentId,
    versions: versions.map(({ locale, status, values, nested }) => ({
      locale,
      status,
      data: { ...values, ...nested, ...(file !== undefined && { cover: file }) },
    })),
  }
}
