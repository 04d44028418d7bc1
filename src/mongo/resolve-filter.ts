import type { Document } from 'mongodb'
import { ValidationError } from '../errors.ts'
import type { Filter, Reader, VersionKey, VersionSelection } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { Database } from './database.ts'
import { optionsOf, run, versionsOf } from './stored-version.ts'
import { targetVersion } from './target-version.ts'
import { matchAll, type RelatedFilter, translateFilter } from './translate-filter.ts'
import { matchVersions } from './version-match.ts'

/** Conditions on stored versions, as `$match` and find take them; made by this room alone. */
export type Conditions = Document

/** Documents that one condition on a relation may name; beyond it the request is a 400. */
const MAX_RELATED = 50_000

/**
 * A filter as conditions on a content-type's versions. What it asks of related documents is looked up
 * beforehand, one query a relation: entries are counted, never joined rows.
 * @throws ValidationError when a relation's conditions are met by too many documents.
 */
export async function resolveFilter(
  database: Database,
  filter: Filter | null,
  { locales, status }: VersionSelection,
  reader: Reader,
): Promise<Conditions> {
  if (filter === null) return {}
  if (!asksRelated(filter)) return translateFilter(filter)
  // A relation leads to the target's version of the entry's own locale, so each locale asks for itself.
  const branches = await Promise.all(
    locales.map(async (locale) => {
      const conditions = await conditionsFor(database, filter, { locale, status }, reader)
      return locales.length === 1 ? conditions : matchAll([{ locale }, conditions])
    }),
  )
  return branches.length === 1 ? (branches[0] ?? {}) : { $or: branches }
}

async function conditionsFor(
  database: Database,
  filter: Filter,
  key: VersionKey,
  reader: Reader,
): Promise<Conditions> {
  const nodes = relatedOf(filter)
  const resolved = await Promise.all(
    nodes.map(async (node) => [node, await documentsOf(database, node, key, reader)] as const),
  )
  return translateFilter(filter, new Map(resolved))
}

/** See `ResolvedRelations`. */
async function documentsOf(
  database: Database,
  { relation, of }: RelatedFilter,
  from: VersionKey,
  reader: Reader,
): Promise<readonly string[]> {
  const target = relation.target()
  const key = targetVersion(target, from, reader)
  const conditions = matchAll([
    matchVersions({ locales: [key.locale], status: key.status }),
    await conditionsFor(database, of, key, reader),
  ])
  const { side, otherSide, name } = relation
  const values =
    side === 'owner' || otherSide === null
      ? await valuesOf(database, target, 'documentId', conditions)
      : await valuesOf(
          database,
          target,
          otherSide,
          matchAll([{ [otherSide]: { $nin: [null, []] } }, conditions]),
        )
  if (values.length > MAX_RELATED) {
    throw new ValidationError(`filters on ${name} are met by more than ${MAX_RELATED} documents`)
  }
  return values
}

/** The values of an attribute, each once: many versions may name the same few documents. */
async function valuesOf(
  database: Database,
  plan: ContentTypePlan,
  name: string,
  conditions: Conditions,
): Promise<readonly string[]> {
  const found = await run(undefined, () =>
    versionsOf(database, plan)
      .aggregate(
        [
          { $match: conditions },
          { $unwind: `$${name}` },
          { $group: { _id: `$${name}` } },
          { $limit: MAX_RELATED + 1 },
        ],
        { ...optionsOf(database, undefined), batchSize: MAX_RELATED + 2 },
      )
      .toArray(),
  )
  return found.map(({ _id }) => _id as string)
}

function asksRelated(filter: Filter): boolean {
  return relatedOf(filter).length > 0
}

/** The conditions on relations that a filter itself holds; those below them are theirs to resolve. */
function relatedOf(filter: Filter): readonly RelatedFilter[] {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap(relatedOf)
    case 'not':
    case 'within':
      return relatedOf(filter.of)
    case 'related':
      return [filter]
    case 'compare':
      return []
  }
}
