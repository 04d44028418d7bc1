import { type Document, Double, Int32, Long, Timestamp } from 'mongodb'
import { ApplicationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { ADOPTED_TIMES } from '../../schema/plan.ts'
import type { AdoptedType } from '../versions/adopted-expression.ts'
import { copyForeign, encodable, isPlainObject } from './foreign-value.ts'
import { assignMember, type MemberChange, memberChanges } from './member-changes.ts'

export interface ForeignUpdate {
  /** Besides the `_id`. */
  readonly filter: Document
  readonly update: Document
}

/**
 * The command that gives a stored document the values of attributes. Null if it has them. `stored` is decoded without
 * loss, and `shown` is its row. @throws ApplicationError if a value of another type is in the way of a path
 */
export function toForeignUpdate(
  plan: AdoptedType,
  { stored: found, shown }: { readonly stored: Document; readonly shown: Data },
  values: Data,
): ForeignUpdate | null {
  const stored = copyForeign(found) as Document // a document stays a document
  const changes = attributeChanges(plan, { stored, shown }, values)
  if (changes.length === 0) return null
  const times = timeChanges(plan, values, ['updatedAt']).filter(
    ({ path }) => !isBlocked(findEnd(stored, path)),
  )
  const { filter, first, operators } = versionChange(plan, stored)
  const $set = toSet(stored, [...changes, ...times, ...first])
  return { filter, update: { $set, ...operators } }
}

interface VersionChange {
  readonly filter: Document
  readonly first: readonly MemberChange[]
  readonly operators: Document
}

/** Other values than versions are kept. The revision is then a digest, which the same transaction has compared. */
function versionChange({ adopted: { versionPath } }: AdoptedType, stored: Document): VersionChange {
  const none = { filter: {}, first: [], operators: {} }
  if (versionPath === null) return none
  const path = versionPath.split('.')
  if (isBlocked(findEnd(stored, path))) return none
  const version = valueAt(stored, path) ?? null
  const filter = { [versionPath]: { $eq: version } }
  if (version === null) return { filter, first: [{ path, value: FIRST_VERSION }], operators: {} }
  return isVersion(version)
    ? { filter, first: [], operators: { $inc: { [versionPath]: 1 } } }
    : none
}

/** As in the projection of rows. */
function isVersion(version: unknown): boolean {
  if (version instanceof Int32) return version.value >= 0
  if (version instanceof Double) {
    const { value } = version
    return Number.isInteger(value) && value >= 0 && value < Number.MAX_SAFE_INTEGER
  }
  const isLong = version instanceof Long && !(version instanceof Timestamp)
  return isLong && !version.isNegative() && version.lessThan(Long.MAX_VALUE)
}

const FIRST_VERSION = new Int32(1)

/** Leaves out attributes without a value. */
export function toForeignDocument(plan: AdoptedType, _id: unknown, values: Data): Document {
  const made: Document = { _id }
  const nothing = { stored: {}, shown: {} }
  const changes = attributeChanges(plan, nothing, values)
  for (const { path, value } of [...changes, ...timeChanges(plan, values, ADOPTED_TIMES)]) {
    assignMember(made, path, value)
  }
  const { versionPath } = plan.adopted
  if (versionPath !== null) assignMember(made, versionPath.split('.'), FIRST_VERSION)
  return encodable(made) as Document // its names are declared
}

function attributeChanges(
  { attributes, adopted: { pathOf } }: AdoptedType,
  { stored, shown }: { readonly stored: Document; readonly shown: Data },
  values: Data,
): readonly MemberChange[] {
  return Object.keys(values).flatMap((name) => {
    const attribute = attributes.get(name)
    const isHere = attribute?.kind !== 'relation' || attribute.side === 'owner'
    if (attribute === undefined || !isHere) return []
    const path = pathOf(name).split('.')
    const member = { path, stored: valueAt(stored, path), shown: shown[name], value: values[name] }
    return memberChanges(attribute, member)
  })
}

/** An attribute with the same path has the value of the client. */
function timeChanges(
  { attributes, adopted: { pathOf, times } }: AdoptedType,
  values: Data,
  names: readonly (typeof ADOPTED_TIMES)[number][],
): readonly MemberChange[] {
  return names.flatMap((name) => {
    const path = times.get(name)
    const isAttribute = [...attributes.keys()].some((one) => pathOf(one) === path)
    if (path === undefined || isAttribute) return []
    return [{ path: path.split('.'), value: values[name] }]
  })
}

function valueAt(holder: Document, path: readonly string[]): unknown {
  let value: unknown = holder
  for (const step of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** A null on the way becomes a document, which MongoDB refuses to do itself. @throws ApplicationError */
function toSet(stored: Document, changes: readonly MemberChange[]): Document {
  const $set = new Map<string, unknown>()
  for (const { path, value } of changes) {
    const end = findEnd(stored, path)
    if (isBlocked(end)) throw inTheWay(path.slice(0, end?.depth))
    if (end === null) {
      $set.set(path.join('.'), value)
      continue
    }
    const prefix = path.slice(0, end.depth).join('.')
    const made = ($set.get(prefix) ?? {}) as Document
    assignMember(made, path.slice(end.depth), value)
    $set.set(prefix, made)
  }
  return encodable(Object.fromEntries($set)) as Document // the names are paths
}

interface PathEnd {
  /** The length of the path to the value. */
  readonly depth: number
  readonly value: unknown
}

/** The first value in front of the last member that is no document. Null if there is none. */
function findEnd(stored: Document, path: MemberChange['path']): PathEnd | null {
  let holder: Document = stored
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(holder, step)) return null
    const value: unknown = holder[step]
    const isList = Array.isArray(value) && typeof path[index + 1] === 'number'
    if (!isList && !isPlainObject(value)) return { depth: index + 1, value }
    holder = value as Document
  }
  return null
}

function isBlocked(end: PathEnd | null): boolean {
  return end !== null && end.value !== null
}

function inTheWay(path: MemberChange['path']): ApplicationError {
  const message = `the document of the other service has no embedded document at ${path.join('.')}`
  return new ApplicationError(message, {}, { code: 'conflicting_state' })
}
