import type { Document } from 'mongodb'
import type { VersionKey, VersionSelection } from '../../query/query.ts'

/** Conditions that select the versions of a list; the only place that writes them. */
export function matchVersions({ locales, status }: VersionSelection): Document {
  const [locale, ...others] = locales
  return others.length === 0 && locale !== undefined
    ? { status, locale }
    : { status, locale: { $in: [...locales] } }
}

/** The `_id` of a stored version: the triple itself, so that it is unique and a write is idempotent. */
export function versionId(documentId: string, { locale, status }: VersionKey): string {
  return `${documentId}:${locale}:${status}`
}

/** All versions of a document: their `_id`s share a prefix, which ends before the next character. */
export function matchDocument(documentId: string): { readonly _id: Document } {
  return { _id: { $gte: `${documentId}:`, $lt: `${documentId};` } }
}
