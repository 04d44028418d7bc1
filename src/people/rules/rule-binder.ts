import { shareByKey } from '../../base/share-by-key.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { bindRules, type PermissionRules, type HeldRule } from './bound-rules.ts'
import { type OperandValues, USER_TYPE, type UserPath } from './operands.ts'
import { readOperands } from './read-operands.ts'
import type { RuleSchema } from './rename-rule.ts'

export interface RuledGrants {
  has(action: string): boolean
  readonly rules?: PermissionRules
}

/** The permissions of a role or an API token. */
export interface HeldGrants {
  readonly grants: RuledGrants
  readonly rules: readonly HeldRule[]
  /** Whether a rule compares with the user, or with the current minute. */
  readonly uses: { readonly user: boolean; readonly now: boolean }
  readonly paths: readonly UserPath[]
}

export function holdGrants(grants: RuledGrants, rules: readonly HeldRule[]): HeldGrants {
  const operands = rules.map(({ rule }) => rule.operands)
  const paths = operands.flatMap((one) => one.paths)
  return {
    grants,
    rules,
    uses: { user: operands.some(({ user }) => user), now: operands.some((one) => one.now) },
    paths: [...new Map(paths.map((path) => [path.text, path])).values()],
  }
}

export interface RuleBinder {
  /** The grants of a principal. `user` is the id that `$user` stands for, null if there is none. */
  bind(held: HeldGrants, user: string | null): RuledGrants | Promise<RuledGrants>
}

export interface RuleBinderOptions {
  readonly db: Database
  readonly schema: RuleSchema
  /** Whether `user` is the documentId of an end user, so that paths from it can be read. */
  readonly readsUsers: boolean
  readonly now: () => Date
}

/** Maximum age of operand values. */
const FRESH_MS = 1_000
const MINUTE_MS = 60_000
const MAX_BOUND = 10_000

interface Bound {
  readonly grants: RuledGrants & { readonly rules: PermissionRules }
  readonly minute: number
  readonly readAt: number
}

/** Caches the bound rules per user. The same values give the same grants, so that caches by identity hold. */
export function openRuleBinder({ db, schema, readsUsers, now }: RuleBinderOptions): RuleBinder {
  const known = new WeakMap<HeldGrants, Map<string, Bound>>()
  const users = readsUsers ? schema.contentTypes.get(USER_TYPE) : undefined
  const shares = new WeakMap<HeldGrants, ReturnType<typeof shareByKey<string, RuledGrants>>>()
  const bindNow = (held: HeldGrants, user: string | null): RuledGrants | Promise<RuledGrants> => {
    const at = now().getTime()
    const { key, minute } = dependsOn(held, user, at)
    const before = known.get(held)?.get(key)
    const reader = held.paths.length === 0 ? null : user
    const readsPaths = reader !== null && users !== undefined
    if (before !== undefined && isFresh(before, { minute, at: readsPaths ? at : 0 })) {
      return before.grants
    }
    const keep = (paths: OperandValues['paths']): RuledGrants => {
      const rules = bindRules(held.rules, { user, now: new Date(minute), paths })
      const isSame = before?.grants.rules.digest === rules.digest
      const grants = isSame ? before.grants : ruledGrants(held.grants, rules)
      return remember(known, held, key, { grants, minute, readAt: at })
    }
    if (!readsPaths) return keep(NO_VALUES)
    const share = shares.get(held) ?? shareByKey<string, RuledGrants>()
    shares.set(held, share)
    return share(`${user} ${minute}`, async () =>
      keep(await readOperands(db, users, reader, held.paths)),
    )
  }
  return { bind: (held, user) => (held.rules.length === 0 ? held.grants : bindNow(held, user)) }
}

function dependsOn({ uses }: HeldGrants, user: string | null, at: number) {
  return {
    key: uses.user ? (user ?? '') : '',
    minute: uses.now ? Math.floor(at / MINUTE_MS) * MINUTE_MS : 0,
  }
}

function isFresh(bound: Bound, { minute, at }: { readonly minute: number; readonly at: number }) {
  return bound.minute === minute && at - bound.readAt < FRESH_MS
}

const NO_VALUES: OperandValues['paths'] = new Map()

function ruledGrants(grants: RuledGrants, rules: PermissionRules): Bound['grants'] {
  return { has: (action) => grants.has(action), rules }
}

function remember(
  known: WeakMap<HeldGrants, Map<string, Bound>>,
  held: HeldGrants,
  key: string,
  bound: Bound,
): RuledGrants {
  const byUser = known.get(held) ?? new Map<string, Bound>()
  known.set(held, byUser)
  byUser.delete(key)
  byUser.set(key, bound)
  const [oldest] = byUser.keys()
  if (byUser.size > MAX_BOUND && oldest !== undefined) byUser.delete(oldest)
  return bound.grants
}
