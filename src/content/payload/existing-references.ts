import { findExisting } from '../../mongo/write/find-existing.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { collectRelationChanges } from './component-values.ts'
import { namedTargets } from './relation-input.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'

export interface LostReference {
  readonly path: readonly string[]
  readonly documentId: string
  readonly targetUid: Uid | null
}

interface WithoutLostOptions {
  readonly session?: Session
  readonly alsoThere?: FindMore
  /** Documents that are omitted although they exist. */
  readonly hidden?: ReadonlySet<string>
}

type FindMore = (uid: Uid, documentIds: readonly string[]) => Promise<ReadonlySet<string>>

/** Omits references to deleted documents and files, except to those in `alsoThere`. */
export async function withoutLost(
  { database, contentType }: Pick<DocumentContext, 'database' | 'contentType'>,
  holder: ShapePlan,
  data: Data,
  { session, alsoThere, hidden }: WithoutLostOptions = {},
): Promise<{ readonly data: Data; readonly lost: readonly LostReference[] }> {
  const inputs = collectRelationChanges(holder, data).filter(
    // An inverse side stores only an order, in which deleted documents are harmless.
    ({ attribute }) => attribute.kind === 'media' || attribute.side === 'owner',
  )
  const existing = new Set<string>()
  for (const [uid, targets] of namedTargets(inputs)) {
    const found = await findExisting(database, contentType(uid), targets, session)
    for (const documentId of found.documentIds) {
      if (hidden?.has(documentId) !== true) existing.add(documentId)
    }
    const missing = [...targets.documentIds].filter((documentId) => !existing.has(documentId))
    if (missing.length === 0 || alsoThere === undefined) continue
    for (const documentId of await alsoThere(uid, missing)) existing.add(documentId)
  }
  const copy = copyOf(data)
  const lost = inputs.flatMap(({ path, attribute }) => {
    const targetUid = attribute.kind === 'relation' ? attribute.targetUid : null
    return prune(copy, path, existing).map((documentId) => ({ path, documentId, targetUid }))
  })
  return { data: copy, lost }
}

function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one)])) as T
}

function prune(
  data: Data,
  path: readonly string[],
  existing: ReadonlySet<string>,
): readonly string[] {
  let holder = data as Record<string, unknown>
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>
  const name = path.at(-1) ?? ''
  const value = holder[name]
  const held = relationListOf(value)
  const lost = held.filter((one) => !existing.has(one))
  if (lost.length === 0) return []
  holder[name] = Array.isArray(value) ? held.filter((one) => existing.has(one)) : null
  return lost
}
