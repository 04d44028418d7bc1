import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import { parseScope, type SyncScope, typeNamesOf } from './parse-scope.ts'
import { assertNotNewer, type SyncedRelease, UNKNOWN_RELEASE } from './synced-release.ts'
import { LOST, readToken, type SyncToken } from './sync-token.ts'

export interface HeldToken {
  readonly scope: SyncScope
  readonly token: SyncToken
  readonly gone: readonly string[]
}

/** An older process of a rolling deployment may not know a type yet, so unknown types stay in the scope as lost. @throws OlderReleaseError */
export function readHeldToken(
  text: string,
  known: ReadonlyMap<string, ContentTypePlan>,
  release: SyncedRelease = UNKNOWN_RELEASE,
): HeldToken {
  const token = readToken(text)
  const names = typeNamesOf(token.asked)
  const progress = new Map(names.map((name, index) => [name, token.types[index] ?? LOST]))
  const absent = names.filter((name) => !known.has(name))
  const gone = absent.filter((name) => progress.get(name)?.isLost === false)
  assertNotNewer(Math.max(0, ...gone.map((name) => progress.get(name)?.release ?? 0)), release)
  if (absent.length === 0 || absent.length === names.length) {
    return { scope: parseScope(token.asked, known), token, gone: [] }
  }
  const present = names.filter((name) => known.has(name))
  return {
    scope: { ...parseScope(without(token.asked, absent), known), asked: token.asked, absent },
    token: { ...token, types: present.map((name) => progress.get(name) ?? LOST), absent },
    gone,
  }
}

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
