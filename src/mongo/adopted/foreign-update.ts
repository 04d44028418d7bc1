import { type Document, Decimal128, Double, Int32, Long } from 'mongodb'
import { ApplicationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { ADOPTED_TIMES } from '../../schema/plan.ts'
import type { AdoptedType } from '../versions/adopted-expression.ts'
import { isPlainObject } from './foreign-value.ts'
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
  { stored, shown }: { readonly stored: Document; readonly shown: Data },
  values: Data,
): ForeignUpdate | null {
  const changes = attributeChanges(plan, { stored, shown }, values)
  if (changes.length === 0) return null
  const $set = toSet(stored, [...changes, ...timeChanges(plan, values, ['updatedAt'])])
  const { versionPath } = plan.adopted
  if (versionPath === null) return { filter: {}, update: { $set } }
  const version = valueAt(stored, versionPath.split('.'))
  const filter = { [versionPath]: { $eq: version ?? null } }
  const isNumber = [Int32, Long, Double, Decimal128].some((type) => version instanceof type)
  return isNumber
    ? { filter, update: { $set, $inc: { [versionPath]: 1 } } }
    : { filter, update: { $set: { ...$set, [versionPath]: FIRST_VERSION } } }
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
  return made
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

/** A null on the way becomes a document, which MongoDB refuses to do itself. */
function toSet(stored: Document, changes: readonly MemberChange[]): Document {
  const $set: Document = {}
  for (const { path, value } of changes) {
    const depth = findNull(stored, path)
    if (depth === null) {
      $set[path.join('.')] = value
      continue
    }
    const prefix = path.slice(0, depth).join('.')
    const made = ($set[prefix] ?? {}) as Document
    assignMember(made, path.slice(depth), value)
    $set[prefix] = made
  }
  return $set
}

/** The length of the path to a null in front of the last member. @throws ApplicationError */
function findNull(stored: Document, path: MemberChange['path']): number | null {
  let value: unknown = stored
  for (const [depth, step] of path.slice(0, -1).entries()) {
    value = (value as Document)[step]
    if (value === undefined) return null
    if (value === null) return depth + 1
    const isList = Array.isArray(value) && typeof path[depth + 1] === 'number'
    if (!isList && !isPlainObject(value)) throw inTheWay(path.slice(0, depth + 1))
  }
  return null
}

function inTheWay(path: MemberChange['path']): ApplicationError {
  const message = `the document of the other service has no embedded document at ${path.join('.')}`
  return new ApplicationError(message, {}, { code: 'conflicting_state' })
}
