import { createHash } from 'node:crypto'
import { CmsError, fault, type Fault } from '../../base/errors.ts'
import { carriedCondition, NotCarried } from '../../mongo/rules/carried-condition.ts'
import { parseFilters } from '../../query/parse-filters.ts'
import type { Filter, RelatedFilter } from '../../query/query.ts'
import { typesOfFilter } from '../../query/types-of-query.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  OperandError,
  type Operands,
  operandsOf,
  type OperandValues,
  operandValue,
  sampleOperands,
  USER_TYPE,
  withValues,
} from './operands.ts'
import { withKnownUser } from './known-user.ts'
import { type RuleSchema, typeOfAction, withCurrentNames } from './rename-rule.ts'
import { ruleText, type StoredRule } from './stored-rule.ts'

export interface CompiledRule {
  readonly action: string
  /** With current names of attributes. */
  readonly stored: StoredRule
  readonly digest: string
  readonly plan: ContentTypePlan
  readonly operands: Operands
  /** The content-types that `where` and the operands refer to. A change of their entries can change the visible entries. */
  readonly types: ReadonlySet<Uid>
  /** Null without `where`. @throws CmsError if the values do not fit, such as too many of them */
  bindWhere(values: OperandValues): Filter | null
  bindSet(values: OperandValues): Data
}

const VERBS: ReadonlySet<string> = new Set([
  'find',
  'findOne',
  'readDrafts',
  'sync',
  'create',
  'update',
  'delete',
  'publish',
])
const STAMPING: ReadonlySet<string> = new Set(['create', 'update'])
const WITHOUT_FIELDS: ReadonlySet<string> = new Set(['delete', 'publish'])

/** Only content-types have rules. */
export function takesRule(schema: RuleSchema, action: string): boolean {
  const uid = typeOfAction(action)
  const verb = action.slice(uid.length + 1)
  return uid.startsWith('api::') && schema.contentTypes.has(uid) && VERBS.has(verb)
}

/** Returns the compiled rule, or the faults of one that does not fit the schema. `path` is where the rule stands. */
export function compileRule(
  schema: RuleSchema,
  given: StoredRule,
  path: readonly string[],
): CompiledRule | readonly Fault[] {
  const rule = withCurrentNames(schema, given)
  const { action, where, fields = [], set = {} } = rule
  const plan = schema.contentTypes.get(typeOfAction(action))
  if (plan === undefined || !takesRule(schema, action)) {
    const message = `${action} takes no rule`
    return [
      fault([...path, 'action'], message, action, { code: 'rule.action', params: { action } }),
    ]
  }
  const at = (member: string): readonly string[] => [...path, member]
  try {
    const operands = operandsOf([where, set], schema.contentTypes.get(USER_TYPE))
    const faults = [
      ...faultsOfWhere(plan, rule, operands, at('where')),
      ...faultsOfFields(plan, action, fields, at('fields')),
      ...faultsOfSet(plan, action, set, operands, at('set')),
    ]
    return faults.length > 0 ? faults : compiled(rule, plan, operands)
  } catch (error) {
    if (!(error instanceof OperandError)) throw error
    const { message: problem } = error
    return [
      fault(path, `${action}: ${problem}`, given, { code: 'rule.operand', params: { problem } }),
    ]
  }
}

function compiled(rule: StoredRule, plan: ContentTypePlan, operands: Operands): CompiledRule {
  const { action, where, set = {} } = rule
  const bindWhere = (values: OperandValues): Filter | null =>
    where === undefined ? null : withKnownUser(parseWhere(plan, where, values), values.user)
  return {
    action,
    stored: rule,
    digest: createHash('sha256').update(ruleText(rule)).digest('base64url'),
    plan,
    operands,
    types: new Set([
      ...typesOfFilter(bindWhere(sampleOperands(operands))),
      ...operands.paths.flatMap(({ through }) => through.map(({ targetUid }) => targetUid)),
      ...(operands.paths.length > 0 ? [USER_TYPE] : []),
    ]),
    bindWhere,
    bindSet: (values) => stampsOf(plan, set, values),
  }
}

function parseWhere(plan: ContentTypePlan, where: Data, values: OperandValues): Filter | null {
  return parseFilters(withValues(where, values), plan, PERMISSION)
}

