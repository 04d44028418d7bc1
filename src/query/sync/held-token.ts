import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { parseScope, type SyncScope, typeNamesOf } from './parse-scope.ts'
import { readToken, type SyncToken } from './sync-token.ts'

/** A token that was sent, with its scope. */
export interface HeldToken {
  readonly scope: SyncScope
  readonly token: SyncToken
  /** Names of content-types that there are no more; neither the scope nor the token has them. */
  readonly gone: readonly string[]
}

/** @throws ValidationError for a malformed token, and for a scope that is unknown or has no type left */
export function readHeldToken(
  text: string,
  known: ReadonlyMap<string, ContentTypePlan>,
): HeldToken {
  const token = readToken(text)
  const names = typeNamesOf(token.asked)
  const gone = names.filter((name) => !known.has(name))
  if (gone.length === 0 || gone.length === names.length) {
    return { scope: parseScope(token.asked, known), token, gone: [] }
  }
  const asked = without(token.asked, gone)
  const types = token.types.filter((_, index) => !gone.includes(names[index] ?? ''))
  return { scope: parseScope(asked, known), token: { ...token, asked, types }, gone }
}

/** What is asked for, but for these types. */
function without(asked: Data, gone: readonly string[]): Data {
  const left: Data = { ...asked, types: typeNamesOf(asked).filter((name) => !gone.includes(name)) }
  for (const param of ['fields', 'filters']) {
    const members = asked[param]
    if (typeof members !== 'object' || members === null) continue
    left[param] = Object.fromEntries(
      Object.entries(members).filter(([name]) => !gone.includes(name)),
    )
  }
  return left
}
