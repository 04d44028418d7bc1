import { createHash } from 'node:crypto'
import type { Action } from '../../people/access/actions.ts'
import type { Grants } from '../../people/access/principal.ts'
import { readerKeys } from '../../people/access/reader-key.ts'
import type { EntryFormat, LocaleRules } from '../../query/query.ts'

export interface ReadToCache {
  readonly uid: string
  readonly documentId: string | null
  readonly querystring: string
  readonly format: EntryFormat
  readonly locales: LocaleRules
  readonly grants: Grants
}

/** The key contains the reader key and not the principal, so principals share cache entries. */
export function answerKeys(
  actions: readonly Pick<Action, 'name'>[],
): (asked: ReadToCache) => string {
  const rights = readerKeys(actions)
  const stamps = onceEach(({ defaultCode, all }: LocaleRules) =>
    digest([defaultCode, ...all.map(({ code }) => code)]),
  )
  return ({ uid, documentId, querystring, format, locales, grants }) =>
    JSON.stringify([uid, documentId, spelled(querystring), format, stamps(locales), rights(grants)])
}

/** Characters that qs parses alike whether they are escaped or not. */
const ALIKE: Readonly<Record<string, string>> = {
  '%24': '$',
  '%2C': ',',
  '%3A': ':',
  '%5B': '[',
  '%5D': ']',
}

/** The order of parameters stays, because it determines the order of lists and of the response. */
export function spelled(querystring: string): string {
  if (!isDecodable(querystring)) return querystring
  return querystring.replaceAll(/%(?:24|2C|3A|5B|5D)/gi, (escaped) => {
    return ALIKE[escaped.toUpperCase()] ?? escaped
  })
}

/** qs reads a query string with malformed escapes literally. */
function isDecodable(querystring: string): boolean {
  try {
    decodeURIComponent(querystring)
    return true
  } catch {
    return false
  }
}

function digest(names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url')
}

/** Memoizes by identity: changed locales are loaded as new objects. */
function onceEach<T extends object>(make: (from: T) => string): (from: T) => string {
  const made = new WeakMap<T, string>()
  return (from) => {
    const known = made.get(from)
    if (known !== undefined) return known
    const text = make(from)
    made.set(from, text)
    return text
  }
}
