export const KINDS = ['image', 'video', 'audio', 'file'] as const

export type Kind = (typeof KINDS)[number]

/** What the address of the media says. */
export interface MediaSearch {
  readonly folder?: string
  readonly q?: string
  readonly kind?: Kind
  readonly unused?: true
  readonly view?: 'list'
  readonly page?: number
}

/** Reads an address; what is not understood counts for nothing. */
export function readMediaSearch(given: Record<string, unknown>): MediaSearch {
  const { folder, q, view, unused, page } = given
  const kind = KINDS.find((one) => one === given['kind'])
  const text = typeof q === 'number' ? String(q) : q
  return {
    ...(isText(folder) && { folder }),
    ...(isText(text) && { q: text }),
    ...(kind !== undefined && { kind }),
    ...(unused === true && { unused }),
    ...(view === 'list' && { view }),
    ...(Number.isSafeInteger(page) && Number(page) > 1 && { page: Number(page) }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
