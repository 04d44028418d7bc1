import { type ImportedDocument } from '../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../src/mongo/versions/document-id.ts'
import type { VersionKey } from '../../src/query/query.ts'
import type { Data, Uid } from '../../src/schema/definition.ts'

/** The images of the sample (`sample-covers.ts`). */
export const COVERS = ['borders', 'maps', 'names'] as const

export type CoverKey = (typeof COVERS)[number]

/** A document of the sample, as it is mapped from its source. */
export interface SampleDocument {
  readonly documentId: string
  /** The image that all of its versions have as their `cover`. */
  readonly cover?: CoverKey
  readonly versions: readonly SampleVersion[]
}

export interface SampleVersion extends VersionKey {
  /** Values of scalar attributes. */
  readonly values: Data
  /** Of relations the documentIds, of components and zones the values; given to all that have any. */
  readonly nested: Data
}

/** What the sample holds of one content-type. */
export interface SamplePart {
  readonly uid: Uid
  readonly count: number
  readonly documents: () => Iterable<SampleDocument>
}

/** The documentIds of the sample follow from what a document is: each kind has its own keys. */
export const sampleId = {
  article: (key: string): string => documentIdFor(`article:${key}`),
  category: (key: string): string => documentIdFor(`category:${key}`),
  city: (geonameId: number): string => documentIdFor(`city:${geonameId}`),
  country: (cca3: string): string => documentIdFor(`country:${cca3}`),
  currency: (code: string): string => documentIdFor(`currency:${code}`),
  language: (code: string): string => documentIdFor(`language:${code}`),
} as const

/** A document as it is imported, with its cover if that is among the files given by documentId. */
export function toImported(
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
