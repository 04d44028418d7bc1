import { ValidationError } from '../errors.ts'
import type { Filter, Reader, VersionKey, VersionSelection } from '../query/query.ts'
import type { RelationPlan } from '../schema/plan.ts'
import { type Conditions, matchStages, NO_CONDITIONS } from './conditions.ts'
import type { Database } from './database.ts'
import { optionsOf, run, versionsOf } from './stored-version.ts'
import { targetVersion } from './target-version.ts'
import {
  matchAll,
  type RelatedFilter,
  type ResolvedRelation,
  translateFilter,
} from './translate-filter.ts'
import { matchVersions } from './version-match.ts'

/** What resolving needs, wherever in the tree it is. */
interface Resolving {
  readonly database: Database
  readonly reader: Reader
  /** Makes each looked-up attribute a name of its own. */
  readonly count: { lookups: number }
}

/**
 * A filter as conditions on a content-type's versions. What it asks of related documents is resolved
 * beforehand into documentIds, one query a relation, as long as they are no more than the database's
 * `relatedLimit`; beyond it they are looked up from the entries. The answer is the same: entries are
 * counted, never joined rows.
 */
export async function resolveFilter(
  database: Database,
  filter: Filter | null,
  { locales, status }: VersionSelection,
  reader: Reader,
): Promise<Conditions> {
  if (filter === null) return NO_CONDITIONS
  if (relatedOf(filter).length === 0) return { lookups: [], match: translateFilter(filter) }
  const resolving = { database, reader, count: { lookups: 0 } }
  // A relation leads to the target's version of the entry's own locale, so each locale asks for itself.
  const branches = await Promise.all(
    locales.map(async (locale) => {
      const { lookups, match } = await conditionsFor(resolving, filter, { locale, status })
      return { lookups, match: locales.length === 1 ? match : matchAll([{ locale }, match]) }
    }),
  )
  const matches = branches.map(({ match }) => match)
  return {
    lookups: branches.flatMap(({ lookups }) => lookups),
    match: matches.length === 1 ? (matches[0] ?? {}) : { $or: matches },
  }
}

async function conditionsFor(
  resolving: Resolving,
  filter: Filter,
  key: VersionKey,
): Promise<Conditions> {
  const nodes = relatedOf(filter)
  const resolved = await Promise.all(nodes.map((node) => resolve(resolving, node, key)))
  const relations = new Map(nodes.map(({ filter }, index) => [filter, resolved[index] ?? []]))
  return {
    lookups: resolved.flatMap((found) => ('lookup' in found ? [found.lookup] : [])),
    match: translateFilter(filter, relations),
  }
}

async function resolve(
  resolving: Resolving,
  node: RelatedNode,
  from: VersionKey,
): Promise<ResolvedRelation> {
  const { relation, of } = node.filter
  const key = targetVersion(relation.target(), from, resolving.reader)
  const conditions = await conditionsFor(resolving, of, key)
  const values = await valuesOf(resolving.database, relation, key, conditions)
  return values ?? lookUp(resolving, node, key, conditions)
}

/**
 * Of an owner the documentIds that its list may hold, of an inverse the documentIds of the entries
 * themselves; null when there are too many.
 */
async function valuesOf(
  database: Database,
  relation: RelationPlan,
  key: VersionKey,
  conditions: Conditions,
): Promise<readonly string[] | null> {
  const limit = database.relatedLimit
  const isOwner = relation.side === 'owner' || relation.otherSide === null
  const name = isOwner ? 'documentId' : relation.otherSide
  const versions = matchVersions({ locales: [key.locale], status: key.status })
  const held = isOwner ? versions : matchAll([versions, { [name]: { $nin: [null, []] } }])
  const found = await run(undefined, () =>
    versionsOf(database, relation.target())
      .aggregate(
        [
          ...matchStages(held, conditions),
          { $limit: limit + 1 },
          { $project: { _id: 0, [name]: 1 } },
        ],
        {
          ...optionsOf(database, undefined),
          batchSize: limit + 2,
        },
      )
      .toArray(),
  )
  const values = new Set(found.flatMap((version) => version[name] as string | string[]))
  return found.length > limit || values.size > limit ? null : [...values]
}

function lookUp(
  { count }: Resolving,
  { filter: { relation }, path, isRepeated }: RelatedNode,
  key: VersionKey,
  conditions: Conditions,
): ResolvedRelation {
  if (isRepeated) {
    throw new ValidationError(
      `filters on ${path} are met by too many documents: the elements of a component cannot look them up`,
    )
  }
  count.lookups += 1
  const as = `quire_related_${count.lookups}`
  const versions = matchVersions({ locales: [key.locale], status: key.status })
  const isOwner = relation.side === 'owner'
  const lookup = {
    from: relation.target().collectionName,
    localField: isOwner ? path : 'documentId',
    foreignField: isOwner ? 'documentId' : relation.otherSide,
    pipeline: [...matchStages(versions, conditions), { $limit: 1 }, { $project: { _id: 1 } }],
    as,
  }
  return { as, lookup: { $lookup: lookup } }
}

interface RelatedNode {
  readonly filter: RelatedFilter
  /** Of the relation, from the version down. */
  readonly path: string
  /** Whether it is an element of a list that holds the relation. */
  readonly isRepeated: boolean
}

/** The conditions on relations that a filter itself holds; those below them are theirs to resolve. */
function relatedOf(filter: Filter, prefix = '', isRepeated = false): readonly RelatedNode[] {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap((inner) => relatedOf(inner, prefix, isRepeated))
    case 'not':
      return relatedOf(filter.of, prefix, isRepeated)
    case 'within': {
      const { name, repeatable } = filter.component
      return relatedOf(filter.of, `${prefix}${name}.`, isRepeated || repeatable)
    }
    case 'related':
      return [{ filter, path: `${prefix}${filter.relation.name}`, isRepeated }]
    case 'compare':
      return []
  }
}
