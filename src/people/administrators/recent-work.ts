import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

export interface WorkedOn {
  readonly uid: string
  readonly documentId: string
  /** Empty for content that is not localized. */
  readonly locale: string
}

export interface RecentRow extends WorkedOn {
  readonly administrator: string
  readonly at: Date
}

export interface RecentWork {
  note(administrator: string, work: WorkedOn): Promise<void>
  /** Newest first. */
  of(administrator: string, limit: number): Promise<readonly RecentRow[]>
  ofAll(limit: number): Promise<readonly RecentRow[]>
  removeAll(administrator: string): Promise<void>
}

interface StoredRow extends RecentRow {
  readonly _id: string
}

/** Per administrator. Older records are deleted. */
const KEPT = 50

export async function openRecentWork(db: Database, now: () => Date): Promise<RecentWork> {
  const rows = db.collection<StoredRow>('quire_admin_recent')
  await ensureIndexes(rows, [
    { key: { administrator: 1, at: -1 }, name: 'administrator_at' },
    { key: { at: -1 }, name: 'at' },
  ])
  const bounded = { maxTimeMS: db.queryTimeoutMs }
  const forgetOldest = async (administrator: string): Promise<void> => {
    const [last] = await rows
      .find({ administrator }, bounded)
      .sort({ at: -1, _id: 1 })
      .skip(KEPT)
      .limit(1)
      .toArray()
    if (last !== undefined) await rows.deleteMany({ administrator, at: { $lte: last.at } }, bounded)
  }
  const latest = (filter: object, limit: number): Promise<readonly RecentRow[]> =>
    asCmsErrors(() => rows.find(filter, bounded).sort({ at: -1, _id: 1 }).limit(limit).toArray())
  return {
    note: (administrator, { uid, documentId, locale }) =>
      asCmsErrors(async () => {
        const _id = [administrator, uid, documentId, locale].join(':')
        const at = now()
        const { matchedCount } = await rows.updateOne({ _id }, { $set: { at } }, bounded)
        if (matchedCount > 0) return
        await ensureRow(rows, { _id, administrator, uid, documentId, locale, at })
        await forgetOldest(administrator)
      }),
    of: (administrator, limit) => latest({ administrator }, limit),
    ofAll: (limit) => latest({}, limit),
    removeAll: async (administrator) => {
      await asCmsErrors(() => rows.deleteMany({ administrator }, bounded))
    },
  }
}