const PERMISSION = { mayRead: () => true, isPermission: true } as const

function faultsOfWhere(
  plan: ContentTypePlan,
  { action, where }: StoredRule,
  operands: Operands,
  path: readonly string[],
): readonly Fault[] {
  if (where === undefined) return []
  const problem = problemOf(() => {
    const filter = parseWhere(plan, where, sampleOperands(operands))
    if (filter === null) return
    assertOneRelation(filter, 0)
    if (action === `${plan.uid}.sync`) assertCarried(plan, filter, operands)
  })
  if (problem === null) return []
  return [fault(path, problem, where, { code: 'rule.where', params: { problem } })]
}

function problemOf(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    const isProblem = error instanceof OperandError || error instanceof NotCarried
    if (error instanceof CmsError || isProblem) return error.message
    throw error
  }
}

const ADOPTED =
  'sync takes no conditions on a type that another service writes, because its changes do not carry the values before'

/** Devices hold rows that only commit items can take back. @throws NotCarried */
function assertCarried({ adopted }: ContentTypePlan, filter: Filter, { now }: Operands): void {
  if (adopted !== undefined) throw new NotCarried(ADOPTED)
  if (now) throw new NotCarried('sync takes no $now, because no change would take back a row')
  carriedCondition(filter)
}

/** @throws OperandError */
function assertFollowed({ locales, relation }: RelatedFilter): void {
  if (locales === 'others') throw new OperandError('localizations cannot be compared')
  if (relation.target().adopted === undefined) return
  throw new OperandError('conditions do not lead to types that another service writes')
}

/** @throws OperandError */
function assertOneRelation(filter: Filter, relations: number): void {
  switch (filter.kind) {
    case 'all':
    case 'any':
      for (const one of filter.of) assertOneRelation(one, relations)
      return
    case 'not':
    case 'within':
      assertOneRelation(filter.of, relations)
      return
    case 'related':
      assertFollowed(filter)
      if (relations > 0) throw new OperandError('conditions lead through at most one relation')
      assertOneRelation(filter.of, relations + 1)
      return
    case 'compare':
  }
}

function faultsOfFields(
  plan: ContentTypePlan,
  action: string,
  fields: readonly string[],
  path: readonly string[],
): readonly Fault[] {
  if (fields.length > 0 && WITHOUT_FIELDS.has(action.slice(plan.uid.length + 1))) {
    const problem = `${action} has no fields`
    return [fault(path, problem, fields, { code: 'rule.fields', params: { problem } })]
  }
  return fields.flatMap((name, index) => {
    if (plan.attributes.has(name)) return []
    const problem = `${plan.uid} has no attribute ${name}`
    const at = [...path, String(index)]
    return [fault(at, problem, name, { code: 'rule.fields', params: { problem } })]
  })
}

function faultsOfSet(
  plan: ContentTypePlan,
  action: string,
  set: Data,
  operands: Operands,
  path: readonly string[],
): readonly Fault[] {
  const names = Object.keys(set)
  if (names.length === 0) return []
  const refused = (problem: string): readonly Fault[] => [
    fault(path, problem, set, { code: 'rule.set', params: { problem } }),
  ]
  if (!STAMPING.has(action.slice(plan.uid.length + 1))) return refused(`${action} sets no values`)
  const unknown = names.find(
    (name) => plan.attributes.get(name)?.writable === false || !plan.attributes.has(name),
  )
  if (unknown !== undefined) return refused(`${plan.uid} has no writable attribute ${unknown}`)
  const problem = problemOf(() => {
    const options = { creating: false, isTrusted: true }
    plan.validators.direct(stampsOf(plan, set, sampleOperands(operands)), options)
  })
  return problem === null ? [] : refused(problem)
}

function stampsOf(plan: ContentTypePlan, set: Data, values: OperandValues): Data {
  return Object.fromEntries(
    Object.entries(set).map(([name, value]) => {
      if (typeof value !== 'string' || !value.startsWith('$')) return [name, value]
      const found = operandValue(value, values)
      const attribute = plan.attributes.get(name)
      const takesList = attribute?.kind === 'relation' && attribute.toMany
      if (Array.isArray(found)) return [name, takesList ? found : (found[0] ?? null)]
      return [name, takesList ? [found] : found]
    }),
  )
}
