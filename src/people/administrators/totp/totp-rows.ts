import type { Database } from '../../../mongo/connection/database.ts'
import type { Table } from '../../../mongo/connection/table.ts'

export interface TotpRow {
  /** Id of the administrator. */
  readonly _id: string
  /** Sealed by the `SecretBox`. */
  readonly secret: string
  readonly createdAt: Date
  /** Null until a code has confirmed the secret. */
  readonly confirmedAt: Date | null
  /** The step of the last accepted code. Codes of this step and of earlier ones are refused. */
  readonly lastStep: number
  /** Hashes of unused codes. */
  readonly recoveryCodes: readonly string[]
  readonly attempts: number
  readonly attemptsEndAt: Date
}

/** A collection of its own, so that no list of administrators contains a secret. */
export function totpsOf(db: Database): Table<TotpRow> {
  return db.table<TotpRow>('quire_admin_totps')
}
