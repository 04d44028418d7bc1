import type { Document } from 'mongodb'
import type { VersionKey, VersionSelection } from '../../query/query.ts'

export function matchVersions({ locales, status }: VersionSelection): Document {
  const [locale, ...others] = locales
  return others.length === 0 && locale !== undefined
    ? { status, locale }
    : { status, locale: { $in: [...locales] } }
}

/** Returns the `_id` of a version. The triple makes it unique and writes idempotent. */
export function versionId(documentId: string, { locale, status }: VersionKey): string {
  return `${documentId}:${locale}:${status}`
}

/** The reverse of `versionId`. */
export function versionKeyOf(_id: string): VersionKey & { readonly documentId: string } {
  // The ids of adopted documents may contain colons.
  const parts = _id.split(':')
  const [locale = '', status] = parts.slice(-2)
  const documentId = parts.slice(0, -2).join(':')
  return { documentId, locale, status: status === 'draft' ? 'draft' : 'published' }
}

/** Matches all versions of a document by the common prefix of their `_id`s. `;` is the character after `:`. */
export function matchDocument(documentId: string): { readonly _id: Document } {
  return { _id: { $gte: `${documentId}:`, $lt: `${documentId};` } }
}
