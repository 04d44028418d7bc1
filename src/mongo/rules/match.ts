import { compileSelection } from '@quire/engine/filter'
import { BSON, type Document } from 'mongodb'
import { MAY_BE_LISTS, translateFilter } from '../read/translate-filter.ts'
import { relationListOf } from '../versions/stored-value.ts'
import type { Comparison, Filter, Operator, RelatedFilter } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'

/** Documents that certainly exist, such as the signed-in user. */
export type KnownDocument = (uid: Uid, documentId: string) => boolean

/**
 * Whether a version with stored names matches. Null if only the database can decide: for text operators that ignore
 * case, for JSON, decimals and areas, and for relations beyond the documentIds that the version stores.
 */
export function matchFilter(filter: Filter, row: Document, isKnown: KnownDocument): boolean | null {
  switch (filter.kind) {
    case 'all':
      return all(filter.of.map((each) => matchFilter(each, row, isKnown)))
    case 'any':
      return negated(all(filter.of.map((each) => negated(matchFilter(each, row, isKnown)))))
    case 'not':
      return negated(matchFilter(filter.of, row, isKnown))
    case 'compare':
      return isExact(filter) ? matchByEngine(filter, row) : null
    case 'within':
      return isExactWithin(filter.of) ? matchByEngine(filter, row) : null
    case 'related':
      return matchRelated(filter, row, isKnown)
  }
}

/** Three-valued logic: null is unknown. */
function all(each: readonly (boolean | null)[]): boolean | null {
  if (each.includes(false)) return false
  return each.includes(null) ? null : true
}

function negated(decided: boolean | null): boolean | null {
  return decided === null ? null : !decided
}

const IGNORING_CASE: ReadonlySet<Operator> = new Set<Operator>([
  'eqi',
  'nei',
  'containsi',
  'notContainsi',
  'startsWithi',
  'endsWithi',
])

export function isExact({ attribute, operator }: Comparison): boolean {
  // DocumentDB sometimes compares the digits of decimals, so that 0.1 is not 0.10.
  if (attribute.type === 'decimal') return false
  // Databases may disagree about locations on the edge of an area.
  if (operator === 'near' || operator === 'within') return false
  return !IGNORING_CASE.has(operator) && !MAY_BE_LISTS.has(attribute.type)
}

function isExactWithin(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.every(isExactWithin)
    case 'not':
    case 'within':
      return isExactWithin(filter.of)
    case 'compare':
      return isExact(filter)
    case 'related':
      return false
  }
}

const UNSORTED = BSON.serialize({})

function matchByEngine(filter: Filter, row: Document): boolean {
  const select = compileSelection(BSON.serialize(translateFilter(filter)), UNSORTED)
  return select([BSON.serialize(row)]).length > 0
}

/** A stored target matches only if it exists, so all matching targets must be known. */
function matchRelated(
  { relation, locales, of }: RelatedFilter,
  row: Document,
  isKnown: KnownDocument,
): boolean | null {
  if (relation.side !== 'owner' || locales !== 'shown') return null
  const wanted = namedDocuments(of)
  if (wanted === null) return null
  const held = relationListOf(row[relation.storedName]).filter((target) => wanted.has(target))
  if (held.length === 0) return false
  return held.some((target) => isKnown(relation.targetUid, target)) ? true : null
}

/** Null unless the filter only compares documentIds for equality. */
export function namedDocuments(filter: Filter): ReadonlySet<unknown> | null {
  switch (filter.kind) {
    case 'all': {
      const [only, ...others] = filter.of
      return only === undefined || others.length > 0 ? null : namedDocuments(only)
    }
    case 'any': {
      const each = filter.of.map(namedDocuments)
      return each.includes(null) ? null : new Set(each.flatMap((one) => [...(one ?? [])]))
    }
    case 'compare':
      return comparedDocuments(filter)
    case 'not':
    case 'within':
    case 'related':
      return null
  }
}

function comparedDocuments({
  attribute,
  operator,
  operand,
}: Comparison): ReadonlySet<unknown> | null {
  const isList = operator === 'in' && Array.isArray(operand)
  // An empty list has no type, so it can stand for ids as well.
  if (isList && operand.length === 0) return new Set()
  if (!attribute.system || attribute.name !== 'documentId') return null
  if (operator === 'eq') return new Set([operand])
  return isList ? new Set<unknown>(operand) : null
}
