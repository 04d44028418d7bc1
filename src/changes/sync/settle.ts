import { SyncTokenExpiredError } from '../../base/errors.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { SyncRule } from '../../people/access/sync-rights.ts'
import type { Filter } from '../../query/query.ts'
import { bothFilters, restrictPlan } from '../../query/ruled-type.ts'
import type { SyncedType, SyncScope } from './query/parse-scope.ts'
import type { SyncToken, TypeProgress } from './query/sync-token.ts'
import { keptCodes, localesOf } from './query/synced-locales.ts'
import { assertNotNewer, type SyncedRelease, UNKNOWN_RELEASE } from './query/synced-release.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { OpenType, SyncSources } from './read-changes.ts'
import { linksTo } from './link-sight.ts'
import { compileShape, ruledShape } from './row-shape.ts'
import type { Reset } from './sync-items.ts'

export interface SyncCaller {
  maySync(type: SyncedType): boolean
  mayRead(uid: Uid): boolean
  ruleOf(type: SyncedType): SyncRule | null
  limitOf(plan: ContentTypePlan): Filter | null
  readonly operandTypes: ReadonlySet<Uid>
}

export interface TypeReset {
  readonly type: SyncedType
  readonly reset: Reset
}

export interface Settled {
  readonly token: SyncToken
  readonly resets: readonly TypeReset[]
}

export function assertFollowable(
  token: SyncToken,
  head: Pick<Head, 'log' | 'seq' | 'floor'>,
): void {
  if (token.log !== head.log || token.seq > head.seq) throw new SyncTokenExpiredError('log')
  if (token.seq < head.floor) throw new SyncTokenExpiredError('retention')
}

/** A device that gains or loses rows by a limit reads them again. */
const LIMITED = 'limited'

export function openTypes(
  scope: SyncScope,
  caller: SyncCaller,
  release: SyncedRelease = UNKNOWN_RELEASE,
): readonly OpenType[] {
  const mayRead = (uid: Uid): boolean => caller.mayRead(uid)
  const sight = { mayRead, links: linksTo(scope.known, mayRead) }
  return scope.types.map((type) => {
    const rule = caller.ruleOf(type)
    const fields = rule?.fields ?? null
    const shown = fields === null ? type.plan : restrictPlan(type.plan, fields)
    const shape = compileShape(shown, type.fields, sight)
    const limit = caller.limitOf(type.plan)
    const filter = bothFilters(type.filter, limit)
    const limited = limit === null ? shape : ruledShape(shape, LIMITED)
    return {
      ...type,
      filter,
      release,
      rule,
      shape: rule === null ? limited : ruledShape(limited, rule.digest),
    }
  })
}

interface SettledAt extends Pick<SyncSources, 'locales'> {
  /** Rows that are read after this have all changes up to it. */
  readonly head: Pick<Head, 'seq'>
}

export function settle(
  { locales, head }: SettledAt,
  scope: SyncScope,
  token: SyncToken,
  { types, caller }: { readonly types: readonly OpenType[]; readonly caller: SyncCaller },
): Settled {
  const present = localesOf(scope, locales)
  const kept = keptCodes(token, present)
  const resets: TypeReset[] = []
  const removed = token.locales.filter((code) => !kept.includes(code))
  const isMore = present.locales.some((code) => !kept.includes(code))
  const progress = types.map((type, index): TypeProgress => {
    const { digest } = type.shape
    const before = token.types[index] ?? { after: '', isLost: true, shape: digest }
    if (!caller.maySync(type)) {
      if (!before.isLost) resets.push({ type, reset: { reason: 'permission' } })
      return lostProgress(type)
    }
    if (before.isLost) return initialProgress(type, head.seq)
    const reason = changedView(type, before)
    if (reason !== null) {
      resets.push({ type, reset: { reason } })
      return initialProgress(type, head.seq)
    }
    if (!type.plan.localized) return before
    for (const locale of removed) resets.push({ type, reset: { reason: 'locale', locale } })
    return isMore ? initialProgress(type, head.seq) : before
  })
  return { token: { ...token, types: progress, ...present }, resets }
}

/** Why the rows of a client are not those that the caller sees. Null if they are. @throws OlderReleaseError */
function changedView(
  { shape, rule, release }: OpenType,
  before: TypeProgress,
): 'schema' | 'permission' | null {
  if (before.shape !== shape.digest) {
    assertNotNewer(before.release ?? 0, release)
    return 'schema'
  }
  return ruleValuesOf(before) === ruleValuesOf({ rule }) ? null : 'permission'
}

export function lostProgress({ shape }: Pick<OpenType, 'shape'>): TypeProgress {
  return { after: null, isLost: true, shape: shape.digest }
}

/** The digest of the values of a rule. Empty without a rule. */
export function ruleValuesOf({
  rule,
}: {
  readonly rule?: { readonly values: string } | null
}): string {
  return rule?.values ?? ''
}

/** `seq` is a position of the log. All rows are read after it. */
export function initialProgress(
  { plan, shape, rule, release: { at } }: Pick<OpenType, 'plan' | 'shape' | 'rule' | 'release'>,
  seq: number,
): TypeProgress {
  const begun = { after: '', isLost: false, shape: shape.digest, ...(at > 0 && { release: at }) }
  // Changes of adopted types may be lost, and then earlier changes are ignored as under a rule.
  if (rule === null && plan.adopted === undefined) return begun
  return { ...begun, rule: { values: ruleValuesOf({ rule }), from: seq } }
}

/** Types whose rule cannot be decided for a change, or whose changes were lost, are read again. */
export function readAgain(
  token: SyncToken,
  types: readonly OpenType[],
  undecided: ReadonlySet<Uid>,
  seq: number,
): Settled {
  const again = types.filter(({ plan }) => undecided.has(plan.uid))
  const progress = token.types.map((before, index) => {
    const type = types[index]
    return type !== undefined && again.includes(type) ? initialProgress(type, seq) : before
  })
  return {
    token: { ...token, types: progress },
    resets: again.map((type) => ({
      type,
      reset: { reason: type.rule === null ? 'schema' : 'permission' },
    })),
  }
}
