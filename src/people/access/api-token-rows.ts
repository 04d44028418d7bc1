import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ReadPreferenceName } from '../../mongo/connection/read-preference.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { ApiTokenType } from './principal.ts'

export interface ApiToken {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly type: ApiTokenType
  /** Includes permissions of deleted content-types. Empty unless the type is `custom`. */
  readonly permissions: readonly string[]
  /** Null uses the connection string. */
  readonly readPreference: ReadPreferenceName | null
  /** Null never expires. */
  readonly lifespanDays: number | null
  readonly expiresAt: Date | null
  /** Accurate to one minute. */
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ApiTokenRow extends Omit<ApiToken, 'id' | 'readPreference'> {
  readonly _id: number
  /** Absent in older tokens. */
  readonly readPreference?: ReadPreferenceName | null
  /** `hashCredential` of the key, in hexadecimal. */
  readonly hash: string
}

export function apiTokenRows(db: Database) {
  return db.collection<ApiTokenRow>('quire_api_tokens')
}

export async function ensureApiTokens(db: Database): Promise<void> {
  await ensureIndexes(apiTokenRows(db), [
    { key: { hash: 1 }, name: 'hash', unique: true },
    { key: { name: 1 }, name: 'name', unique: true },
  ])
}

export function findApiTokenRows(db: Database): Promise<ApiTokenRow[]> {
  return apiTokenRows(db).find({}, { maxTimeMS: db.queryTimeoutMs }).sort({ _id: 1 }).toArray()
}

/** Has no effect if a use after `notBefore` is already recorded. */
export async function putLastUsed(
  db: Database,
  id: number,
  at: Date,
  notBefore: Date,
): Promise<void> {
  const isDue = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: notBefore } }] }
  await asCmsErrors(() =>
    apiTokenRows(db).updateOne({ _id: id, ...isDue }, { $set: { lastUsedAt: at } }),
  )
}

/** Lists the fields explicitly, so that the hash cannot leak. */
export function toApiToken(row: Omit<ApiTokenRow, 'hash'>): ApiToken {
  return {
    id: row._id,
    name: row.name,
    description: row.description,
    type: row.type,
    permissions: row.permissions,
    readPreference: row.readPreference ?? null,
    lifespanDays: row.lifespanDays,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
