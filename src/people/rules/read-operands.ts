import type { Document } from 'mongodb'
import type { Database } from '../../mongo/connection/database.ts'
import { asVersion, type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import type { UserPath } from './operands.ts'

/** More values do not fit into a condition, so the rule matches nothing. */
const MAX_VALUES = 1_000

/** The values behind each path, read from published versions. Paths with too many values are absent. */
export async function readOperands(
  db: Database,
  users: ContentTypePlan,
  documentId: string,
  paths: readonly UserPath[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  for (const path of paths) {
    const values = await readPath(db, users, documentId, path).catch(ignoreExcess)
    if (values !== null) found.set(path.text, values)
  }
  return found
}

class TooManyValues extends Error {}

function ignoreExcess(error: unknown): null {
  if (error instanceof TooManyValues) return null
  throw error
}

async function readPath(
  db: Database,
  users: ContentTypePlan,
  documentId: string,
  { through, attribute }: UserPath,
): Promise<readonly string[]> {
  let holder = users
  let ids: readonly string[] = [documentId]
  for (const relation of through) {
    ids = await readTargets(db, holder, ids, relation)
    holder = relation.target()
  }
  if (attribute === null) return ids
  const { toJson } = SCALAR_KINDS[attribute.type]
  const rows = await readRows(db, holder, { documentId: { $in: [...ids] } }, [attribute.storedName])
  const values = rows.flatMap((row) => {
    const value = toJson(row[attribute.name])
    const isText = typeof value === 'string' || typeof value === 'number'
    return isText || typeof value === 'boolean' ? [String(value)] : []
  })
  return unique(values)
}

async function readTargets(
  db: Database,
  holder: ContentTypePlan,
  ids: readonly string[],
  relation: RelationPlan,
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  if (relation.side === 'owner') {
    const rows = await readRows(db, holder, { documentId: { $in: [...ids] } }, [
      relation.storedName,
    ])
    const targets = rows.flatMap((row) => row[relation.name] ?? [])
    if (targets.length > MAX_VALUES) throw new TooManyValues()
    return unique(targets.filter((target) => typeof target === 'string'))
  }
  const stored = relation.otherStored()
  if (stored === null) return []
  const rows = await readRows(db, relation.target(), { [stored]: { $in: [...ids] } }, [])
  return unique(rows.map((row) => row.documentId))
}

async function readRows(
  db: Database,
  plan: ContentTypePlan,
  condition: Document,
  names: readonly string[],
): Promise<readonly StoredVersion[]> {
  const projection = Object.fromEntries(['documentId', ...names].map((name) => [name, 1]))
  const rows = await versionsOf(db, plan)
    .find({ ...condition, status: 'published' }, { projection, maxTimeMS: db.queryTimeoutMs })
    .limit(MAX_VALUES + 1)
    .toArray()
  if (rows.length > MAX_VALUES) throw new TooManyValues()
  return rows.map((row) => asVersion(plan, row))
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}
