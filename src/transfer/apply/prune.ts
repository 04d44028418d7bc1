import { type BulkRun, runLines } from '../../content/bulk/run-lines.ts'
import { listDocumentIds } from '../../mongo/read/list-documents.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { SourceFile } from './source-files.ts'

export type DocumentIdsByType = Map<ContentTypePlan, Set<string>>

export type Pruned = Readonly<Record<string, number>>

export interface PruneOptions {
  readonly dryRun: boolean
  readonly confirm: (found: Pruned) => Promise<boolean>
}

const GROUP = 200

/** Skips types without any line: an empty file is probably a mistake. Null without confirmation. */
export async function pruneTypes(
  run: BulkRun,
  { files, named }: { readonly files: readonly SourceFile[]; readonly named: DocumentIdsByType },
  { dryRun, confirm }: PruneOptions,
): Promise<Pruned | null> {
  const plans = [...new Set(files.flatMap(({ plan }) => plan ?? []))].filter(
    (plan) => plan.kind === 'collectionType' && (named.get(plan)?.size ?? 0) > 0,
  )
  const surplus = new Map<ContentTypePlan, string[]>()
  for (const plan of plans) {
    const kept = named.get(plan)
    const ids: string[] = []
    for await (const documentId of listDocumentIds(run.context.database, plan)) {
      if (kept?.has(documentId) !== true) ids.push(documentId)
    }
    if (ids.length > 0) surplus.set(plan, ids)
  }
  const found = Object.fromEntries([...surplus].map(([plan, ids]) => [plan.uid, ids.length]))
  if (dryRun || surplus.size === 0) return found
  if (!(await confirm(found))) return null
  for (const [plan, ids] of surplus) await deleteAll(run, plan, ids)
  return found
}

async function deleteAll(
  run: BulkRun,
  plan: ContentTypePlan,
  ids: readonly string[],
): Promise<void> {
  for (let from = 0; from < ids.length; from += GROUP) {
    const lines = ids.slice(from, from + GROUP).map((documentId, index) => ({
      line: from + index + 1,
      sent: { value: { op: 'delete', type: plan.uid, documentId, locale: '*' } },
    }))
    for await (const answers of runLines(run, lines)) {
      const failed = answers.flatMap(({ outcome }) => ('error' in outcome ? outcome.error : []))
      if (failed[0] !== undefined) throw failed[0]
    }
  }
}
