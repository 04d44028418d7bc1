/** Serializes a query: `filters[title][$contains]=x`. Undefined values are left out. */
export function serializeQuery(query: object): string {
  const parts: string[] = []
  const add = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (Array.isArray(value)) value.forEach((one, index) => add(`${name}[${index}]`, one))
    else if (value instanceof Date) add(name, value.toISOString())
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        add(name === '' ? key : `${name}[${key}]`, inner)
    } else
      parts.push(
        `${encodeURIComponent(name)}=${encodeURIComponent(value as string | number | boolean)}`,
      )
  }
  add('', withoutNull(query))
  return parts.join('&')
}

/** URLs cannot contain null, so `$eq: null` becomes `$null`. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (inner === null && key === '$eq') return ['$null', true]
      if (inner === null && key === '$ne') return ['$notNull', true]
      return [key, inner === null ? { $null: true } : withoutNull(inner)]
    }),
  )
}
