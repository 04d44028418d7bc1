export const KINDS = ['image', 'video', 'audio', 'file'] as const

/** The sort orders and their API values; the first is the default. */
export const ORDERS = {
  newest: 'createdAt:desc',
  oldest: 'createdAt:asc',
  changed: 'updatedAt:desc',
  name: 'name:asc',
  largest: 'size:desc',
} as const

export type Order = keyof typeof ORDERS

export type Kind = (typeof KINDS)[number]

export interface MediaSearch {
  readonly folder?: string
  readonly q?: string
  readonly kind?: Kind
  readonly unused?: true
  readonly sort?: Order
  readonly view?: 'list'
  readonly page?: number
}

/** Ignored values are set explicitly, because the router merges the result over the raw search. */
const NO_SEARCH = {
  folder: undefined,
  q: undefined,
  kind: undefined,
  unused: undefined,
  sort: undefined,
  view: undefined,
  page: undefined,
}

export function readMediaSearch(given: Record<string, unknown>): MediaSearch {
  const { folder, q, view, unused, sort, page } = given
  const kind = KINDS.find((one) => one === given['kind'])
  const text = typeof q === 'number' ? String(q) : q
  return {
    ...(NO_SEARCH as object),
    ...(isText(folder) && { folder }),
    ...(isText(text) && { q: text }),
    ...(kind !== undefined && { kind }),
    ...(unused === true && { unused }),
    ...orderOf(sort),
    ...(view === 'list' && { view }),
    ...(Number.isSafeInteger(page) && Number(page) > 1 && { page: Number(page) }),
  }
}

function orderOf(sort: unknown): Pick<MediaSearch, 'sort'> {
  const order = (Object.keys(ORDERS) as Order[]).find((one) => one === sort)
  return order === undefined || order === 'newest' ? {} : { sort: order }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
