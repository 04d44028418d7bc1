import { isDocumentId } from '../../mongo/versions/document-id.ts'

export const TAG_HEADERS = {
  'surrogate-key': { name: 'Surrogate-Key', between: ' ' },
  'cache-tag': { name: 'Cache-Tag', between: ',' },
  xkey: { name: 'xkey', between: ' ' },
} as const
export type CacheTagsKind = keyof typeof TAG_HEADERS

/** The tag of all responses with bytes of public files. */
export const UPLOADS_TAG = 'uploads'

/** Limit of CDNs for the tags of one response. */
const MAX_HEADER_BYTES = 16_384

/** If the documents exceed the limit, the tags name the types only. */
export function cacheTagsOf(kind: CacheTagsKind, types: Iterable<string>, shown: unknown): string {
  const { between } = TAG_HEADERS[kind]
  const uids = [...types]
  const documents = new Set<string>()
  addDocuments(documents, shown)
  const all = [...uids, ...documents].join(between)
  return all.length <= MAX_HEADER_BYTES ? all : uids.join(between)
}

/** Any depth, because `populate=ids` returns plain ids. Strings like documentIds only cause needless purges. */
function addDocuments(documents: Set<string>, shown: unknown): void {
  if (typeof shown === 'string') {
    if (isDocumentId(shown)) documents.add(shown)
  } else if (shown !== null && typeof shown === 'object') {
    for (const one of Object.values(shown)) addDocuments(documents, one)
  }
}
