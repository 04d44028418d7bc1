import type { Document } from 'mongodb'
import { ValidationError } from '../../base/errors.ts'
import type { AdoptedIdKind, ScalarType } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { versionKeyOf } from './version-match.ts'
import { idOfText, isObjectIdText } from './adopted-rows.ts'
import { type AdoptedType, referenceKind, rowExpression } from './adopted-expression.ts'

/**
 * Puts the projection to rows in front of a pipeline on rows. Conditions and orders that the indexes of the
 * collection can serve are repeated before it, because the optimizer cannot see through the projection.
 */
export function adoptedPipeline(plan: AdoptedType, pipeline: readonly Document[]): Document[] {
  const [first = {}, ...rest] = pipeline
  const asked = isMatch(first) ? rewrite(plan, first['$match'] as Document) : {}
  const following = isMatch(first) ? rest : pipeline
  const order = rawOrder(plan, following[0])
  const later = (order === null ? following : following.slice(1)).map((stage) =>
    isMatch(stage) ? { $match: rewrite(plan, stage['$match'] as Document) } : stage,
  )
  return [
    { $match: all([{ _id: { $type: ID_TYPES[plan.adopted.idKind] } }, ...narrow(plan, asked)]) },
    ...(order === null ? [] : [{ $sort: order }]),
    { $project: rowExpression(plan) },
    ...(Object.keys(asked).length === 0 ? [] : [{ $match: asked }]),
    ...later,
  ]
}

/** Documents that get an id of another type after the start are left out until the next one refuses it. */
const ID_TYPES: Readonly<Record<AdoptedIdKind, string>> = {
  objectId: 'objectId',
  uuid: 'binData',
  text: 'string',
  number: 'number',
}

function isMatch(stage: Document): boolean {
  return '$match' in stage
}

function all(conditions: readonly Document[]): Document {
  const [only, ...others] = conditions
  return only === undefined || others.length > 0 ? { $and: [...conditions] } : only
}

function rawOrder({ adopted }: AdoptedType, stage: Document | undefined): Document | null {
  const keys = Object.entries((stage?.['$sort'] as Document | undefined) ?? {})
  const [key, ...others] = keys
  const name = adopted.idKind === 'number' ? 'id' : 'documentId'
  return key === undefined || others.length > 0 || key[0] !== name
    ? null
    : { _id: key[1] as 1 | -1 }
}

/** Conditions on the ids of versions become conditions on documentIds, and texts of UUIDs become UUIDs. */
function rewrite(plan: AdoptedType, match: Document): Document {
  const rewritten: Document = {}
  for (const [name, condition] of Object.entries(match) as [string, unknown][]) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      rewritten[name] = (condition as readonly Document[]).map((one) => rewrite(plan, one))
      continue
    }
    const own = name === '_id' ? documentIdCondition(condition) : condition
    const key = name === '_id' ? 'documentId' : name
    const isUuid = uuidPaths(plan).has(key)
    rewritten[key] = isUuid ? withUuids(own) : own
  }
  return rewritten
}

const known = new WeakMap<AdoptedType, ReadonlySet<string>>()

/** The members of rows that hold UUIDs. */
function uuidPaths(plan: AdoptedType): ReadonlySet<string> {
  const before = known.get(plan)
  if (before !== undefined) return before
  const relations = [...plan.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'relation' && referenceKind(attribute) === 'uuid'
      ? [attribute.storedName as string]
      : [],
  )
  const paths = new Set([...(plan.adopted.idKind === 'uuid' ? ['documentId'] : []), ...relations])
  known.set(plan, paths)
  return paths
}

function withUuids(condition: unknown): unknown {
  if (typeof condition === 'string') return idOfText('uuid', condition) ?? condition
  if (Array.isArray(condition)) return condition.map(withUuids)
  if (!isPlain(condition)) return condition
  if ('$regex' in condition) {
    throw new ValidationError('documentId: UUIDs compare as a whole', {}, { code: 'invalid_query' })
  }
  return Object.fromEntries(
    Object.entries(condition).map(([operator, operand]) => [operator, withUuids(operand)]),
  )
}

