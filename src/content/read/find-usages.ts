import type { Database } from '../../mongo/connection/database.ts'
import { findReferrers } from '../../mongo/read/find-referrers.ts'
import {
  findLinkPaths,
  findReferencePaths,
  type ReferencePath,
} from '../../mongo/read/reference-paths.ts'
import type { Status } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import { type ContentTypePlan, titleFieldOf } from '../../schema/plan.ts'

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
  readonly capped: boolean
}

export interface ReadableType {
  readonly plan: ContentTypePlan
  readonly drafts: boolean
  readonly isSeen: (version: { readonly locale: string; readonly status: Status }) => boolean
}

const MAX_USAGES = 500
const CONCURRENCY = 4

export interface UsageTargets {
  readonly uid: Uid
  /** The uids under which links in blocks name the type, with those of earlier releases. Absent for files. */
  readonly linkedAs?: readonly Uid[]
  readonly documentIds: readonly string[]
}

/** Omits links between several targets. */
export async function findUsages(
  database: Database,
  types: readonly ReadableType[],
  targets: UsageTargets,
): Promise<Usages> {
  const searches = types.flatMap((type) =>
    [
      ...findReferencePaths(targets.uid, type.plan),
      ...findLinkPaths(targets.linkedAs ?? [], type.plan),
    ].map((path) => () => usagesAt(database, type, path, targets)),
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
  { path, field, valuesOf }: ReferencePath,
  { uid, documentIds }: UsageTargets,
): Promise<Usages> {
  const isBetween = documentIds.length > 1 && plan.uid === uid
  const rows = await findReferrers(database, plan, {
    path,
    values: documentIds.flatMap(valuesOf),
    except: isBetween ? documentIds : [],
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
      field,
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
