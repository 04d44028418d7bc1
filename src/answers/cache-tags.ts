import { isDocumentId } from '../mongo/versions/document-id.ts'

/** The header that a CDN reads tags from, and what stands between them. */
export const TAG_HEADERS = {
  'surrogate-key': { name: 'Surrogate-Key', between: ' ' },
  'cache-tag': { name: 'Cache-Tag', between: ',' },
  xkey: { name: 'xkey', between: ' ' },
} as const
export type CacheTagsKind = keyof typeof TAG_HEADERS

/** What CDNs take of tags with one answer. */
const MOST_BYTES = 16_384

/**
 * Names the content-types that an answer is made of, and the documents that it shows; the types alone where these are too
 * many.
 */
export function cacheTagsOf(kind: CacheTagsKind, types: Iterable<string>, shown: unknown): string {
  const { between } = TAG_HEADERS[kind]
  const uids = [...types]
  const documents = new Set<string>()
  addDocuments(documents, shown)
  const all = [...uids, ...documents].join(between)
  return all.length <= MOST_BYTES ? all : uids.join(between)
}

/** Wherever they stand, as `populate=ids` shows them too: text that looks like one costs a purge more than needed. */
function addDocuments(documents: Set<string>, shown: unknown): void {
  if (typeof shown === 'string') {
    if (isDocumentId(shown)) documents.add(shown)
  } else if (shown !== null && typeof shown === 'object') {
    for (const one of Object.values(shown)) addDocuments(documents, one)
  }
}
