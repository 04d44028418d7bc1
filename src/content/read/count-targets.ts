import type { Database } from '../../mongo/connection/database.ts'
import { findNamedVersions } from '../../mongo/read/read-named.ts'
import { findRelationOwners, findTargets, type RelatedRead } from '../../mongo/read/read-related.ts'
import { targetVersion } from '../../mongo/read/target-version.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { measureAnswer } from '../../query/answer-size.ts'
import type { Query, RelationNode } from '../../query/query.ts'
import { valueName } from '../../schema/alias.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { relatedRead } from './populate-relation.ts'

export interface CountedTargets {
  /** By documentId. Null for entries without a visible target. */
  readonly counts: ReadonlyMap<string | null, number>
  /** Whether targets were left out. */
  readonly isCut: boolean
}

/** Entries per command. */
const BATCH = 500

/** Of one batch of entries, if the targets hold the relation. */
const MAX_OWNERS = 10_000

/** Counts each of the named versions once per target that the caller sees. */
export async function countTargets(
  database: Database,
  query: Query,
  node: RelationNode,
  ids: readonly string[],
): Promise<CountedTargets> {
  // A facet may read as much as a response.
  const reader = { ...query.reader, answer: measureAnswer(query.reader.answer.bounds) }
  const [locale = NO_LOCALE] = query.version.locales
  const from = { locale, status: query.version.status }
  const key = targetVersion(node.relation.target(), from, reader)
  const read = await relatedRead({ database, reader }, key, { ...node, mode: 'ids' })
  const { side, otherSide } = node.relation
  const find =
    side === 'inverse' && otherSide !== null
      ? ownersOf(database, node, otherSide, read)
      : listedTargets(database, node, read)
  const counts = new Map<string | null, number>()
  let isCut = false
  const asked = { ...query, reader, fields: [], populate: [] }
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH)
    const found = await find(await findNamedVersions(database, asked, batch, [node.relation]))
    for (const one of found.targets.flatMap((all) => countedOf(node, all))) {
      counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    isCut ||= found.isCut
  }
  return { counts, isCut }
}

function countedOf(
  { relation }: RelationNode,
  targets: readonly string[],
): readonly (string | null)[] {
  if (targets.length === 0) return [null]
  return relation.toMany ? targets : targets.slice(0, 1)
}

interface FoundTargets {
  /** The visible targets of each version. */
  readonly targets: readonly (readonly string[])[]
  readonly isCut: boolean
}

type FindTargets = (versions: readonly StoredVersion[]) => Promise<FoundTargets>

type Read = Omit<RelatedRead, 'limit'>

/** Reads each target once, also if entries of several batches have it. */
function listedTargets(database: Database, { relation }: RelationNode, read: Read): FindTargets {
  const isVisible = new Map<string, boolean>()
  return async (versions) => {
    const lists = versions.map((version) => [
      ...new Set(relationListOf(version[valueName(relation)])),
    ])
    const unknown = [...new Set(lists.flat())].filter((id) => !isVisible.has(id))
    for (const id of unknown) isVisible.set(id, false)
    const found = await findTargets(database, relation.target(), unknown, { ...read, limit: 0 })
    for (const { documentId } of found) isVisible.set(documentId, true)
    return {
      targets: lists.map((list) => list.filter((id) => isVisible.get(id) === true)),
      isCut: false,
    }
  }
}

function ownersOf(
  database: Database,
  { relation }: RelationNode,
  attribute: string,
  read: Read,
): FindTargets {
  return async (versions) => {
    const owned = { attribute, documentIds: versions.map(({ documentId }) => documentId) }
    const limit = MAX_OWNERS + 1
    const found = await findRelationOwners(database, relation.target(), owned, { ...read, limit })
    const owners = found.slice(0, MAX_OWNERS).toSorted((one, other) => one.id - other.id)
    const byOwned = new Map(owned.documentIds.map((id) => [id, new Set<string>()]))
    for (const owner of owners) {
      for (const id of relationListOf(owner[attribute])) byOwned.get(id)?.add(owner.documentId)
    }
    return {
      targets: owned.documentIds.map((id) => [...(byOwned.get(id) ?? [])]),
      isCut: found.length > MAX_OWNERS,
    }
  }
}
