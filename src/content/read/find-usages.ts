import type { Database } from '../../mongo/connection/database.ts'
import { findReferrers } from '../../mongo/read/find-referrers.ts'
import type { Status } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { titleFieldOf } from '../../schema/title-field.ts'

export interface Usage {
  readonly uid: Uid
  readonly documentId: string
  readonly locale: string | null
  readonly field: string
  readonly title: string
  readonly statuses: readonly Status[]
}

export interface Usages {
  readonly all: readonly Usage[]
  /** Whether a search has reached its limit. */
  readonly capped: boolean
}

export interface ReadableType {
  readonly plan: ContentTypePlan
  readonly drafts: boolean
  readonly isSeen: (version: { readonly locale: string; readonly status: Status }) => boolean
}

const MAX_USAGES = 500
const MAX_DEPTH = 5
const CONCURRENCY = 4

/** Searches owning sides. */
export async function findUsages(
  database: Database,
  types: readonly ReadableType[],
  { uid, documentId }: { readonly uid: Uid; readonly documentId: string },
): Promise<Usages> {
  const searches = types.flatMap((type) =>
    pathsTo(uid, type.plan).map((path) => () => usagesAt(database, type, path, documentId)),
  )
  const found: Usages[] = []
  for (let start = 0; start < searches.length; start += CONCURRENCY) {
    const some = searches.slice(start, start + CONCURRENCY)
    found.push(...(await Promise.all(some.map((search) => search()))))
  }
  return {
    all: found.flatMap(({ all }) => all),
    capped: found.some(({ capped }) => capped),
  }
}

async function usagesAt(
  database: Database,
  { plan, drafts, isSeen }: ReadableType,
  path: string,
  documentId: string,
): Promise<Usages> {
  const rows = await findReferrers(database, plan, {
    path,
    documentId,
    statuses: drafts ? ['draft', 'published'] : ['published'],
    titleField: titleFieldOf(plan),
    limit: MAX_USAGES + 1,
  })
  const byLine = new Map<string, Usage>()
  for (const row of rows.slice(0, MAX_USAGES).filter(isSeen)) {
    const line = `${row.documentId}:${row.locale}`
    const before = byLine.get(line)
    byLine.set(line, {
      uid: plan.uid,
      documentId: row.documentId,
      locale: plan.localized ? row.locale : null,
      field: path,
      title: row.status === 'draft' || before === undefined ? titleText(row.title) : before.title,
      statuses: [...(before?.statuses ?? []), row.status],
    })
  }
  const all = [...byLine.values()].sort((one, other) =>
    one.documentId < other.documentId ? -1 : 1,
  )
  return { all, capped: rows.length > MAX_USAGES }
}

function titleText(title: unknown): string {
  return typeof title === 'string' ? title : ''
}

/** Dotted paths, without duplicates. */
export function pathsTo(uid: Uid, plan: ShapePlan): readonly string[] {
  return [...new Set(pathsIn(uid, plan, 0))]
}

function pathsIn(uid: Uid, { attributes }: ShapePlan, depth: number): readonly string[] {
  return [...attributes.values()].flatMap((attribute): readonly string[] => {
    if (names(attribute, uid)) return [attribute.name]
    if (depth === MAX_DEPTH) return []
    return holdersIn(attribute)
      .flatMap((holder) => pathsIn(uid, holder, depth + 1))
      .map((path) => `${attribute.name}.${path}`)
  })
}

function names(attribute: AttributePlan, uid: Uid): boolean {
  if (attribute.kind === 'media') return attribute.files.targetUid === uid
  return attribute.kind === 'relation' && attribute.side === 'owner' && attribute.targetUid === uid
}

function holdersIn(attribute: AttributePlan): readonly ShapePlan[] {
  if (attribute.kind === 'component') return [attribute.component()]
  return attribute.kind === 'dynamiczone' ? [...attribute.components().values()] : []
}