function isPlain(value: unknown): value is Document {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

function documentIdCondition(condition: unknown): unknown {
  if (typeof condition === 'string') return { $in: documentIdsOf([condition]) }
  const { $eq, $in, $gte, $lt } = condition as Document
  if (typeof $eq === 'string') return { $in: documentIdsOf([$eq]) }
  if (Array.isArray($in)) return { $in: documentIdsOf($in as readonly string[]) }
  // `matchDocument`
  if (typeof $gte === 'string' && typeof $lt === 'string') return { $eq: $gte.slice(0, -1) }
  throw new Error('An adopted collection has no such condition on versions')
}

function documentIdsOf(versionIds: readonly string[]): readonly string[] {
  return versionIds.flatMap((id) => {
    const { documentId, locale, status } = versionKeyOf(id)
    return locale === NO_LOCALE && status === 'published' ? [documentId] : []
  })
}

/** Conditions on the stored members that every matching document meets. */
function narrow(plan: AdoptedType, match: Document): readonly Document[] {
  return (Object.entries(match) as [string, unknown][]).flatMap(([name, condition]) =>
    name === '$and'
      ? (condition as readonly Document[]).flatMap((one) => narrow(plan, one))
      : narrowMember(plan, name, condition),
  )
}

function narrowMember(
  { adopted: { idKind, pathOf }, stored }: AdoptedType,
  name: string,
  condition: unknown,
): readonly Document[] {
  if (name === 'documentId') return narrowReference('_id', idKind, condition)
  if (name === 'id' && idKind === 'number') return narrowPlain('_id', condition)
  const attribute = stored.get(name)
  if (attribute === undefined) return []
  const path = pathOf(attribute.name)
  if (attribute.kind === 'scalar') return narrowScalar(path, attribute.type, condition)
  const isOwner = attribute.kind === 'relation' && attribute.side === 'owner'
  return isOwner ? narrowReference(path, referenceKind(attribute), condition) : []
}

function narrowScalar(path: string, type: ScalarType, condition: unknown): readonly Document[] {
  if (TEXTS.has(type)) return narrowTexts(path, condition)
  return KEPT.has(type) ? narrowPlain(path, condition) : []
}

/** Types of which the projection only removes values. Numbers of other types compare differently before it. */
const KEPT: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'email',
  'enumeration',
  'integer',
  'biginteger',
  'boolean',
  'date',
  'datetime',
  'timestamp',
])

const TEXTS: ReadonlySet<ScalarType> = new Set<ScalarType>(['string', 'text', 'richtext'])

const RANGES: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte'])

function narrowPlain(path: string, condition: unknown): readonly Document[] {
  const operators = isPlain(condition) ? condition : { $eq: condition }
  const kept = Object.entries(operators).filter(([operator, operand]) =>
    operator === '$in'
      ? (operand as readonly unknown[]).every((one) => one !== null)
      : (operator === '$eq' || RANGES.has(operator)) && operand !== null,
  )
  return kept.length === 0 ? [] : [{ [path]: Object.fromEntries(kept) }]
}

/** Texts may be stored as ObjectIds, and references to ObjectIds as texts. */
function narrowTexts(path: string, condition: unknown): readonly Document[] {
  const named = namedIn(condition)
  if (named === null) return []
  const values = named.flatMap((one) =>
    typeof one === 'string' && isObjectIdText(one) ? [one, idOfText('objectId', one)] : [one],
  )
  return [{ [path]: { $in: values } }]
}

function narrowReference(
  path: string,
  kind: AdoptedIdKind,
  condition: unknown,
): readonly Document[] {
  const named = namedIn(condition)
  if (named === null) return path === '_id' ? narrowRange(kind, condition) : []
  const ids = named.flatMap((one) => {
    if (typeof one !== 'string') return [one]
    const id = idOfText(kind, one)
    const texts = kind === 'objectId' && path !== '_id' ? [one] : []
    return id === undefined ? texts : [id, ...texts]
  })
  return [{ [path]: { $in: ids } }]
}

/** The values of an equality. Null for other conditions, and if the value may be null. */
function namedIn(condition: unknown): readonly unknown[] | null {
  const { $eq, $in } = isPlain(condition) ? condition : { $eq: condition, $in: undefined }
  const named: unknown = $in ?? ($eq === undefined ? undefined : [$eq])
  return Array.isArray(named) && !named.includes(null) ? (named as readonly unknown[]) : null
}

/** Texts of ObjectIds and UUIDs have the order of their bytes. */
function narrowRange(kind: AdoptedIdKind, condition: unknown): readonly Document[] {
  if (kind === 'number' || !isPlain(condition)) return []
  const kept = Object.entries(condition).flatMap(([operator, operand]) => {
    if (!RANGES.has(operator) || operand === null) return []
    const id = typeof operand === 'string' ? idOfText(kind, operand) : (operand as unknown)
    return id === undefined ? [] : [[operator, id] as const]
  })
  return kept.length === 0 ? [] : [{ _id: Object.fromEntries(kept) }]
}
