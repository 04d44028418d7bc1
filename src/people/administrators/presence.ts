import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'
import type { WorkedOn } from './recent-work.ts'

export interface Present {
  readonly id: string
  readonly name: string
  readonly since: Date
}

export interface Presence {
  /** Returns the other administrators with the same entry open. */
  note(who: Pick<Present, 'id' | 'name'>, entry: WorkedOn): Promise<readonly Present[]>
}

interface PresenceRow extends Present {
  readonly _id: string
  readonly entry: string
  readonly seenAt: Date
}

/** More than twice the interval of a browser, so that one missed note does not hide an editor. */
const GONE_MS = 45_000
const MAX_LISTED = 50

export const presenceOf = (db: Database) => db.table<PresenceRow>('quire_admin_presence')

export async function openPresence(db: Database, now: () => Date): Promise<Presence> {
  const rows = presenceOf(db)
  await ensureIndexes(rows, [
    { key: { entry: 1 }, name: 'entry' },
    { key: { seenAt: 1 }, name: 'seenAt' },
  ])
  return {
    note: async ({ id, name }, { uid, documentId, locale }) => {
      const at = now()
      const gone = new Date(at.getTime() - GONE_MS)
      await rows.deleteMany({ seenAt: { $lte: gone } })
      const entry = [uid, documentId, locale].join(':')
      const _id = `${entry}:${id}`
      const seen = { $set: { name, seenAt: at } }
      const { matchedCount } = await rows.updateOne({ _id }, seen)
      if (matchedCount === 0) {
        await ensureRow(rows, { _id, entry, id, name, since: at, seenAt: at })
      }
      const others = await rows
        .find({ entry, id: { $ne: id } })
        .sort({ since: 1, _id: 1 })
        .limit(MAX_LISTED)
        .toArray()
      return others.map((row) => ({ id: row.id, name: row.name, since: row.since }))
    },
  }
}
