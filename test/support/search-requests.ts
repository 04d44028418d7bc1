import * as fc from 'fast-check'
import { CANARY } from './door-types.ts'

/** Searches of one type and of several types, with words of visible and hidden texts. */
export function searchPath(): fc.Arbitrary<string> {
  const name = fc.constantFrom('text', 'code', 'name', 'hidden', 'vault', '__proto__')
  const names = fc.array(name, { maxLength: 3 }).map((all) => all.join(','))
  const types = fc.array(fc.constantFrom('node', 'note', 'secret', 'nope'), { maxLength: 3 })
  const text = fc.oneof(
    fc.constantFrom(
      CANARY,
      CANARY.slice(0, 6),
      `${CANARY}s`,
      `${CANARY}s node`,
      'node',
      `"${CANARY} node"`,
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  const match = fc.constantFrom('any', 'all', 'all', 'none', '')
  const listed = fc
    .tuple(fc.constantFrom('nodes', 'notes', 'secrets'), text, names, names, names, match)
    .map(([type, query, fields, highlights, facets, matched]) => {
      const asked = { query, match: matched, fields, highlights, facets }
      const parts = Object.entries(asked).map(
        ([key, value]) => `search[${key}]=${encodeURIComponent(value)}`,
      )
      return `/api/${type}?${parts.join('&')}`
    })
  const grouped = fc
    .tuple(text, types, fc.oneof(fc.integer(), fc.string()), fc.constantFrom('', 'en', '*', 'zz'))
    .map(([query, named, limit, locale]) => {
      const parts = { q: query, types: named.join(','), limit: String(limit), locale }
      return `/api/_search?${String(new URLSearchParams(parts))}`
    })
  return fc.oneof(listed, grouped)
}
