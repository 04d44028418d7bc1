import { SyncTokenExpiredError } from '../../base/errors.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { SyncedType, SyncScope } from './query/parse-scope.ts'
import type { SyncToken, TypeProgress } from './query/sync-token.ts'
import type { Uid } from '../../schema/definition.ts'
import type { OpenType, SyncSources } from './read-changes.ts'
import { compileShape } from './row-shape.ts'
import type { Reset } from './sync-items.ts'

export interface SyncCaller {
  maySync(type: SyncedType): boolean
  mayRead(uid: Uid): boolean
}

export interface TypeReset {
  readonly type: SyncedType
  readonly reset: Reset
}

export interface Settled {
  readonly token: SyncToken
  readonly resets: readonly TypeReset[]
}

/** @throws SyncTokenExpiredError if the log was replaced, or retention has removed the commits */
export function assertFollowable(
  token: SyncToken,
  head: Pick<Head, 'log' | 'seq' | 'floor'>,
): void {
  if (token.log !== head.log || token.seq > head.seq) throw new SyncTokenExpiredError('log')
  if (token.seq < head.floor) throw new SyncTokenExpiredError('retention')
}

export function openTypes(scope: SyncScope, caller: SyncCaller): readonly OpenType[] {
  return scope.types.map((type) => ({
    ...type,
    shape: compileShape(type.plan, type.fields, (uid) => caller.mayRead(uid)),
  }))
}

export function codesOf({ locales: asked }: SyncScope, rules: LocaleRules): readonly string[] {
  if (asked === '*') return rules.all.map(({ code }) => code)
  if (asked === 'default') return [rules.defaultCode]
  return asked.filter((code) => rules.has(code))
}

export function settle(
  { locales }: Pick<SyncSources, 'locales'>,
  scope: SyncScope,
  token: SyncToken,
  { types, caller }: { readonly types: readonly OpenType[]; readonly caller: SyncCaller },
): Settled {
  const codes = codesOf(scope, locales)
  const resets: TypeReset[] = []
  const removed = token.locales.filter((code) => !codes.includes(code))
  const isMore = codes.some((code) => !token.locales.includes(code))
  const progress = types.map((type, index): TypeProgress => {
    const { digest } = type.shape
    const before = token.types[index] ?? { after: '', isLost: true, shape: digest }
    if (!caller.maySync(type)) {
      if (!before.isLost) resets.push({ type, reset: { reason: 'permission' } })
      return { after: null, isLost: true, shape: digest }
    }
    if (before.isLost) return initialProgress(digest)
    if (before.shape !== digest) {
      resets.push({ type, reset: { reason: 'schema' } })
      return initialProgress(digest)
    }
    if (!type.plan.localized) return before
    for (const locale of removed) resets.push({ type, reset: { reason: 'locale', locale } })
    return isMore ? initialProgress(digest) : before
  })
  return { token: { ...token, types: progress, locales: codes }, resets }
}

export function initialProgress(shape: string): TypeProgress {
  return { after: '', isLost: false, shape }
}
