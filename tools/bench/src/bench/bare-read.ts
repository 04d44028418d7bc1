import type { Collection, Document, Sort } from 'mongodb'

export type BareRow = Document & { readonly _id: string }

export const PAGE_SIZE = 25
export const PUBLISHED = { status: 'published', locale: '' }

const TEXTS = ['id', 'documentId', 'title', 'slug', 'summary', 'body']
const TIMES = ['createdAt', 'updatedAt', 'publishedAt']

const SHOWN = {
  post: [...TEXTS, 'rating', 'featured', ...TIMES],
  writer: ['id', 'documentId', 'name', 'email', ...TIMES],
  topic: ['id', 'documentId', 'name', ...TIMES],
  city: ['id', 'documentId', 'name'],
} as const

export type Shown = keyof typeof SHOWN

export interface PageRange {
  readonly skip?: number
  readonly limit?: number
  readonly sort?: Sort
  /** Fields to read in addition to the returned ones. */
  readonly also?: readonly string[]
}

export async function readPage(
  collection: Collection<BareRow>,
  type: Shown,
  filter: Document,
  { skip = 0, limit = PAGE_SIZE, also = [], sort = { id: 1 } }: PageRange = {},
): Promise<readonly Document[]> {
  const projection = projectionOf(type, also)
  const options = { sort, skip, limit, batchSize: limit + 1, projection }
  return collection.find(filter, options).toArray()
}

/** Reads one extra row to find out whether there is a next page. */
export async function readPageByCursor(
  collection: Collection<BareRow>,
  type: Shown,
  cursor: string,
): Promise<object> {
  const after = cursor === '' ? {} : { id: { $gt: idOf(cursor) } }
  const filter = { ...PUBLISHED, ...after }
  const found = await readPage(collection, type, filter, { limit: PAGE_SIZE + 1 })
  const shown = found.slice(0, PAGE_SIZE)
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined
  const nextCursor = last === undefined ? null : encodeCursorAfter(Number(last['id']))
  return {
    data: shown.map((each) => show(type, each)),
    meta: { pagination: { pageSize: PAGE_SIZE, nextCursor } },
  }
}

export function projectionOf(
  type: Shown,
  also: readonly string[] = [],
): Readonly<Record<string, 0 | 1>> {
  const shown = [...SHOWN[type], ...also].map((name): [string, 1] => [name, 1])
  return { _id: 0, ...Object.fromEntries(shown) }
}

export function show(type: Shown, stored: Document): object {
  return Object.fromEntries(SHOWN[type].map((name) => [name, (stored[name] as unknown) ?? null]))
}

/** A cursor as Quire encodes it for the default order. */
export function encodeCursorAfter(id: number): string {
  return Buffer.from(JSON.stringify(['id:asc', [String(id)]])).toString('base64url')
}

function idOf(cursor: string): number {
  const [, [id]] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, [string]]
  return Number(id)
}
