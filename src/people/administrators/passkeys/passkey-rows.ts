import { createHash } from 'node:crypto'
import type { Database } from '../../../mongo/connection/database.ts'
import { ensureIndexes } from '../../../mongo/system/system-collections.ts'
import type { Table } from '../../../mongo/connection/table.ts'

export interface PasskeyRow {
  /** SHA-256 of `credential` in hexadecimal. */
  readonly _id: string
  readonly id: string
  readonly administrator: string
  readonly name: string
  /** The id is from the authenticator, the key is in COSE format. Both in base64url. */
  readonly credential: string
  readonly publicKey: string
  /** 0 if the authenticator does not count. */
  readonly counter: number
  /** `internal`, `usb`, `hybrid` … */
  readonly transports: readonly string[]
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly usedAt: Date | null
}

export function passkeysOf(db: Database): Table<PasskeyRow> {
  return db.table<PasskeyRow>('quire_admin_passkeys')
}

export async function ensurePasskeys(db: Database): Promise<void> {
  await ensureIndexes(passkeysOf(db), [
    { key: { administrator: 1, id: 1 }, name: 'administrator_id' },
  ])
}

/** Credential ids have up to 1,023 bytes, so the row id is their hash. */
export function passkeyRowId(credential: string): string {
  return createHash('sha256').update(credential).digest('hex')
}
