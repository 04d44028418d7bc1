import { ValidationError } from '../base/errors.ts'
import type { Data } from '../schema/definition.ts'
import type {
  AttributePlan,
  ShapePlan,
  ComponentAttributePlan,
  RelationPlan,
  ScalarPlan,
} from '../schema/plan.ts'
import { authorAttribute } from './author-attribute.ts'
import { findMember } from './find-member.ts'
import { operatorHint, operatorNames } from './operator-hint.ts'
import { hasLocalizations, LOCALIZATIONS, localizationsRelation } from './localizations.ts'
import { anyOf, isOperator, parseBoolean, parseComparison } from './parse-comparison.ts'
import { computedKey, dottedPath, invalidValue, unknownKey, unusableKey } from './query-error.ts'
import { type Filter, type Operator, type TypeVisibility } from './query.ts'
import { bothFilters, ruledTarget } from './ruled-type.ts'

export const FILTER_LIMITS = {
  depth: 20,
  conditions: 200,
  /** An area counts as this many conditions, because it is compared point by point. */
  conditionsPerArea: 10,
  /** Including intermediate ones. Each is a separate query. */
  relations: 50,
} as const

/** `count` counts the conditions and relations of the whole filter. */
interface Scope {
  readonly holder: ShapePlan
  /** Dotted path, null at the root. `$and`, `$or` and `$not` are not part of it. */
  readonly parent: string | null
  readonly depth: number
  readonly rules: FilterRules
  readonly count: { conditions: number; relations: number }
}

export interface FilterRules extends TypeVisibility {
  /** For permissions: private attributes and the creator fields can be compared as well. */
  readonly isPermission?: true
}

const PARAM = 'filters'

const GROUP_OPERATORS: readonly string[] = ['$and', '$or', '$not']
const COMPONENT_OPERATORS = [...GROUP_OPERATORS, '$null', '$notNull']

type FilterableAttribute = ScalarPlan | RelationPlan | ComponentAttributePlan

export function parseFilters(input: unknown, holder: ShapePlan, rules: FilterRules): Filter | null {
  if (input === undefined) return null
  if (input === null || typeof input !== 'object') {
    throw new ValidationError(
      'The filters parameter must be an object or an array',
      {},
      { code: 'invalid_query' },
    )
  }
  const scope: Scope = {
    holder,
    parent: null,
    depth: 0,
    rules,
    count: { conditions: 0, relations: 0 },
  }
  const filter = parseGroup(asObject(input, 'filters'), scope)
  return filter.kind === 'all' && filter.of.length === 0 ? null : filter
}

