import type { Document } from 'mongodb'
import type { Database, Session } from '../connection/database.ts'
import { matchVersions } from '../versions/version-match.ts'
import { matchStages, type ResolvedRelation, translateFilter } from '../read/translate-filter.ts'
import { type VersionDocument, versionsOf } from '../versions/stored-version.ts'
import type { Filter, RelatedFilter } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type KnownDocument, matchFilter } from './match.ts'

export interface RowMatcher {
  readonly database: Database
  readonly isKnown: KnownDocument
  /** For targets of entries without a locale. */
  readonly locale: string
}

export interface MatchedRow {
  readonly plan: ContentTypePlan
  readonly row: VersionDocument
  readonly session: Session | undefined
}

/** Whether a stored version matches. Relations lead to published versions. Null matches every version. */
export async function rowMatches(
  matcher: RowMatcher,
  { plan, row, session }: MatchedRow,
  filter: Filter | null,
): Promise<boolean> {
  if (filter === null) return true
  const decided = matchFilter(filter, row, matcher.isKnown)
  if (decided !== null) return decided
  const relations = new Map<RelatedFilter, ResolvedRelation>()
  const lookups: Document[] = []
  const at = String(row['locale'])
  for (const { related, path, isRepeated } of relatedIn(filter)) {
    // No query can relate an element of a list to its own targets.
    if (isRepeated || related.locales !== 'shown') return false
    const as = `quire_rule_${lookups.length}`
    const $lookup = lookUp(related, path, as, at === NO_LOCALE ? matcher.locale : at)
    lookups.push({ $lookup })
    relations.set(related, { as, lookup: { $lookup } })
  }
  const conditions = { lookups, match: translateFilter(filter, relations) }
  const stages = [
    ...matchStages({ _id: row._id }, conditions),
    { $limit: 1 },
    { $project: { _id: 1 } },
  ]
  const found = await versionsOf(matcher.database, plan).aggregate(stages, { session })
  return found.length > 0
}

function lookUp(
  { relation, of }: RelatedFilter,
  path: string,
  as: string,
  locale: string,
): Document {
  const target = relation.target()
  const isOwner = relation.side === 'owner'
  const versions = matchVersions({
    locales: [target.localized ? locale : NO_LOCALE],
    status: 'published',
  })
  return {
    from: target.collectionName,
    localField: isOwner ? path : 'documentId',
    foreignField: isOwner ? 'documentId' : relation.otherStored(),
    pipeline: [
      ...matchStages(versions, { lookups: [], match: translateFilter(of) }),
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
    as,
  }
}

interface RelatedPlace {
  readonly related: RelatedFilter
  readonly path: string
  readonly isRepeated: boolean
}

function relatedIn(filter: Filter, prefix = '', isRepeated = false): readonly RelatedPlace[] {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap((each) => relatedIn(each, prefix, isRepeated))
    case 'not':
      return relatedIn(filter.of, prefix, isRepeated)
    case 'within': {
      const { storedName, repeatable } = filter.component
      return relatedIn(filter.of, `${prefix}${storedName}.`, isRepeated || repeatable)
    }
    case 'related': {
      const path = `${prefix}${filter.relation.storedName}`
      return [{ related: filter, path, isRepeated }]
    }
    case 'compare':
      return []
  }
}
