import { Decimal128, type Document } from 'mongodb'
import type { AdoptedIdKind, ScalarType } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type {
  AdoptedPlan,
  AttributePlan,
  ComponentAttributePlan,
  ContentTypePlan,
  RelationPlan,
  ScalarPlan,
  ShapePlan,
} from '../../schema/plan.ts'
import { REVISION } from './version-fields.ts'

export type AdoptedType = ContentTypePlan & { readonly adopted: AdoptedPlan }

export function isAdopted(plan: ContentTypePlan): plan is AdoptedType {
  return plan.adopted !== undefined
}

const known = new WeakMap<ContentTypePlan, Document>()

/**
 * A projection of foreign documents to rows of the version store, so that filters, sorts and populate need not know
 * the difference. Values of another type than the declared one become null.
 */
export function rowExpression(plan: AdoptedType): Document {
  const before = known.get(plan)
  if (before !== undefined) return before
  const { idKind, pathOf, times, isWritable, versionPath } = plan.adopted
  const projection: Document = {
    id: idKind === 'number' ? '$_id' : { $literal: null },
    documentId: referenceIn('$_id', idKind),
    locale: { $literal: NO_LOCALE },
    status: { $literal: 'published' },
  }
  for (const [name, path] of times) projection[name] = scalarIn(`$${path}`, 'datetime')
  for (const attribute of plan.attributes.values()) {
    const value = valueIn(`$${pathOf(attribute.name)}`, attribute, 0)
    if (value !== null) projection[attribute.storedName] = value
  }
  if (isWritable && versionPath !== null) projection[REVISION] = versionIn(versionPath)
  known.set(plan, projection)
  return projection
}

/** Null for attributes without a value in the document. */
function valueIn(value: string, attribute: AttributePlan, level: number): Document | null {
  switch (attribute.kind) {
    case 'scalar':
      return scalarOf(value, attribute)
    case 'relation':
      return attribute.side === 'owner' ? relationIn(value, attribute, level) : null
    case 'component':
      return componentIn(value, attribute, level)
    case 'media':
    case 'dynamiczone':
      return null // refused by the check of declarations
  }
}

function scalarOf(value: string, { type, limits }: ScalarPlan): Document {
  if (type !== 'enumeration') return scalarIn(value, type)
  const isKnown = { $in: [value, { $literal: limits.enum ?? [] }] }
  return when({ $and: [isOfType(value, TEXT), isKnown] }, value)
}

function scalarIn(value: string, type: ScalarType): Document {
  const converted = CONVERTED[type]
  return converted === undefined ? when(isOfType(value, TEXT), value) : converted(value)
}

const TEXT = ['string']
const OBJECT_ID = ['objectId']
const NUMBERS = ['int', 'long', 'double', 'decimal']

type Bounds = readonly [unknown, unknown]

const SAFE: Bounds = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
const LARGEST_LONG = 9223372036854775807n
const LONG: Bounds = [-9223372036854775808n, LARGEST_LONG]
const DOUBLE: Bounds = [-Number.MAX_VALUE, Number.MAX_VALUE]
const GREATEST = '9.999999999999999999999999999999999E6144'
const DECIMAL: Bounds = [Decimal128.fromString(`-${GREATEST}`), Decimal128.fromString(GREATEST)]
/** The range of `Date`, of which BSON has more. */
const TIMES: Bounds = [new Date(-8_640_000_000_000_000), new Date(8_640_000_000_000_000)]

/** Types without a row are texts. */
const CONVERTED: Readonly<Partial<Record<ScalarType, (value: string) => Document>>> = {
  integer: (value) => whole(value, SAFE),
  biginteger: (value) => ({ $toLong: whole(value, LONG) }),
  float: (value) => ({ $toDouble: between(numberIn(value), DOUBLE) }),
  decimal: (value) => ({ $toDecimal: between(numberIn(value), DECIMAL) }),
  boolean: (value) => when(isOfType(value, ['bool']), value),
  datetime: timeIn,
  timestamp: timeIn,
  date: dayIn,
  json: (value) => ({ $ifNull: [value, null] }),
  string: textOrObjectId,
  text: textOrObjectId,
  richtext: textOrObjectId,
}

function isOfType(value: unknown, types: readonly string[]): Document {
  return { $in: [{ $type: value }, types] }
}

function when(condition: Document, value: unknown): Document {
  return { $cond: [condition, value, null] }
}

function numberIn(value: unknown): Document {
  return when(isOfType(value, NUMBERS), value)
}

/** Repeated expressions grow with each level, and planners of some databases then take minutes. */
function once(value: Document, use: (value: string) => Document): Document {
  return { $let: { vars: { v: value }, in: use('$$v') } }
}

/** Null is below every bound. So is NaN. */
function between(value: Document, [from, to]: Bounds): Document {
  return once(value, (one) => when({ $and: [{ $gte: [one, from] }, { $lte: [one, to] }] }, one))
}

