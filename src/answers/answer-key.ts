import { createHash } from 'node:crypto'
import type { Action } from '../access/actions.ts'
import type { Grants } from '../access/principal.ts'
import type { EntryFormat, LocaleRules } from '../query/query.ts'

/** All that an answer to a read may differ by, beside content. */
export interface AskedRead {
  /** Of the content-type; of a named query the name of its action. */
  readonly uid: string
  /** Null asks for a list. */
  readonly documentId: string | null
  readonly querystring: string
  readonly format: EntryFormat
  readonly locales: LocaleRules
  readonly grants: Grants
}

/**
 * Makes the text that is equal for reads with equal answers, as long as content is equal. It names permissions and not who
 * has them: those with the same rights share what is kept.
 */
export function answerKeys(actions: readonly Pick<Action, 'name'>[]): (asked: AskedRead) => string {
  const rights = onceEach((grants: Grants) =>
    digest(actions.map(({ name }) => name).filter((name) => grants.has(name))),
  )
  const stamps = onceEach(({ defaultCode, all }: LocaleRules) =>
    digest([defaultCode, ...all.map(({ code }) => code)]),
  )
  return ({ uid, documentId, querystring, format, locales, grants }) =>
    JSON.stringify([uid, documentId, spelled(querystring), format, stamps(locales), rights(grants)])
}

/** What qs reads alike in a query string whether it is escaped or not. */
const ALIKE: Readonly<Record<string, string>> = {
  '%24': '$',
  '%2C': ',',
  '%3A': ':',
  '%5B': '[',
  '%5D': ']',
}

/**
 * The same query string in one spelling. Only what certainly says the same is made equal: the order of parameters stays,
 * as it is that of lists, and of what an answer shows.
 */
export function spelled(querystring: string): string {
  if (!isDecodable(querystring)) return querystring
  return querystring.replaceAll(/%(?:24|2C|3A|5B|5D)/gi, (escaped) => {
    return ALIKE[escaped.toUpperCase()] ?? escaped
  })
}

/** What is not is read as it stands, escapes and all. */
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

/** Roles and locales are loaded anew when they have changed: an object that was seen before says what it said. */
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
