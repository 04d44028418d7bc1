import { groupBy } from '../../base/group-by.ts'
import { bothConditions } from '../../mongo/read/translate-filter.ts'
import { askedPublication } from '../../mongo/read/published-conditions.ts'
import {
  findRelationOwners,
  findTargets,
  placesIn,
  type RelatedRead,
} from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { groupByTarget, shownVersions } from '../../mongo/read/target-version.ts'
import { tooManyEntries } from '../../query/answer-size.ts'
import type { RelationNode, VersionKey } from '../../query/query.ts'
import { valueName } from '../../schema/alias.ts'
import { relationListOf, unique } from '../../mongo/versions/stored-value.ts'
import { localizedFiles } from './localized-files.ts'
import { type PopulateContext, type Row, showDocuments, toVersionRow } from './row.ts'

interface Group {
  readonly key: VersionKey
  readonly rows: readonly Row[]
}

/** A ranged read with more results reads documentIds first, and then only the entries of the range. */
const WHOLE_READ = 1_000

/** Returns the added rows. @throws ValidationError if the response or the search exceeds its limit */
export async function populateRelation(
  context: PopulateContext,
  rows: readonly Row[],
  node: RelationNode,
  path: string,
): Promise<readonly Row[]> {
  const { answer, publicationFilter } = context.reader
  const isFilteredByPublication =
    publicationFilter !== undefined && node.relation.target().draftAndPublish
  const isWhole = !isFilteredByPublication && node.filter === null
  if (node.mode === 'ids' && node.relation.side === 'owner' && isWhole) {
    for (const row of rows) {
      const ids = storedIds(row.values, node)
      answer.show(path, row.times * (Array.isArray(ids) ? ids.length : 1))
      row.shown[node.relation.name] = ids
    }
    return []
  }
  const groups = groupByTarget(node.relation.target(), context.reader, rows, (row) => row.key)
  const shown = await Promise.all(
    groups.map(([key, group]) => populateGroup(context, { key, rows: group }, node, path)),
  )
  return shown.flat()
}

async function populateGroup(
  context: PopulateContext,
  { key, rows }: Group,
  node: RelationNode,
  path: string,
): Promise<readonly Row[]> {
  const { relation, mode } = node
  const { format, answer } = context.reader
  const target = relation.target()
  const found = await findRelated(context, { key, rows }, node, path)
  const view = { status: key.status, format }
  const children = new Map<StoredVersion, Row>()
  const childOf = (version: StoredVersion): Row => {
    const known = children.get(version)
    if (known !== undefined) return known
    const made = toVersionRow(version, target, node, view)
    children.set(version, made)
    return made
  }
  const localized = localizedFiles(target, context.reader)
  for (const row of rows) {
    const shown = found.of(row).map((version) => childOf(localized(version, row.key)))
    if (mode !== 'count') answer.show(path, shown.length * row.times)
    for (const child of shown) child.times += row.times
    row.shown[relation.name] = present(row, node, shown)
  }
  return mode === 'entries' ? [...children.values()].filter(({ times }) => times > 0) : []
}

interface Related {
  readonly versions: readonly StoredVersion[]
  readonly of: (row: Row) => readonly StoredVersion[]
}

async function findRelated(
  context: PopulateContext,
  { key, rows }: Group,
  node: RelationNode,
  path: string,
): Promise<Related> {
  const { side, otherSide } = node.relation
  const read = await relatedRead(context, key, node)
  const find =
    side === 'inverse' && otherSide !== null
      ? inverseSide(context, rows, node, otherSide)
      : ownerSide(context, rows, node)
  const limit = wholeLimit(context, node)
  const whole = await find(read, limit)
  if (whole !== null) return cut(whole, node)
  if (limit !== WHOLE_READ) throw tooManyEntries(path, limit)
  const { countLimit } = context.database
  const names = await find({ ...read, ...NAMES_ONLY }, countLimit)
  if (names === null) throw tooManyEntries(path, countLimit)
  return readPart(context, rows, cut(names, node), node, read)
}

function wholeLimit(
  { database, reader }: PopulateContext,
  { mode, range, relation }: RelationNode,
): number {
  if (mode === 'entries' && range !== null) return WHOLE_READ
  // A stored list may refer to hidden documents, so its length does not limit the response. On an
  // inverse side each owner is shown at least once, so the entry limit applies.
  const isShown = mode === 'entries' && relation.side === 'inverse'
  return isShown ? reader.answer.bounds.maxEntries : database.countLimit
}

type Find = (read: Omit<RelatedRead, 'limit'>, limit: number) => Promise<Related | null>

const NAMES_ONLY = { fields: [], populate: [] } as const

function inverseSide(
  { database }: PopulateContext,
  rows: readonly Row[],
  node: RelationNode,
  attribute: string,
): Find {
  const owned = { attribute, documentIds: unique(rows.map(({ documentId }) => documentId)) }
  const target = node.relation.target()
  return async (read, limit) => {
    const owners = await findRelationOwners(database, target, owned, { ...read, limit: limit + 1 })
    return owners.length > limit ? null : relatedByOwners(owners, attribute, node, read)
  }
}

