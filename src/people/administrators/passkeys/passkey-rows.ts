import { createHash } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { Database } from '../../../mongo/connection/database.ts'
import { ensureIndexes } from '../../../mongo/system/system-collections.ts'

/** A key that an authenticator holds for somebody. */
export interface PasskeyRow {
  /** The SHA-256 of `credential`, in hexadecimal. */
  readonly _id: string
  /** What addresses name it by. */
  readonly id: string
  readonly administrator: string
  /** What its owner calls it. */
  readonly name: string
  /** The id that the authenticator gave it, and the public key (COSE), in base64url. */
  readonly credential: string
  readonly publicKey: string
  /** How often the authenticator has signed; 0 of those that do not count. */
  readonly counter: number
  /** How browsers reach the authenticator: `internal`, `usb`, `hybrid` … */
  readonly transports: readonly string[]
  /** Whether it is on other devices of its owner, too. */
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly usedAt: Date | null
}

export function passkeysOf(db: Database): Collection<PasskeyRow> {
  return db.collection<PasskeyRow>('quire_admin_passkeys')
}

/** Creates the collection and its indexes where they do not exist. */
export async function ensurePasskeys(db: Database): Promise<void> {
  await ensureIndexes(passkeysOf(db), [
    { key: { administrator: 1, id: 1 }, name: 'administrator_id' },
  ])
}

/** By the id that an authenticator gave it, which may have 1,023 bytes. */
export function passkeyRowId(credential: string): string {
  return createHash('sha256').update(credential).digest('hex')
}
