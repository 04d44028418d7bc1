export type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue }

/** Serializes a tree in the notation of the API, `?filters[title][$eq]=x`. */
export function toQueryString(query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function pairsOf(name: string, value: QueryValue): readonly string[] {
  if (value === undefined) return []
  if (value === null || typeof value !== 'object') {
    return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]
  }
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner))
}