function whole(value: unknown, bounds: Bounds): Document {
  return once(between(numberIn(value), bounds), (number) => when(hasNoFraction(number), number))
}

/** By `$mod`, because `$trunc` of DocumentDB rounds large doubles to 15 digits. */
function hasNoFraction(number: unknown): Document {
  return { $eq: [{ $mod: [number, 1] }, 0] }
}

/** The text of a version. Null for values that cannot count writes: a digest replaces them. */
function versionIn(path: string): Document {
  const value = `$${path}`
  const steps = path.split('.').slice(0, -1)
  const holders = steps.map((_step, index) => `$${steps.slice(0, index + 1).join('.')}`)
  const isUnset = { $and: [value, ...holders].map(isUnsetOr(value)) }
  const isWholeDouble = {
    $and: [isBetween(value, ['double'], Number.MAX_SAFE_INTEGER), hasNoFraction(numberIn(value))],
  }
  const isVersion = { $or: [isBetween(value, ['int', 'long'], LARGEST_LONG), isWholeDouble] }
  const text = { $toString: { $toLong: when(isVersion, value) } }
  return { $cond: [isUnset, { $literal: '0' }, text] }
}

function isUnsetOr(value: string): (one: string) => Document {
  const unset = ['missing', 'null']
  return (one) => isOfType(one, one === value ? unset : [...unset, 'object'])
}

function isBetween(value: string, types: readonly string[], limit: unknown): Document {
  return { $and: [isOfType(value, types), { $gte: [value, 0] }, { $lt: [value, limit] }] }
}

function timeIn(value: string): Document {
  return between(when(isOfType(value, ['date']), value), TIMES)
}

const DAY_MS = 86_400_000

/** Only midnights are dates. */
function dayIn(value: string): Document {
  return once(timeIn(value), (time) =>
    when({ $eq: [{ $mod: [{ $toLong: time }, DAY_MS] }, 0] }, time),
  )
}

function textOrObjectId(value: unknown): Document {
  return {
    $cond: [isOfType(value, OBJECT_ID), { $toString: value }, when(isOfType(value, TEXT), value)],
  }
}

/** The documentId of an `_id` or of a reference to it. No expression writes the text of a UUID, so it stays binary. */
function referenceIn(value: unknown, kind: AdoptedIdKind): Document {
  switch (kind) {
    case 'objectId':
      return textOrObjectId(value)
    case 'text':
      return when(isOfType(value, TEXT), value)
    case 'number':
      return { $toString: numberIn(value) }
    case 'uuid':
      return when(isOfType(value, ['binData']), value)
  }
}

export function referenceKind(relation: RelationPlan): AdoptedIdKind {
  return relation.target().adopted?.idKind ?? 'text'
}

function relationIn(value: string, relation: RelationPlan, level: number): Document {
  const kind = referenceKind(relation)
  if (!relation.toMany) return referenceIn(value, kind)
  const element = `r${level}`
  const references = {
    $map: { input: listIn(value), as: element, in: referenceIn(`$$${element}`, kind) },
  }
  return {
    $filter: { input: references, as: element, cond: { $ne: [`$$${element}`, null] } },
  }
}

function listIn(value: string): Document {
  return { $cond: [{ $isArray: [value] }, value, []] }
}

/**
 * Elements have no ids of their own, so that each gets its place in the list. `$zip` adds it in one pass:
 * `$arrayElemAt` by place takes quadratic time in some databases.
 */
function componentIn(value: string, attribute: ComponentAttributePlan, level: number): Document {
  const shape = attribute.component()
  const isObject = (element: string): Document => isOfType(element, ['object'])
  if (!attribute.repeatable)
    return when(isObject(value), membersIn(value, shape, level + 1, { $literal: 1 }))
  const [list, placed, element] = [`l${level}`, `p${level}`, `e${level}`]
  const elements = {
    $filter: { input: listIn(value), as: element, cond: isObject(`$$${element}`) },
  }
  const id = { $arrayElemAt: [`$$${placed}`, 1] }
  const members = {
    $let: {
      vars: { [element]: { $arrayElemAt: [`$$${placed}`, 0] } },
      in: membersIn(`$$${element}`, shape, level + 1, id),
    },
  }
  const places = { $range: [1, { $add: [{ $size: `$$${list}` }, 1] }] }
  const pairs = { $zip: { inputs: [`$$${list}`, places] } }
  return {
    $let: { vars: { [list]: elements }, in: { $map: { input: pairs, as: placed, in: members } } },
  }
}

function membersIn(value: string, shape: ShapePlan, level: number, id: Document): Document {
  const members: Document = { id }
  for (const attribute of shape.attributes.values()) {
    const inner = valueIn(`${value}.${attribute.name}`, attribute, level)
    if (inner !== null) members[attribute.storedName] = inner
  }
  return members
}
