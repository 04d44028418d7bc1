import { ValidationError } from '../../errors.ts'
import { namesLocale } from '../../query/parse-version.ts'
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

/** What resolving needs, wherever in the tree it is. */
interface Resolving {
  readonly database: Database
  readonly reader: Reader
  /** Makes each looked-up attribute a name of its own. */
  readonly count: { lookups: number }
  /** By filter and version: several locales may ask one thing of another. */
  readonly known: Map<Filter, Map<string, Promise<Conditions>>>
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
  // A relation leads to the target's version of the entry's own locale, so each locale asks for itself;
  // with fallbacks it leads to the same version from everywhere, but to other locales of an entry.
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

/**
 * From an entry without a locale of its own, a condition on the target's locale looks at the version that it
 * names, as it does at the root.
 */
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

/**
 * Of an owner the documentIds that its list may hold, of an inverse the documentIds of the entries
 * themselves; null when there are too many.
 */
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
  // Many versions may name the same few documents: each once, before they are counted.
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

/** Whether entries name their targets themselves. */
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
