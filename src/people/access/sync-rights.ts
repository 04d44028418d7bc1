import { createHash } from 'node:crypto'
import { ForbiddenError } from '../../base/errors.ts'
import {
  carriedCondition,
  type CarriedCondition,
  NotCarried,
} from '../../mongo/rules/carried-condition.ts'
import type { FieldSelection, Filter } from '../../query/query.ts'
import { unknownKey } from '../../query/query-error.ts'
import { bothFilters, restrictPlan } from '../../query/ruled-type.ts'
import { FILE_UID, type Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { BoundRule } from '../rules/bound-rules.ts'
import { contentAction, pluginAction } from './actions.ts'
import { assertMay } from './permissions.ts'
import { publicFilesOnly } from './private-files.ts'
import { type Principal, rulesFor } from './principal.ts'
import { anyWhere, mayUnderRule, sharedFields } from './ruled-reads.ts'

export interface Synced {
  readonly plan: ContentTypePlan
  readonly fields?: FieldSelection
  readonly filter?: Filter | null
}

export interface SyncedScope {
  readonly types: readonly Synced[]
  readonly status: 'draft' | 'published'
}

/** The rules of all actions that syncing a type needs, joined by *and*. */
export interface SyncRule {
  /** Null if all entries are visible. */
  readonly condition: CarriedCondition | null
  /** Null if all attributes are visible. */
  readonly fields: ReadonlySet<string> | null
  /** Changes with the texts of the rules. */
  readonly digest: string
  /** Changes with the values of their operands. */
  readonly values: string
}

export interface Syncer {
  maySync(type: Synced): boolean
  mayRead(uid: ContentTypePlan['uid']): boolean
  /** Null without a rule, and for a type that may not be synced. */
  ruleOf(type: Synced): SyncRule | null
  /** Excludes files that the caller never finds. Null if it finds all rows of the type. */
  limitOf(plan: ContentTypePlan): Filter | null
  /** The content-types that hold values of operands. A change of their entries can change the visible entries. */
  readonly operandTypes: ReadonlySet<Uid>
}

type Reader = Pick<Principal, 'kind' | 'grants'>

export function syncerOf(principal: Reader, scope: SyncedScope): Syncer {
  const rules = new Map<Uid, SyncRule | null | false>()
  const ruleFor = (type: Synced): SyncRule | null | false => {
    const known = rules.get(type.plan.uid)
    if (known !== undefined) return known
    const rule = syncRuleOf(principal, scope, type)
    rules.set(type.plan.uid, rule)
    return rule
  }
  return {
    mayRead: (uid) => principal.grants.has(contentAction({ uid }, 'find')),
    maySync: (type) => ruleFor(type) !== false,
    ruleOf: (type) => {
      const rule = ruleFor(type)
      return rule === false ? null : rule
    },
    limitOf: (plan) => (plan.uid === FILE_UID ? publicFilesOnly(principal, plan) : null),
    operandTypes: operandTypesOf(principal, scope),
  }
}

/** @throws ForbiddenError unless all types are permitted, ValidationError for an attribute that a rule hides */
export function assertMaySync(principal: Principal, scope: SyncedScope): void {
  for (const type of scope.types) {
    const actions = actionsOf(scope, type)
    for (const action of actions) if (!mayUnderRule(principal, action)) assertMay(principal, action)
    const hidden = hiddenIn(type, sharedFields(rulesOf(principal, scope, type).flat()))
    if (hidden !== null) throw unknownKey(hidden.name, type.plan.singularName, hidden.param)
    if (syncRuleOf(principal, scope, type) === false) {
      throw new ForbiddenError(`Only the database can decide the rules of ${actions.join(', ')}`)
    }
  }
}

function rulesOf(
  principal: Reader,
  scope: SyncedScope,
  type: Synced,
): readonly (readonly BoundRule[])[] {
  return actionsOf(scope, type).map((action) => rulesFor(principal, action))
}

/** False if the type may not be synced, or if only the database can decide one of the rules. */
function syncRuleOf(principal: Reader, scope: SyncedScope, type: Synced): SyncRule | null | false {
  const actions = actionsOf(scope, type)
  if (!actions.every((action) => mayUnderRule(principal, action))) return false
  const byAction = rulesOf(principal, scope, type)
  const rules = byAction.flat()
  if (rules.length === 0) return null
  const fields = sharedFields(rules)
  if (rules.some(({ rule }) => rule.operands.now) || hiddenIn(type, fields) !== null) return false
  const where = byAction.map(anyWhere).reduce<Filter | null>(bothFilters, null)
  const condition = where === null ? null : carriedOrNull(where)
  // The log has no values of entries that other services change.
  if (where !== null && (condition === null || type.plan.adopted !== undefined)) return false
  return {
    condition,
    fields,
    digest: digestOf(rules.map(({ action, rule }) => [action, rule.digest])),
    values: digestOf(rules.map(({ action, values }) => [action, values])),
  }
}

function carriedOrNull(filter: Filter): CarriedCondition | null {
  try {
    return carriedCondition(filter)
  } catch (error) {
    if (error instanceof NotCarried) return null
    throw error
  }
}

/** The first attribute of the scope that the caller may not see. It would reveal values of hidden attributes. */
function hiddenIn(
  { plan, fields: named = 'all', filter = null }: Synced,
  shown: ReadonlySet<string> | null,
): { readonly name: string; readonly param: 'fields' | 'filters' } | null {
  if (shown === null) return null
  const { members } = restrictPlan(plan, shown)
  const isHidden = (name: string): boolean => members.get(name)?.private !== false
  const compared = filter === null ? [] : comparedIn(filter)
  const inFilter = compared.find(isHidden)
  if (inFilter !== undefined) return { name: inFilter, param: 'filters' }
  const inFields = named === 'all' ? undefined : named.find(isHidden)
  return inFields === undefined ? null : { name: inFields, param: 'fields' }
}

function comparedIn(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap(comparedIn)
    case 'not':
      return comparedIn(filter.of)
    case 'compare':
      return [filter.attribute.name]
    case 'within':
      return [filter.component.name]
    case 'related':
      return [filter.relation.name]
  }
}

/** The types that paths of operands lead to. A stream also follows the row of its user. */
function operandTypesOf(principal: Reader, scope: SyncedScope): ReadonlySet<Uid> {
  const rules = scope.types.flatMap((type) => rulesOf(principal, scope, type).flat())
  const paths = rules.flatMap(({ rule }) => rule.operands.paths)
  return new Set(paths.flatMap(({ through }) => through.map(({ targetUid }) => targetUid)))
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)
}

type NamedType = { readonly plan: Pick<ContentTypePlan, 'uid' | 'draftAndPublish'> }

export function actionsOf(
  { status }: Pick<SyncedScope, 'status'>,
  type: NamedType,
): readonly string[] {
  const { plan } = type
  const drafts = status === 'draft' && plan.draftAndPublish
  return [
    plan.uid.startsWith('api::')
      ? contentAction(plan, 'find')
      : pluginAction('plugin::upload.content-api', 'find'),
    syncAction(type),
    ...(drafts ? [contentAction(plan, 'readDrafts')] : []),
  ]
}

export function syncAction({ plan }: { readonly plan: Pick<ContentTypePlan, 'uid'> }): string {
  return plan.uid.startsWith('api::')
    ? contentAction(plan, 'sync')
    : pluginAction('plugin::upload.content-api', 'sync')
}
