import { ValidationError } from '../../base/errors.ts'
import { namesLocale } from '../../query/query-names.ts'
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
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { fallbackStages, shownVersions, targetVersion } from './target-version.ts'
import {
  bothConditions,
  type Conditions,
  matchAll,
  matchAny,
  matchStages,
  NO_CONDITIONS,
  type ResolvedRelation,
  translateFilter,
} from './translate-filter.ts'
import { boundPlaces } from './translate-area.ts'
import { matchVersions } from '../versions/version-match.ts'

interface Resolving {
  readonly database: Database
  readonly reader: Reader
  readonly count: { lookups: number }
  /** Cache by filter and version, because several locales may resolve the same filter. */
  readonly known: Map<Filter, Map<string, Promise<Conditions>>>
}

/** Resolves relation conditions into documentIds with one query each, or into lookups above `relatedLimit`. */
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
  versions: VersionSelection,
): Promise<Conditions> {
  const parts = versions.firstOnly === true ? partsOf(filter) : []
  if (!parts.some(isRule)) return conditionsInEach(resolving, filter, versions)
  const resolveAll = (of: readonly Filter[]): Promise<Conditions> =>
    conditionsInEach(resolving, { kind: 'all', of }, versions)
  const [rule, others] = await Promise.all([
    resolveAll(parts.filter(isRule)),
    resolveAll(parts.filter((part) => !isRule(part))),
  ])
  return { ...bothConditions(rule, others), rule }
}

/** The conditions that must all match. */
function partsOf(filter: Filter): readonly Filter[] {
  return filter.kind === 'all' && !isRule(filter) ? filter.of.flatMap(partsOf) : [filter]
}

function isRule(filter: Filter): boolean {
  return filter.kind === 'all' && filter.isRule === true
}

async function conditionsInEach(
  resolving: Resolving,
  filter: Filter,
  { locales, status, firstOnly }: VersionSelection,
): Promise<Conditions> {
  const nodes = relatedOf(filter)
  if (nodes.length === 0)
    return { lookups: [], match: boundPlaces(resolving.database, translateFilter(filter)) }
  // With fallbacks, the target's version is the same for all locales, unless a condition is on other locales.
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
    match: boundPlaces(resolving.database, translateFilter(filter, relations)),
  }
}

async function resolve(
  resolving: Resolving,
  node: RelatedNode,
  from: VersionKey,
): Promise<ResolvedRelation> {
  const { relation, of, knownId } = node.filter
  if (knownId !== undefined && isHeldHere(relation)) return [knownId]
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
  const name = isOwner ? 'documentId' : String(relation.otherStored())
  const versions = matchVersions(selection)
  const held = isOwner ? versions : matchAll([versions, { [name]: { $nin: [null, []] } }])
  // Many versions may reference the same documents. Duplicates are removed before the limit applies.
  const distinct = isOwner
    ? [{ $project: { _id: '$documentId' } }]
    : [{ $unwind: `$${name}` }, { $group: { _id: `$${name}` } }]
  const stages = [
    ...matchStages(held, conditions),
    ...fallbackStages(relation.target(), selection, conditions),
    ...distinct,
    { $limit: limit + 1 },
  ]
  const found = await versionsOf(database, relation.target()).aggregate<{ readonly _id: string }>(
    stages,
    {
      batchSize: limit + 2,
    },
  )
  return found.length > limit ? null : found.map(({ _id }) => _id)
}

function isHeldHere({ side, otherSide }: RelationPlan): boolean {
  return side === 'owner' || otherSide === null
}

function lookUp(
  { count }: Resolving,
  { filter: { relation }, path, named, isRepeated }: RelatedNode,
  selection: VersionSelection,
  conditions: Conditions,
): ResolvedRelation {
  // The database would convert all documents of an adopted target for each entry.
  if (isRepeated || relation.target().adopted !== undefined) {
    throw new ValidationError(
      `filters on ${named}: too many related documents match; narrow the filter`,
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
    foreignField: isOwner ? 'documentId' : relation.otherStored(),
    pipeline: [
      ...matchStages(matchVersions(selection), conditions),
      ...fallbackStages(target, selection, conditions),
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
  readonly named: string
  readonly isRepeated: boolean
}

function relatedOf(
  filter: Filter,
  prefix = { path: '', named: '' },
  isRepeated = false,
): readonly RelatedNode[] {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap((inner) => relatedOf(inner, prefix, isRepeated))
    case 'not':
      return relatedOf(filter.of, prefix, isRepeated)
    case 'within': {
      const { name, storedName, repeatable } = filter.component
      const inside = { path: `${prefix.path}${storedName}.`, named: `${prefix.named}${name}.` }
      return relatedOf(filter.of, inside, isRepeated || repeatable)
    }
    case 'related': {
      const { name, storedName } = filter.relation
      const path = `${prefix.path}${storedName}`
      return [{ filter, path, named: `${prefix.named}${name}`, isRepeated }]
    }
    case 'compare':
      return []
  }
}
