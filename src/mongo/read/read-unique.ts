import type { Document } from 'mongodb'
import type { Comparison, Filter, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { decodeVersion, type StoredVersion } from '../versions/stored-version.ts'
import { matchVersions, versionId } from '../versions/version-match.ts'
import { uniqueMember } from './unique-conditions.ts'
import { type ReadPlan, readVersions } from './run-read.ts'
import { visitFound } from './visit-rows.ts'

/**
 * Reads versions by a value of `member` that at most one version has. Reads in the same event loop
 * turn share a command, because the command dominates the time of a small request.
 */
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
  const rows = await asCmsErrors(() =>
    database.gather(kind, value, (values) => {
      const one = values.length === 1
      const filter = { ...others, [member]: one ? value : { $in: [...values] } }
      return readBy(member, (visit) =>
        visitFound(database, plan, { filter, projection: shown, limit: one ? limit : 0 }, visit),
      )
    }),
  )
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
  member: string,
  read: (visit: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const rows = new Map<string, Row[]>()
  await read((bytes) => {
    const version = decodeVersion(bytes)
    const value = String(version[member])
    const row = rowOf(bytes, version)
    const others = rows.get(value)
    if (others === undefined) rows.set(value, [row])
    else others.push(row)
  })
  return rows
}

function rowOf(bytes: Uint8Array, first: StoredVersion): Row {
  let isTaken = false
  return {
    bytes,
    take: () => {
      if (isTaken) return decodeVersion(bytes)
      isTaken = true
      return first
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

function equalText(condition: unknown): string | null {
  if (typeof condition === 'string') return condition
  if (typeof condition !== 'object' || condition === null) return null
  const { $eq: value, ...rest } = condition as Document
  return typeof value === 'string' && Object.keys(rest).length === 0 ? value : null
}

/**
 * Finds the document that a filter selects by documentId or by a unique text; null for any other
 * filter. Lookups of the same kind in one event loop turn share a command.
 */
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
  const found = await asCmsErrors(() =>
    database.gather(kind, filter.operand as string, async (values) => {
      const named: Document =
        member === 'documentId'
          ? { _id: { $in: values.map((documentId) => versionId(documentId, { locale, status })) } }
          : { ...held, [member]: { $in: [...values] } }
      const projection = { _id: 0, documentId: 1, [member]: 1 }
      const documentIds = new Map<string, string>()
      await visitFound(database, plan, { filter: named, projection, limit: 0 }, (bytes) => {
        const version = decodeVersion(bytes)
        documentIds.set(String(version[member]), version.documentId)
      })
      return documentIds
    }),
  )
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
