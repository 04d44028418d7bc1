import type { Document } from 'mongodb'
import type { Comparison, Filter, VersionSelection } from '../../query/query.ts'
import { versionId } from '../versions/version-match.ts'

const MAX_IDS = 1_000

/** Derived from conditions on ids and unique values; Infinity without such conditions. */
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
  // The unique index excludes drafts, null and the empty text, so their values may repeat.
  const isUnique = attribute.unique && status === 'published'
  return isUnique && values.every(isPresent) ? values.length * locales.length : Infinity
}

/** The attribute whose equality condition limits a list to one version. */
export function uniqueMember(filter: Filter | null, versions: VersionSelection): string | null {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return null
  return mostByComparison(filter, versions) === 1 ? filter.attribute.name : null
}

function valuesOf({
  operator,
  operand,
}: Pick<Comparison, 'operator' | 'operand'>): readonly unknown[] | null {
  if (operator === 'in') return operand as readonly unknown[] // see `Comparison`
  return operator === 'eq' ? [operand] : null
}

/** DocumentDB scans the whole list for a documentId in one locale and status, despite an index. */
export function matchNamed(filter: Filter | null, versions: VersionSelection): Document {
  const documentIds = documentIdsIn(filter)
  if (documentIds === null) return {}
  const { locales, status } = versions
  const ids = documentIds.flatMap((documentId) =>
    locales.map((locale) => versionId(String(documentId), { locale, status })),
  )
  if (ids.length > MAX_IDS) return {}
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
