import type { CommittedChange } from '../../extensions/commit-follower.ts'
import { type JobRow, newJob } from '../../mongo/jobs/job-queue.ts'
import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { CommitItem } from '../../mongo/connection/database.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export interface CommittedDocument {
  readonly commit: string
  readonly seq: number
  readonly at: Date
  readonly by: Author
  readonly changes: readonly CommittedChange[]
}

export interface ExtensionDeliveryRow extends JobRow {
  /** Extension, content-type and document. A dead letter also has the commit. */
  readonly _id: string
  readonly extension: string
  readonly type: string
  readonly documentId: string
  readonly since: Date
  readonly pending: readonly CommittedDocument[]
  readonly failure: DeliveryFailure | null
  /** Set in dead letters, which have one commit and no `open`. */
  readonly deadAt: Date | null
}

export interface DeliveryFailure {
  readonly at: Date
  readonly message: string
}

export const EXTENSION_DELIVERIES = 'quire_extension_deliveries'

export const extensionDeliveriesOf = (database: Database) =>
  database.table<ExtensionDeliveryRow>(EXTENSION_DELIVERIES)

export async function ensureExtensionDeliveries(database: Database): Promise<void> {
  await ensureIndexes(extensionDeliveriesOf(database), [
    { key: { extension: 1, deadAt: 1 }, name: 'dead' },
  ])
}

export interface DocumentCommits extends Pick<
  ExtensionDeliveryRow,
  '_id' | 'extension' | 'type' | 'documentId'
> {
  readonly commits: readonly CommittedDocument[]
}

/** Omits the commits that the extension wrote itself. */
export function groupByDocument(
  extension: string,
  types: ReadonlySet<string>,
  commits: readonly NumberedCommit[],
): readonly DocumentCommits[] {
  const byDocument = new Map<string, DocumentCommits & { readonly commits: CommittedDocument[] }>()
  for (const commit of commits) {
    if (commit.by.kind === 'extension' && commit.by.name === extension) continue
    for (const [key, changes] of changesByDocument(types, commit.items)) {
      const [first] = changes
      if (first === undefined) continue
      const { contentType: type, documentId } = first
      const _id = `${extension} ${key}`
      const known = byDocument.get(_id) ?? { _id, extension, type, documentId, commits: [] }
      byDocument.set(_id, known)
      const { _id: id, seq, at, by } = commit
      known.commits.push({ commit: id, seq, at, by, changes })
    }
  }
  return [...byDocument.values()]
}

function changesByDocument(
  types: ReadonlySet<string>,
  items: readonly CommitItem[],
): ReadonlyMap<string, readonly CommittedChange[]> {
  const byDocument = new Map<string, CommittedChange[]>()
  for (const { type, documentId, locale, status, op, lost } of items) {
    if (!types.has(type) || lost === true) continue
    const key = `${type} ${documentId}`
    const changes = byDocument.get(key) ?? []
    byDocument.set(key, changes)
    changes.push({
      operation: op,
      contentType: type,
      documentId,
      locale: locale === NO_LOCALE ? null : locale,
      status,
    })
  }
  return byDocument
}

export function newDelivery(
  { _id, extension, type, documentId }: Omit<DocumentCommits, 'commits'>,
  at: Date,
): Omit<ExtensionDeliveryRow, 'pending'> {
  const rest = { extension, type, documentId, since: at, failure: null, deadAt: null }
  return { _id, ...newJob(at), ...rest }
}
