import { ApplicationError, because, NotFoundError, ValidationError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

export interface Preferences {
  all(administrator: string): Promise<Readonly<Record<string, unknown>>>
  /** Null removes the preference. @throws ValidationError, NotFoundError, ApplicationError above a limit */
  put(administrator: string, key: string, value: unknown): Promise<void>
  removeAll(administrator: string): Promise<void>
}

interface PreferenceRow {
  readonly _id: string
  readonly administrator: string
  readonly key: string
  /** JSON text, so that keys need not be valid field names. */
  readonly json: string
}

const KEY = /^[A-Za-z][\w.:-]{0,99}$/
const MAX_BYTES = 16_384
const MAX_KEYS = 200

export async function openPreferences(db: Database): Promise<Preferences> {
  const rows = db.table<PreferenceRow>('quire_admin_preferences')
  await ensureIndexes(rows, [{ key: { administrator: 1 }, name: 'administrator' }])
  const assertRoom = async (administrator: string): Promise<void> => {
    const count = await rows.countDocuments({ administrator }, { limit: MAX_KEYS })
    if (count < MAX_KEYS) return
    const message = `There are ${MAX_KEYS} preferences already; remove one`
    throw new ApplicationError(message, {}, because(message, 'any.tooMany', { limit: MAX_KEYS }))
  }
  return {
    all: async (administrator) => {
      const found = await rows.find({ administrator }).sort({ key: 1 }).toArray()
      return Object.fromEntries(
        found.map(({ key, json }): [string, unknown] => [key, JSON.parse(json)]),
      )
    },
    put: async (administrator, key, value) => {
      if (!KEY.test(key)) throw new NotFoundError('There is no preference of such a name')
      const _id = `${administrator}:${key}`
      if (value === null) {
        await rows.deleteOne({ _id })
        return
      }
      const json = toText(value)
      const changed = await rows.updateOne({ _id }, { $set: { json } })
      if (changed.matchedCount > 0) return
      await assertRoom(administrator)
      await ensureRow(rows, { _id, administrator, key, json })
    },
    removeAll: async (administrator) => {
      await rows.deleteMany({ administrator })
    },
  }
}

function toText(value: unknown): string {
  const json = value === undefined ? '' : JSON.stringify(value)
  const bytes = Buffer.byteLength(json, 'utf8')
  if (bytes > 0 && bytes <= MAX_BYTES) return json
  throw new ValidationError(`value must be given, in at most ${MAX_BYTES} bytes of JSON`)
}
