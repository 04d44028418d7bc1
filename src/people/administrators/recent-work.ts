import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

export interface WorkedOn {
  readonly uid: string
  readonly documentId: string
  readonly locale: string
}

export interface RecentRow extends WorkedOn {
  readonly administrator: string
  readonly at: Date
}

export const RECENT_WORK = 'quire_admin_recent'

export interface RecentWork {
  note(administrator: string, work: WorkedOn): Promise<void>
  of(administrator: string, limit: number): Promise<readonly RecentRow[]>
  ofAll(limit: number): Promise<readonly RecentRow[]>
  removeAll(administrator: string): Promise<void>
}

interface StoredRow extends RecentRow {
  readonly _id: string
}

const KEPT = 50

export function recentWorkId({
  administrator,
  uid,
  documentId,
  locale,
}: Omit<RecentRow, 'at'>): string {
  return [administrator, uid, documentId, locale].join(':')
}

export async function openRecentWork(db: Database, now: () => Date): Promise<RecentWork> {
  const rows = db.table<StoredRow>(RECENT_WORK)
  await ensureIndexes(rows, [
    { key: { administrator: 1, at: -1 }, name: 'administrator_at' },
    { key: { at: -1 }, name: 'at' },
  ])
  const forgetOldest = async (administrator: string): Promise<void> => {
    const [last] = await rows
      .find({ administrator })
      .sort({ at: -1, _id: 1 })
      .skip(KEPT)
      .limit(1)
      .toArray()
    if (last !== undefined) await rows.deleteMany({ administrator, at: { $lte: last.at } })
  }
  const latest = (filter: object, limit: number): Promise<readonly RecentRow[]> =>
    rows.find(filter).sort({ at: -1, _id: 1 }).limit(limit).toArray()
  return {
    note: async (administrator, { uid, documentId, locale }) => {
      const _id = recentWorkId({ administrator, uid, documentId, locale })
      const at = now()
      const { matchedCount } = await rows.updateOne({ _id }, { $set: { at } })
      if (matchedCount > 0) return
      await ensureRow(rows, { _id, administrator, uid, documentId, locale, at })
      await forgetOldest(administrator)
    },
    of: (administrator, limit) => latest({ administrator }, limit),
    ofAll: (limit) => latest({}, limit),
    removeAll: async (administrator) => {
      await rows.deleteMany({ administrator })
    },
  }
}
