import { ValidationError } from '../../base/errors.ts'
import { namesLocale } from '../../query/names-locale.ts'
import type {
  Filter,
  Reader,
  RelatedFilter,
  VersionKey,
  VersionSelection,
} from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { RelationPlan } from '../../schema/plan.ts'
import { findNamed } from './read-unique.ts'
import { fallbackStages } from './fallback-stages.ts'
import { type Conditions, matchStages, NO_CONDITIONS } from './conditions.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { shownVersions, targetVersion } from './target-version.ts'
import { matchAll, matchAny, type ResolvedRelation, translateFilter } from './translate-filter.ts'
import { matchVersions } from '../versions/version-match.ts'
import { optionsOf } from '../connection/commands.ts'

interface Resolving {
  readonly database: Database
  readonly reader: Reader
  readonly count: { lookups: number }
  /** Cache by filter and version, because several locales may resolve the same filter. */
  readonly known: Map<Filter, Map<string, Promise<Conditions>>>
}

/**
 * Resolves conditions on related documents into documentIds, with one query per relation. Above
 * `relatedLimit` they become lookups. A join never duplicates an entry.
 */
export async function resolveFilter(
  database: Database,
  filter: Filter | null,
  versions: VersionSelection,
  reader: Reader,
): Promise<Conditions> {
  if (filter === null) return NO_CONDITIONS
  const resolving = { database, reader, count: { lookups: 0 }, known: new Map() }
  return conditionsInAll(resolving, filter, versions)
}

async function conditionsInAll(
  resolving: Resolving,
  filter: Filter,
  { locales, status, firstOnly }: VersionSelection,
): Promise<Conditions> {
  const nodes = relatedOf(filter)
  if (nodes.length === 0) return { lookups: [], match: translateFilter(filter) }
  // A relation leads to the target's version of the entry's locale. With fallbacks that version is
  // the same for all locales, unless a condition is on other locales.
  const isSame = firstOnly === true && nodes.every((node) => node.filter.locales === 'shown')
  const asking = isSame ? locales.slice(0, 1) : locales
  const branches = await Promise.all(
    asking.map(async (locale) => {
      const { lookups, match } = await conditionsFor(resolving, filter, { locale, status })
      return { lookups, match: asking.length === 1 ? match : matchAll([{ locale }, match]) }
    }),
  )
  const matches = branches.map(({ match }) => match)
  return {
    lookups: branches.flatMap(({ lookups }) => lookups),
    match: matches.length === 1 ? (matches[0] ?? {}) : matchAny(matches),
  }
}

function conditionsFor(resolving: Resolving, filter: Filter, key: VersionKey): Promise<Conditions> {
  const known = resolving.known.get(filter) ?? new Map<string, Promise<Conditions>>()
  resolving.known.set(filter, known)
  const name = `${key.locale}:${key.status}`
  const conditions = known.get(name) ?? findConditions(resolving, filter, key)
  known.set(name, conditions)
  return conditions
}

async function findConditions(
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
  const versions = targetVersions(node.filter, from, resolving.reader)
  if (isHeldHere(relation)) {
    const named = await findNamed(resolving.database, relation.target(), of, versions)
    if (named !== null) return named
  }
  const conditions = await conditionsInAll(resolving, of, versions)
  const values = await valuesOf(resolving.database, relation, versions, conditions)
  return values ?? lookUp(resolving, node, versions, conditions)
}

/** From a non-localized entry, a condition selects the target's version of that locale. */
function targetVersions(
  { relation, locales, of }: RelatedFilter,
  from: VersionKey,
  reader: Reader,
): VersionSelection {
  if (locales === 'shown') {
    const target = relation.target()
    const shown = targetVersion(target, from, reader)
    const isFree = from.locale === NO_LOCALE && target.localized && reader.chain === undefined
    return isFree && namesLocale(of)
      ? { locales: reader.locales.all.map(({ code }) => code), status: shown.status }
      : shownVersions(target, shown, reader)
  }
  const others = reader.locales.all.map(({ code }) => code).filter((code) => code !== from.locale)
  return { locales: others, status: from.status }
}

async function valuesOf(
  database: Database,
  relation: RelationPlan,
  selection: VersionSelection,
  conditions: Conditions,
): Promise<readonly string[] | null> {
  const limit = database.relatedLimit
  const isOwner = isHeldHere(relation)
  const name = isOwner ? 'documentId' : String(relation.otherSide)
  const versions = matchVersions(selection)
  const held = isOwner ? versions : matchAll([versions, { [name]: { $nin: [null, []] } }])
  // Many versions may reference the same documents. Duplicates are removed before the limit
  // applies.
  const distinct = isOwner
    ? [{ $project: { _id: '$documentId' } }]
    : [{ $unwind: `$${name}` }, { $group: { _id: `$${name}` } }]
  const stages = [
    ...matchStages(held, conditions),
    ...fallbackStages(relation.target(), selection),
    ...distinct,
    { $limit: limit + 1 },
  ]
  const found = await asCmsErrors(() =>
    versionsOf(database, relation.target())
      .aggregate<{ readonly _id: string }>(stages, {
        ...optionsOf(database),
        batchSize: limit + 2,
      })
      .toArray(),
  )
  return found.length > limit ? null : found.map(({ _id }) => _id)
}

function isHeldHere({ side, otherSide }: RelationPlan): boolean {
  return side === 'owner' || otherSide === null
}

function lookUp(
  { count }: Resolving,
  { filter: { relation }, path, isRepeated }: RelatedNode,
  selection: VersionSelection,
  conditions: Conditions,
): ResolvedRelation {
  if (isRepeated) {
    throw new ValidationError(
      `filters on ${path}: too many related documents match; narrow the filter`,
      {},
      { code: 'filters_too_wide' },
    )
  }
  count.lookups += 1
  const as = `quire_related_${count.lookups}`
  const target = relation.target()
  const isOwner = relation.side === 'owner'
  const lookup = {
    from: target.collectionName,
    localField: isOwner ? path : 'documentId',
    foreignField: isOwner ? 'documentId' : relation.otherSide,
    pipeline: [
      ...matchStages(matchVersions(selection), conditions),
      ...fallbackStages(target, selection),
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
    as,
  }
  return { as, lookup: { $lookup: lookup } }
}

interface RelatedNode {
  readonly filter: RelatedFilter
  readonly path: string
  readonly isRepeated: boolean
}

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
