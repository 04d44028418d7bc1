import type { Document } from 'mongodb'
import type { Comparison, Filter, VersionSelection } from '../../query/query.ts'
import { versionId } from '../versions/version-match.ts'

/** As many as a command names elsewhere. */
const MOST_IDS = 1_000

/**
 * At most how many versions a list can have, by its conditions on what is unique: ids of documents and of
 * versions, unique attributes of published versions. Infinity where no condition bounds it.
 */
export function mostVersions(filter: Filter | null, versions: VersionSelection): number {
  switch (filter?.kind) {
    case 'all':
      return Math.min(...filter.of.map((each) => mostVersions(each, versions)))
    case 'any':
      return filter.of.reduce((sum, each) => sum + mostVersions(each, versions), 0)
    case 'compare':
      return mostByComparison(filter, versions)
    case 'not':
    case 'within':
    case 'related':
    case undefined:
      return Infinity
  }
}

function mostByComparison(
  { attribute, operator, operand }: Comparison,
  { locales, status }: VersionSelection,
): number {
  const values = valuesOf({ operator, operand })
  if (values === null) return Infinity
  if (attribute.system && attribute.name === 'id') return values.length
  if (attribute.system && attribute.name === 'documentId') return values.length * locales.length
  // Drafts may share a value, and null and the empty text may repeat: the unique index leaves them out.
  const isUnique = attribute.unique && status === 'published'
  return isUnique && values.every(isPresent) ? values.length * locales.length : Infinity
}

/** The attribute of whose one value a list has at most one version; null where it is bounded otherwise, or not at all. */
export function uniqueMember(filter: Filter | null, versions: VersionSelection): string | null {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return null
  return mostByComparison(filter, versions) === 1 ? filter.attribute.name : null
}

/** The values that an attribute must equal one of; null where an operator is no equality. */
function valuesOf({
  operator,
  operand,
}: Pick<Comparison, 'operator' | 'operand'>): readonly unknown[] | null {
  if (operator === 'in') return operand as readonly unknown[] // see `Comparison`
  return operator === 'eq' ? [operand] : null
}

/**
 * Where a list names documents by their documentIds, the `_id`s of their versions, which it can have no others of:
 * DocumentDB walks a whole list for a documentId in one locale and status, though there is an index on it.
 */
export function matchNamed(filter: Filter | null, versions: VersionSelection): Document {
  const documentIds = documentIdsIn(filter)
  if (documentIds === null) return {}
  const { locales, status } = versions
  const ids = documentIds.flatMap((documentId) =>
    locales.map((locale) => versionId(String(documentId), { locale, status })),
  )
  if (ids.length > MOST_IDS) return {}
  return { _id: ids.length === 1 ? { $eq: ids[0] } : { $in: ids } }
}

function documentIdsIn(filter: Filter | null): readonly unknown[] | null {
  if (filter?.kind === 'all')
    return filter.of.map(documentIdsIn).find((ids) => ids !== null) ?? null
  if (filter?.kind !== 'compare') return null
  const { attribute } = filter
  return attribute.system && attribute.name === 'documentId' ? valuesOf(filter) : null
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}