function parseGroup(input: Data, scope: Scope, operators = GROUP_OPERATORS): Filter {
  if (scope.depth > FILTER_LIMITS.depth) {
    throw new ValidationError(
      `filters are nested deeper than ${FILTER_LIMITS.depth} levels`,
      {},
      { code: 'invalid_query' },
    )
  }
  const of = Object.entries(input).map(([key, value]) => parseEntry(key, value, scope, operators))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

function parseEntry(
  key: string,
  value: unknown,
  scope: Scope,
  operators = GROUP_OPERATORS,
): Filter {
  const inner: Scope = { ...scope, depth: scope.depth + 1 }
  switch (key) {
    case '$and':
      return { kind: 'all', of: parseBranches(key, value, inner) }
    case '$or':
      return { kind: 'any', of: parseBranches(key, value, inner) }
    case '$not':
      return { kind: 'not', of: parseGroup(asObject(value, pathOf(key, scope)), inner) }
    default:
      if (key.startsWith('$')) {
        throw unknownKey(key, scope.parent, PARAM, operatorHint(key, operators))
      }
      return parseAttribute(findAttribute(key, scope), value, inner)
  }
}

function parseBranches(key: string, value: unknown, scope: Scope): readonly Filter[] {
  const path = pathOf(key, scope)
  if (!Array.isArray(value) || value.length === 0) {
    throw invalidValue(path, `${key} takes a list of conditions`)
  }
  return value.map((branch: unknown, index) => parseBranch(branch, `${path}[${index}]`, scope))
}

/** A list within a list of conditions is a conjunction. */
function parseBranch(branch: unknown, path: string, scope: Scope): Filter {
  if (!Array.isArray(branch)) return parseGroup(asObject(branch, path), scope)
  if (branch.length === 0) throw invalidValue(path, 'expected conditions')
  const of = branch.map((one: unknown, index) =>
    parseGroup(asObject(one, `${path}[${index}]`), scope),
  )
  return { kind: 'all', of }
}

function findAttribute(key: string, { holder, parent, rules }: Scope): FilterableAttribute {
  if (key === LOCALIZATIONS && hasLocalizations(holder)) {
    if (isBelowLocalizations(parent)) throw unusableKey(key, parent, PARAM)
    return localizationsRelation(holder)
  }
  const attribute = findComparable(key, { holder, parent, rules })
  switch (attribute.kind) {
    case 'scalar':
      assertStored(attribute, parent)
      return attribute
    case 'component':
      return attribute
    case 'media':
      return attribute.files
    case 'relation':
      if (rules.mayRead(attribute.targetUid)) return attribute
      throw unusableKey(key, parent, PARAM)
    case 'dynamiczone':
      throw unusableKey(key, parent, PARAM)
  }
}

function findComparable(
  key: string,
  { holder, parent, rules }: Pick<Scope, 'holder' | 'parent' | 'rules'>,
): AttributePlan {
  const isOwn = rules.comparesAuthors === true && parent === null
  const isTrusted = rules.isPermission === true
  const author = isTrusted || isOwn ? authorAttribute(key, holder) : null
  const trusted = author ?? (isTrusted ? holder.members.get(key) : undefined)
  return trusted ?? findMember(key, holder, parent, PARAM, (member) => mayFilterBy(member, rules))
}

function assertStored({ name, computed }: ScalarPlan, parent: string | null): void {
  if (computed !== undefined) throw computedKey(name, parent, PARAM)
}

function mayFilterBy(member: AttributePlan, rules: Scope['rules']): boolean {
  if (member.kind === 'relation') return rules.mayRead(member.targetUid)
  if (member.kind === 'scalar') return member.computed === undefined
  return member.kind !== 'dynamiczone'
}

/** Nested localizations lead to the same documents again, and multiply the locales with each level. */
function isBelowLocalizations(parent: string | null): boolean {
  return parent !== null && parent.split('.').includes(LOCALIZATIONS)
}

function parseAttribute(attribute: FilterableAttribute, value: unknown, scope: Scope): Filter {
  switch (attribute.kind) {
    case 'scalar':
      return parseScalar(attribute, value, scope)
    case 'component': {
      const conditions = asObject(value, pathOf(attribute.name, scope))
      const inner = inside(scope, attribute.name, attribute.component())
      return parsePresence(conditions, scope, attribute.name, (rest) => ({
        kind: 'within',
        component: attribute,
        of: parseGroup(rest, inner, COMPONENT_OPERATORS),
      }))
    }
    case 'relation':
      return parseRelation(attribute, value, scope)
  }
}

function parseRelation(relation: RelationPlan, value: unknown, scope: Scope): Filter {
  scope.count.relations += 1
  if (scope.count.relations > FILTER_LIMITS.relations) {
    throw new ValidationError(
      `${pathOf(relation.name, scope)}: filters lead through more than ${FILTER_LIMITS.relations} relations`,
      {},
      { code: 'invalid_query' },
    )
  }
  const { plan, condition } = ruledTarget(relation.target(), scope.rules)
  const inner = inside(scope, relation.name, plan)
  const locales = relation.name === LOCALIZATIONS ? 'others' : 'shown' // no attribute has this name
  const related = (asked: Filter): Filter => {
    const of = bothFilters(asked, condition) ?? asked
    return { kind: 'related', relation, locales, of }
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return related(parseReference(inner, 'eq', value, pathOf(relation.name, scope)))
  }
  return parsePresence(value as Data, scope, relation.name, (rest) => {
    const of = Object.entries(rest).map(([key, operand]): Filter => {
      const operator = key.startsWith('$') ? key.slice(1) : ''
      return isOperator(operator)
        ? parseReference(inner, operator, operand, `${pathOf(relation.name, scope)}[${key}]`)
        : parseEntry(key, operand, inner, RELATION_OPERATORS)
    })
    return related({ kind: 'all', of })
  })
}

/** Digits are a numeric id. Any other text is a documentId. */
function parseReference(target: Scope, operator: Operator, value: unknown, at: string): Filter {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isNumeric = values.every((item) => typeof item === 'string' && /^\d+$/.test(item))
  const attribute = findMember(
    isNumeric ? 'id' : 'documentId',
    target.holder,
    target.parent,
    PARAM,
    () => false,
  )
  if (attribute.kind !== 'scalar') throw new Error(`${target.holder.uid} has no ${attribute.name}`)
  if (!REFERENCE_OPERATORS.has(operator)) throw invalidValue(at, 'a relation has no such operator')
  return compare(attribute, operator, value, target)
}

const REFERENCE_OPERATORS: ReadonlySet<Operator> = new Set<Operator>([
  'eq',
  'eqi',
  'ne',
  'nei',
  'in',
  'notIn',
])

const RELATION_OPERATORS = [
  ...COMPONENT_OPERATORS,
  ...[...REFERENCE_OPERATORS].map((operator) => `$${operator}`),
]

function parsePresence(
  conditions: Data,
  scope: Scope,
  name: string,
  parse: (rest: Data) => Filter,
): Filter {
  const { $null, $notNull, ...rest } = { ...presenceOfId(conditions) }
  const at = pathOf(name, scope)
  const exists = parse({})
  const of: Filter[] = []
  const presence = (value: unknown, operator: string, meaning: boolean): Filter =>
    anyOf(value, `${at}[${operator}]`, (one, itsPlace) =>
      parseBoolean(one, itsPlace) === meaning ? exists : { kind: 'not', of: exists },
    )
  if ($null !== undefined) of.push(presence($null, '$null', false))
  if ($notNull !== undefined) of.push(presence($notNull, '$notNull', true))
  if (Object.keys(rest).length > 0 || of.length === 0) of.push(parse(rest))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

/** `[id][$null]` and `[documentId][$null]` mean the same as `[$null]`, because every entry has an id. */
function presenceOfId(conditions: Data): Data {
  const [name] = Object.keys(conditions)
  if (Object.keys(conditions).length !== 1 || (name !== 'id' && name !== 'documentId')) {
    return conditions
  }
  const of = conditions[name]
  if (of === null || typeof of !== 'object') return conditions
  const isPresence = Object.keys(of).every((key) => key === '$null' || key === '$notNull')
  return isPresence ? (of as Data) : conditions
}

function inside(scope: Scope, name: string, holder: ShapePlan): Scope {
  return { ...scope, holder, parent: dottedPath(scope.parent, name) }
}

function parseScalar(attribute: ScalarPlan, value: unknown, scope: Scope): Filter {
  const path = dottedPath(scope.parent, attribute.name)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return compare(attribute, 'eq', value, scope)
  }
  const of = Object.entries(value).map(([key, operand]): Filter => {
    if (key === '$not') return parseNegation(attribute, operand, scope)
    const operator = key.startsWith('$') ? key.slice(1) : ''
    if (!isOperator(operator)) {
      throw unknownKey(key, path, PARAM, operatorHint(key, operatorNames(attribute.type)))
    }
    return compare(attribute, operator, operand, scope)
  })
  if (of.length === 0) throw invalidValue(pathOf(attribute.name, scope), 'no condition')
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

function parseNegation(attribute: ScalarPlan, value: unknown, scope: Scope): Filter {
  const inner: Scope = { ...scope, depth: scope.depth + 1 }
  if (inner.depth > FILTER_LIMITS.depth) {
    throw new ValidationError(
      `filters are nested deeper than ${FILTER_LIMITS.depth} levels`,
      {},
      { code: 'invalid_query' },
    )
  }
  return { kind: 'not', of: parseScalar(attribute, value, inner) }
}

function compare(attribute: ScalarPlan, operator: Operator, value: unknown, scope: Scope): Filter {
  scope.count.conditions += isArea(operator) ? FILTER_LIMITS.conditionsPerArea : 1
  if (scope.count.conditions > FILTER_LIMITS.conditions) {
    throw new ValidationError(
      `filters hold more than ${FILTER_LIMITS.conditions} conditions`,
      {},
      { code: 'invalid_query' },
    )
  }
  return parseComparison(attribute, operator, value, pathOf(attribute.name, scope))
}

function isArea(operator: Operator): boolean {
  return operator === 'near' || operator === 'within'
}

function asObject(value: unknown, path: string): Data {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidValue(path, 'expected conditions')
  }
  return value as Data // an object that is not an array, without a prototype
}

function pathOf(key: string, { parent }: Scope): string {
  return ['filters', ...(parent?.split('.') ?? []), key].reduce((path, part) => `${path}[${part}]`)
}
