import { noteRow } from '../../mongo/connection/commit-record.ts'
import { newJob } from '../../mongo/jobs/job-queue.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { type ExtensionDeliveryRow, extensionDeliveriesOf } from './delivery-rows.ts'

export interface DeadLetter {
  readonly id: string
  readonly extension: string
  readonly type: string
  readonly documentId: string
  readonly commit: string
  readonly committedAt: Date
  readonly deadAt: Date
  readonly message: string
}

/** The type of its audit rows. The documentId is the name of the extension. */
const EXTENSION_TYPE = 'admin::extension'

const MAX_LISTED = 1_000
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000

/** Newest first, at most 1,000. */
export async function listDeadLetters(
  database: Database,
  extension: string | null,
): Promise<readonly DeadLetter[]> {
  const rows = await extensionDeliveriesOf(database)
    .find({ ...(extension !== null && { extension }), deadAt: { $ne: null } })
    .sort({ deadAt: -1, _id: 1 })
    .limit(MAX_LISTED)
    .toArray()
  return rows.flatMap(toDeadLetter)
}

function toDeadLetter(row: ExtensionDeliveryRow): readonly DeadLetter[] {
  const { _id: id, extension, type, documentId, deadAt, failure, pending } = row
  const [first] = pending
  if (first === undefined || deadAt === null) return []
  const { commit, at: committedAt } = first
  const message = failure?.message ?? ''
  return [{ id, extension, type, documentId, commit, committedAt, deadAt, message }]
}

/** Calls the extension again, after the newer commits of the document. Adds an audit row per extension. */
export async function retryDeadLetters(
  database: Database,
  {
    id = null,
    extension = null,
  }: { readonly id?: string | null; readonly extension?: string | null },
  now: Date,
): Promise<number> {
  const which = {
    ...(id !== null && { _id: id }),
    ...(extension !== null && { extension }),
    deadAt: { $ne: null },
  }
  const deliveries = extensionDeliveriesOf(database)
  const extensions = (await deliveries.distinct('extension', which)).map(String)
  if (extensions.length === 0) return 0
  await database.transact((session) => {
    for (const documentId of extensions) {
      noteRow(session, 'put', { type: EXTENSION_TYPE, documentId })
    }
    return Promise.resolve()
  })
  const { matchedCount } = await deliveries.updateMany(which, {
    $set: { ...newJob(now), deadAt: null, failure: null },
  })
  return matchedCount
}

export async function sweepDeadLetters(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS)
  await extensionDeliveriesOf(database).deleteMany({ deadAt: { $ne: null, $lt: before } })
}
