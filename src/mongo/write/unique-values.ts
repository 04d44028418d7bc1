import type { Document, MongoServerError } from 'mongodb'
import { type Fault, fault, validationError } from '../../base/errors.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import type { Data } from '../../schema/definition.ts'
import {
  componentOf,
  type ComponentPlan,
  type ContentTypePlan,
  isNesting,
  type NestingPlan,
  type ScalarPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import {
  isDuplicateKey,
  isOutOfTime,
  refusingIndex,
  WaitedForValue,
} from '../connection/database-error.ts'
import { turnOf } from '../sharing/write-turns.ts'
import { uniqueAttributeOf } from '../versions/index-names.ts'
import { toBson } from '../versions/stored-value.ts'
import { versionsOf } from '../versions/stored-version.ts'
import type { Status } from '../../query/query.ts'
import { storedPathOf } from '../../schema/stored-path.ts'

/** Returns a fault per taken attribute. The unique index reports only one attribute at a time. */
export async function findTaken(
  database: Database,
  plan: ContentTypePlan,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
  values: Data,
  session?: Session,
): Promise<readonly Fault[]> {
  const given = uniqueValues(plan, values)
  if (given.length === 0) return []
  const others = await versionsOf(database, plan)
    .find(
      {
        status: 'published',
        locale,
        documentId: { $ne: documentId },
        ...hasAny(given),
      },
      {
        session,
        projection: Object.fromEntries(given.map(({ attribute }) => [attribute.storedName, 1])),
      },
    )
    .toArray()
  return given
    .filter(({ attribute, value }) =>
      others.some((other) => isEqual(attribute, other[attribute.storedName], value)),
    )
    .map(({ attribute, value }) => takenFault(attribute, value))
}

/** Reserves the unique values of a published version. @throws TurnTaken */
export function takeValues(
  plan: ContentTypePlan,
  { locale, status, values }: { locale: string; status: string; values: Data },
  session: Session,
): void {
  if (status !== 'published') return
  const keys = uniqueValues(plan, values).map(
    ({ attribute, value }) =>
      `${plan.collectionName}.${attribute.storedName} ${locale} ${String(value)}`,
  )
  turnOf(session)?.take(keys)
}

/** Avoids `$or` for a single value, because some query planners do not use an index for a branch. */
function hasAny(given: ReturnType<typeof uniqueValues>): Document {
  const branches = given.map(({ attribute, value }) => ({
    [attribute.storedName]: { $eq: toBson(value) },
  }))
  const [only, ...others] = branches
  return only !== undefined && others.length === 0 ? only : { $or: branches }
}

/** The fault of a private attribute does not include the value. */
export function takenFault(
  { name, type, private: isPrivate }: ScalarPlan,
  value: unknown,
  path: readonly string[] = [name],
): Fault {
  const shown = isPrivate ? undefined : SCALAR_KINDS[type].toJson(value)
  return fault(path, 'This attribute must be unique', shown, { code: 'any.unique' })
}

/** The attributes whose values are unique among the published versions of a locale. */
export function uniqueAttributes({ attributes }: ContentTypePlan): readonly ScalarPlan[] {
  return [...attributes.values()].filter(
    (attribute): attribute is ScalarPlan => attribute.kind === 'scalar' && attribute.unique,
  )
}

/** The given values that must be unique. Null and the empty text may repeat. */
export function uniqueValues(
  plan: ContentTypePlan,
  values: Data,
): readonly { readonly attribute: ScalarPlan; readonly value: unknown }[] {
  return uniqueAttributes(plan)
    .map((attribute) => ({ attribute, value: values[attribute.name] ?? null }))
    .filter(({ value }) => value !== null && value !== '')
}

/** Decimals that differ only in trailing zeros are equal. */
function isEqual({ type }: ScalarPlan, stored: unknown, value: unknown): boolean {
  if (stored instanceof Date && value instanceof Date) return stored.getTime() === value.getTime()
  if (stored === value) return true
  const isMissing = stored === null || stored === undefined
  return type === 'decimal' && !isMissing && digitsOf(stored) === digitsOf(value)
}

/** Accepts a Decimal128 or a `Decimal`. */
function digitsOf(decimal: unknown): string {
  return significantDigits((decimal as { toString(): string }).toString())
}

/** A value inside a component that must be unique under the same attribute path. */
export interface NestedUnique {
  readonly attribute: ScalarPlan
  readonly value: unknown
  /** Path from the entry, with list positions: `['links', '1', 'url']`. */
  readonly path: readonly string[]
  /** Path of stored names and zone components, without positions. Values of one place are compared. */
  readonly place: string
  /** One of `nestedUniqueNames`. */
  readonly name: string
}

const known = new WeakMap<ContentTypePlan, readonly string[]>()

/** The unique attributes of components, as `links(shared.link).url`: root attribute, component, attribute. */
export function nestedUniqueNames(plan: ContentTypePlan): readonly string[] {
  const names = known.get(plan) ?? nestingOf(plan).flatMap(namesUnder)
  known.set(plan, names)
  return names
}

function namesUnder(root: NestingPlan): readonly string[] {
  const reached = new Map<string, ComponentPlan>()
  const reach = (attribute: NestingPlan): void => {
    for (const component of componentsOf(attribute)) {
      if (reached.has(component.uid)) continue // components may contain themselves
      reached.set(component.uid, component)
      nestingOf(component).forEach(reach)
    }
  }
  reach(root)
  return [...reached.values()].flatMap((component) =>
    uniqueOf(component).map((attribute) => nameOf(root, component, attribute)),
  )
}

/** The values of a version that must be unique in its components, in order. Null and the empty text are left out. */
export function nestedUniqueValues(plan: ContentTypePlan, version: Data): readonly NestedUnique[] {
  if (nestedUniqueNames(plan).length === 0) return []
  return nestingOf(plan).flatMap((root) =>
    valuesUnder(root, version[root.name], {
      root,
      path: [root.name],
      place: root.storedName,
      isHidden: root.private,
    }),
  )
}

interface Way {
  readonly root: NestingPlan
  readonly path: readonly string[]
  readonly place: string
  /** Errors below a private attribute contain no values. */
  readonly isHidden: boolean
}

function valuesUnder(attribute: NestingPlan, stored: unknown, way: Way): readonly NestedUnique[] {
  const isList = Array.isArray(stored)
  const elements = (isList ? stored : [stored ?? null]) as readonly (Data | null)[]
  return elements.flatMap((element, index) => {
    if (element === null) return []
    const component = componentOf(attribute, element)
    if (component === undefined) return []
    const path = isList ? [...way.path, String(index)] : way.path
    const inZone = attribute.kind === 'dynamiczone' ? `[${component.storedUid}]` : ''
    const inside = { ...way, path, place: `${way.place}${inZone}` }
    return [
      ...uniqueOf(component).flatMap((scalar) => valueOf(scalar, component, element, inside)),
      ...nestingOf(component).flatMap((inner) =>
        valuesUnder(inner, element[inner.name], {
          root: way.root,
          path: [...path, inner.name],
          place: `${inside.place}.${inner.storedName}`,
          isHidden: way.isHidden || inner.private,
        }),
      ),
    ]
  })
}

function valueOf(
  attribute: ScalarPlan,
  component: ComponentPlan,
  element: Data,
  { root, path, place, isHidden }: Way,
): readonly NestedUnique[] {
  const { name, storedName } = attribute
  const value = element[name] ?? null
  if (value === null || value === '') return []
  return [
    {
      attribute: isHidden ? { ...attribute, private: true } : attribute,
      value,
      path: [...path, name],
      place: `${place}.${storedName}`,
      name: nameOf(root, component, attribute),
    },
  ]
}

function nameOf(
  root: NestingPlan,
  { storedUid }: ComponentPlan,
  { storedName }: ScalarPlan,
): string {
  return `${root.storedName}(${storedUid}).${storedName}`
}

function nestingOf({ attributes }: ShapePlan): readonly NestingPlan[] {
  return [...attributes.values()].filter(isNesting)
}

function uniqueOf({ attributes }: ShapePlan): readonly ScalarPlan[] {
  return [...attributes.values()].filter(
    (attribute): attribute is ScalarPlan => attribute.kind === 'scalar' && attribute.unique,
  )
}

function componentsOf(attribute: NestingPlan): readonly ComponentPlan[] {
  return attribute.kind === 'component'
    ? [attribute.component()]
    : [...attribute.components().values()]
}

export interface TakenValueSearch {
  readonly attribute: string
  readonly values: readonly string[]
  readonly locale: string
  readonly status: Status
  readonly except: string | null
}

export async function findTakenValues(
  database: Database,
  plan: ContentTypePlan,
  { attribute, values, locale, status, except }: TakenValueSearch,
  session?: Session,
): Promise<ReadonlySet<string>> {
  const stored = storedPathOf(plan, attribute)
  const others = except === null ? {} : { documentId: { $ne: except } }
  const filter = { [stored]: { $in: [...values] }, locale, status, ...others }
  const found = await versionsOf(database, plan)
    .find(filter, { session, projection: { _id: 0, [stored]: 1 } })
    .toArray()
  return new Set(found.map((row) => String(row[stored])))
}

export interface Written {
  readonly documentId: string
  readonly locale: string
  readonly values: Data
}

/**
 * The error names at most one taken value, so all are queried outside of the aborted transaction.
 * @throws ValidationError naming each attribute, WaitedForValue
 */
export async function unlessTaken<T>(
  database: Database,
  plan: ContentTypePlan,
  written: readonly Written[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isOutOfTime(error) && uniqueAttributes(plan).length > 0) throw new WaitedForValue(error)
    if (!isDuplicateKey(error)) throw error
    const found = await Promise.all(
      written.map((each) => findTaken(database, plan, each, each.values)),
    )
    const [fault = faultOf(plan, error, written), ...others] = found.flat()
    throw fault === null ? error : validationError([fault, ...others], 'value_not_unique')
  }
}

/** For a value that is taken in another locale or was freed in the meantime. */
function faultOf(
  plan: ContentTypePlan,
  error: MongoServerError,
  [first]: readonly Written[],
): Fault | null {
  const { paths, name } = refusingIndex(error)
  const unique = name === null ? null : uniqueAttributeOf(name)
  const refused = new Set([...paths, unique])
  const attribute = uniqueAttributes(plan).find(({ storedName }) => refused.has(storedName))
  return attribute === undefined ? null : takenFault(attribute, first?.values[attribute.name])
}
