import { findOwners, findTargets, type RelatedRead } from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { shownVersions, targetVersion } from '../../mongo/read/target-version.ts'
import type { RelationNode, VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { listOf, unique } from '../payload/relation-list.ts'
import { type PopulateContext, type Row, showDocuments, toVersionRow } from './row.ts'

/** Rows that see a relation's targets in the same locale and status. */
interface Group {
  readonly key: VersionKey
  readonly rows: readonly Row[]
}

/**
 * Shows, in each entry, the documents that a relation names and the reader may see. Answers what it
 * shows: entries that have attributes of their own to populate.
 */
export async function populateRelation(
  context: PopulateContext,
  rows: readonly Row[],
  node: RelationNode,
): Promise<readonly Row[]> {
  if (node.mode === 'ids' && node.relation.side === 'owner') {
    for (const { shown, values } of rows) shown[node.relation.name] = storedIds(values, node)
    return []
  }
  const groups = groupByKey(context, rows, node.relation.target())
  const shown = await Promise.all(groups.map((group) => populateGroup(context, group, node)))
  return shown.flat()
}

async function populateGroup(
  context: PopulateContext,
  { key, rows }: Group,
  node: RelationNode,
): Promise<readonly Row[]> {
  const { relation } = node
  const target = relation.target()
  const found = await findRelated(context, { key, rows }, node)
  const seen = { status: key.status, format: context.reader.format }
  const children = new Map(
    found.versions.map((version) => [version, toVersionRow(version, target, node, seen)]),
  )
  for (const row of rows) {
    const shown = found.of(row).flatMap((version) => children.get(version) ?? [])
    row.shown[relation.name] = present(row, node, shown)
  }
  return node.mode === 'entries' ? [...children.values()] : []
}

interface Related {
  readonly versions: readonly StoredVersion[]
  /** What one entry shows, in order. */
  of(row: Row): readonly StoredVersion[]
}

async function findRelated(
  context: PopulateContext,
  { key, rows }: Group,
  node: RelationNode,
): Promise<Related> {
  const { database } = context
  const { relation } = node
  const target = relation.target()
  const read = await toRead(context, key, node)
  if (relation.side === 'inverse' && relation.otherSide !== null) {
    const attribute = relation.otherSide
    const documentIds = unique(rows.map(({ documentId }) => documentId))
    const owners = await findOwners(database, target, { attribute, documentIds }, read)
    return relatedByOwners(owners, attribute, node)
  }
  const documentIds = unique(rows.flatMap(({ values }) => listOf(values[relation.name])))
  const versions = await findTargets(database, target, documentIds, read)
  return relatedByLists(versions, node)
}

/** In the order of the entry's own list, unless another was asked for. */
function relatedByLists(
  versions: readonly StoredVersion[],
  { relation, sort }: RelationNode,
): Related {
  const known = new Map(versions.map((version) => [version.documentId, version]))
  return {
    versions,
    of: ({ values }) => {
      const list = listOf(values[relation.name])
      if (sort.length === 0) return list.flatMap((documentId) => known.get(documentId) ?? [])
      const members = new Set(list)
      return versions.filter(({ documentId }) => members.has(documentId))
    },
  }
}

/** Owners decide who belongs; an order that was given on this side comes first, then the owners' ids. */
function relatedByOwners(
  owners: readonly StoredVersion[],
  attribute: string,
  { relation, sort }: RelationNode,
): Related {
  const versions = [...new Map(owners.map((owner) => [owner.documentId, owner])).values()]
  const members = new Map<string, StoredVersion[]>()
  for (const owner of versions) {
    for (const documentId of listOf(owner[attribute])) {
      const list = members.get(documentId)
      if (list === undefined) members.set(documentId, [owner])
      else list.push(owner)
    }
  }
  return {
    versions,
    of: ({ documentId, values }) => {
      const list = members.get(documentId) ?? []
      if (sort.length > 0) return list
      const given = new Map(listOf(values[relation.name]).map((id, index) => [id, index]))
      const rank = (version: StoredVersion): number => given.get(version.documentId) ?? given.size
      return list.toSorted((one, other) => rank(one) - rank(other) || one.id - other.id)
    },
  }
}

async function toRead(
  { database, reader }: PopulateContext,
  key: VersionKey,
  node: RelationNode,
): Promise<RelatedRead> {
  const selection = shownVersions(node.relation.target(), key, reader)
  const conditions = await resolveFilter(database, node.filter, selection, reader)
  const { fields, populate, sort, mode } = node
  const read = { conditions, sort, versions: selection, reader }
  return mode === 'entries' ? { ...read, fields, populate } : { ...read, fields: [], populate: [] }
}

function present(row: Row, node: RelationNode, shown: readonly Row[]): unknown {
  const { mode, range, relation } = node
  if (mode === 'count') return { count: shown.length }
  const part = range === null ? shown : shown.slice(range.start, range.start + range.limit)
  const entries = part.map(({ entry, documentId }) => (mode === 'ids' ? documentId : entry))
  const value = relation.toMany ? entries : (entries[0] ?? null)
  return mode === 'ids' ? value : showDocuments(row, value)
}

function storedIds(values: Row['values'], { relation, range }: RelationNode): unknown {
  const list = listOf(values[relation.name])
  if (!relation.toMany) return list[0] ?? null
  return range === null ? list : list.slice(range.start, range.start + range.limit)
}

function groupByKey(
  { reader }: PopulateContext,
  rows: readonly Row[],
  target: ContentTypePlan,
): readonly Group[] {
  const groups = new Map<string, { key: VersionKey; rows: Row[] }>()
  for (const row of rows) {
    const key = targetVersion(target, row.key, reader)
    const name = `${key.locale}:${key.status}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { key, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups.values()]
}
