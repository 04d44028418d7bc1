import type { Database, ReadPreferenceName } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { ApiTokenType } from './principal.ts'
import { fromRuleRow, type RuleSchema } from '../rules/rename-rule.ts'
import type { StoredRule, StoredRuleRow } from '../rules/stored-rule.ts'

export interface ApiToken {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly type: ApiTokenType
  /** Includes permissions of deleted content-types. Empty unless the type is `custom`. */
  readonly permissions: readonly string[]
  /** Permissions under conditions. Absent if there are none, and unless the type is `custom`. */
  readonly rules?: readonly StoredRule[]
  readonly readPreference: ReadPreferenceName | null
  /** Null never expires. */
  readonly lifespanDays: number | null
  readonly expiresAt: Date | null
  /** Accurate to one minute. */
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ApiTokenRow extends Omit<ApiToken, 'id' | 'readPreference' | 'rules'> {
  readonly _id: number
  readonly rules?: readonly StoredRuleRow[]
  /** Absent in older tokens. */
  readonly readPreference?: ReadPreferenceName | null
  /** `hashCredential` of the key, in hexadecimal. */
  readonly hash: string
}

export const API_TOKENS = 'quire_api_tokens'

export function apiTokenRows(db: Database) {
  return db.table<ApiTokenRow>(API_TOKENS)
}

export async function ensureApiTokens(db: Database): Promise<void> {
  await ensureIndexes(apiTokenRows(db), [
    { key: { hash: 1 }, name: 'hash', unique: true },
    { key: { name: 1 }, name: 'name', unique: true },
  ])
}

export function findApiTokenRows(db: Database): Promise<ApiTokenRow[]> {
  return apiTokenRows(db).find({}).sort({ _id: 1 }).toArray()
}

/** Has no effect if a use after `notBefore` is already recorded. */
export async function putLastUsed(
  db: Database,
  id: number,
  at: Date,
  notBefore: Date,
): Promise<void> {
  const isDue = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: notBefore } }] }
  await apiTokenRows(db).updateOne({ _id: id, ...isDue }, { $set: { lastUsedAt: at } })
}

/** Lists the fields explicitly, so that the hash cannot leak. */
export function toApiToken(row: Omit<ApiTokenRow, 'hash'>, schema: RuleSchema): ApiToken {
  const { rules = [] } = row
  return {
    id: row._id,
    name: row.name,
    description: row.description,
    type: row.type,
    permissions: row.permissions,
    ...(rules.length > 0 && { rules: rules.map((rule) => fromRuleRow(schema, rule)) }),
    readPreference: row.readPreference ?? null,
    lifespanDays: row.lifespanDays,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
