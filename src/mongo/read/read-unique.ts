import type { Document } from 'mongodb'
import type { Comparison, Filter, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsOf } from '../connection/time-limits.ts'
import type { Database } from '../connection/database.ts'
import {
  asVersion,
  decodeRow,
  type StoredVersion,
  type VersionRow,
} from '../versions/stored-version.ts'
import { matchVersions, versionId } from '../versions/version-match.ts'
import { type ReadPlan, readVersions } from './run-read.ts'
import { visitFound } from './visit-rows.ts'

/** Reads by a value that at most one version has. Reads in one event loop turn share a command. */
export async function readUnique(
  database: Database,
  plan: ContentTypePlan,
  member: string,
  read: ReadPlan,
): Promise<readonly StoredVersion[]> {
  const key = keyOf(read, member)
  if (key === null) return readVersions(database, plan, read)
  const { value, others } = key
  const { projection, limit, answer } = read
  const { maxTimeMS } = optionsOf(database)
  const shown = { ...projection, [member]: 1 }
  const kind = JSON.stringify([plan.collectionName, member, others, shown, limit, maxTimeMS])
  const rows = await database.gather(kind, value, (values) => {
    const one = values.length === 1
    const filter = { ...others, [member]: one ? value : { $in: [...values] } }
    return readBy(plan, member, (visit) =>
      visitFound(database, plan, { filter, projection: shown, limit: one ? limit : 0 }, visit),
    )
  })
  return (rows ?? []).map((row) => {
    answer.read(row.bytes.length)
    return row.take()
  })
}

interface Row {
  readonly bytes: Uint8Array
  take(): StoredVersion
}

async function readBy(
  plan: ContentTypePlan,
  member: string,
  read: (visit: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const rows = new Map<string, Row[]>()
  await read((bytes) => {
    const stored = decodeRow(bytes)
    const value = String(stored[member])
    const row = rowOf(bytes, plan, stored)
    const others = rows.get(value)
    if (others === undefined) rows.set(value, [row])
    else others.push(row)
  })
  return rows
}

function rowOf(bytes: Uint8Array, plan: ContentTypePlan, first: VersionRow): Row {
  let isTaken = false
  return {
    bytes,
    take: () => {
      if (isTaken) return asVersion(plan, decodeRow(bytes))
      isTaken = true
      return asVersion(plan, first)
    },
  }
}

interface Key {
  readonly value: string
  readonly others: Readonly<Record<string, string>>
}

function keyOf({ filter, conditions, order, chosen }: ReadPlan, member: string): Key | null {
  if (order.lookups.length + conditions.lookups.length + chosen.length > 0) return null
  const equalities: Record<string, string> = {}
  for (const [path, value] of [filter, conditions.match].flatMap(conditionsIn)) {
    const text = equalText(value)
    if (text === null || path.startsWith('$') || Object.hasOwn(equalities, path)) return null
    equalities[path] = text
  }
  const { [member]: value, ...others } = equalities
  return value === undefined ? null : { value, others }
}

function conditionsIn(match: Document): readonly (readonly [string, unknown])[] {
  const all: unknown = match['$and']
  const isList = Array.isArray(all) && Object.keys(match).length === 1
  return isList ? (all as Document[]).flatMap(conditionsIn) : Object.entries(match)
}

/** The text of an equality, or of a list with one text. */
function equalText(condition: unknown): string | null {
  if (typeof condition === 'string') return condition
  if (typeof condition !== 'object' || condition === null) return null
  const [[operator, value] = [], ...rest] = Object.entries(condition as Document)
  if (rest.length > 0) return null
  if (operator === '$eq') return typeof value === 'string' ? value : null
  return operator === '$in' && Array.isArray(value) ? onlyText(value) : null
}

function onlyText([text, ...others]: readonly unknown[]): string | null {
  return typeof text === 'string' && others.length === 0 ? text : null
}

/** Finds the document of a filter by documentId or by a unique text. Returns null for other filters. */
export async function findNamed(
  database: Database,
  plan: ContentTypePlan,
  conditions: Filter,
  selection: VersionSelection,
): Promise<readonly string[] | null> {
  const filter = onlyOne(conditions)
  const member = uniqueMember(filter, selection)
  const [locale, ...others] = selection.locales
  if (member === null || locale === undefined || others.length > 0) return null
  if (filter.kind !== 'compare' || !isText(filter)) return null
  const { status } = selection
  const held = matchVersions(selection)
  const kind = JSON.stringify(['named', plan.collectionName, member, held])
  const found = await database.gather(kind, filter.operand as string, async (values) => {
    const named: Document =
      member === 'documentId'
        ? { _id: { $in: values.map((documentId) => versionId(documentId, { locale, status })) } }
        : { ...held, [member]: { $in: [...values] } }
    const projection = { _id: 0, documentId: 1, [member]: 1 }
    const documentIds = new Map<string, string>()
    await visitFound(database, plan, { filter: named, projection, limit: 0 }, (bytes) => {
      const row = decodeRow(bytes)
      documentIds.set(String(row[member]), row.documentId)
    })
    return documentIds
  })
  return found === undefined ? [] : [found]
}

function onlyOne(filter: Filter): Filter {
  const [first, ...others] = filter.kind === 'all' ? filter.of : [filter]
  return first === undefined || others.length > 0 ? filter : first
}

function isText({ attribute, operand }: Comparison): boolean {
  return TEXTS.has(attribute.type) && typeof operand === 'string'
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'uid', 'email'])

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

/** The stored name of the attribute whose equality condition limits a list to one version. */
export function uniqueMember(filter: Filter | null, versions: VersionSelection): string | null {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return null
  return mostByComparison(filter, versions) === 1 ? filter.attribute.storedName : null
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