function ownerSide({ database }: PopulateContext, rows: readonly Row[], node: RelationNode): Find {
  const documentIds = unique(
    rows.flatMap(({ values }) => relationListOf(values[valueName(node.relation)])),
  )
  const target = node.relation.target()
  return async (read, limit) => {
    if (documentIds.length > limit) return null
    const versions = await findTargets(database, target, documentIds, { ...read, limit: 0 })
    return relatedByLists(versions, node, read)
  }
}

function cut({ versions, of }: Related, { range, mode }: RelationNode): Related {
  if (range === null || mode === 'count') return { versions, of }
  return { versions, of: (row) => of(row).slice(range.start, range.start + range.limit) }
}

async function readPart(
  { database }: PopulateContext,
  rows: readonly Row[],
  { of }: Related,
  node: RelationNode,
  read: Omit<RelatedRead, 'limit'>,
): Promise<Related> {
  const names = new Map(rows.map((row) => [row, of(row).map(({ documentId }) => documentId)]))
  const documentIds = unique([...names.values()].flat())
  const versions = await findTargets(database, node.relation.target(), documentIds, {
    ...read,
    sort: [],
    limit: 0,
  })
  const known = byDocumentId(versions)
  return {
    versions,
    of: (row) => (names.get(row) ?? []).flatMap((documentId) => known.get(documentId) ?? []),
  }
}

function byDocumentId(versions: readonly StoredVersion[]): ReadonlyMap<string, StoredVersion> {
  return new Map(versions.map((version) => [version.documentId, version]))
}

function relatedByLists(
  versions: readonly StoredVersion[],
  { relation }: RelationNode,
  read: Ordered,
): Related {
  const known = byDocumentId(versions)
  const placeOf = placeIn(read, versions)
  return {
    versions,
    of: ({ values }) => {
      const list = unique(relationListOf(values[valueName(relation)])).flatMap(
        (documentId) => known.get(documentId) ?? [],
      )
      return list.toSorted((one, other) => placeOf(one) - placeOf(other))
    },
  }
}

type Ordered = Pick<RelatedRead, 'sort' | 'versions' | 'reader'>

function placeIn(
  read: Ordered,
  found: readonly StoredVersion[],
): (version: StoredVersion) => number {
  if (read.sort.length === 0) return () => 0
  const places = placesIn(read, found)
  return (version) => places.get(version) ?? 0
}

/** Sorts by the requested order, then by the order stored on this side, then by id. */
function relatedByOwners(
  owners: readonly StoredVersion[],
  attribute: string,
  { relation }: RelationNode,
  read: Ordered,
): Related {
  const versions = [...byDocumentId(owners).values()]
  const placeOf = placeIn(read, versions)
  const members = groupBy(
    versions.flatMap((owner) => relationListOf(owner[attribute]).map((id) => ({ id, owner }))),
    ({ id }) => id,
  )
  return {
    versions,
    of: ({ documentId, values }) => {
      const list = (members.get(documentId) ?? []).map(({ owner }) => owner)
      const given = new Map(
        relationListOf(values[valueName(relation)]).map((id, index) => [id, index]),
      )
      const rank = (version: StoredVersion): number => given.get(version.documentId) ?? given.size
      return list.toSorted(
        (one, other) =>
          placeOf(one) - placeOf(other) || rank(one) - rank(other) || one.id - other.id,
      )
    },
  }
}

export async function relatedRead(
  { database, reader }: Omit<PopulateContext, 'links'>,
  key: VersionKey,
  node: RelationNode,
): Promise<Omit<RelatedRead, 'limit'>> {
  const target = node.relation.target()
  const selection = shownVersions(target, key, reader)
  const conditions = bothConditions(
    await resolveFilter(database, node.filter, selection, reader),
    askedPublication(target, selection.status, reader),
  )
  const { fields, populate, sort, mode } = node
  const read = { conditions, sort, versions: selection, reader }
  return mode === 'entries' ? { ...read, fields, populate } : { ...read, ...NAMES_ONLY }
}

function present(row: Row, node: RelationNode, shown: readonly Row[]): unknown {
  const { mode, relation } = node
  if (mode === 'count') return { count: shown.length }
  const entries = shown.map(({ entry, documentId }) => (mode === 'ids' ? documentId : entry))
  const value = relation.toMany ? entries : (entries[0] ?? null)
  return mode === 'ids' ? value : showDocuments(row, value)
}

function storedIds(values: Row['values'], { relation, range }: RelationNode): unknown {
  const list = relationListOf(values[valueName(relation)])
  if (!relation.toMany) return list[0] ?? null
  return range === null ? list : list.slice(range.start, range.start + range.limit)
}
