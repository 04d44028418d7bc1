import { credentialHash } from '../access/credentials.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { openExpiringRows } from '../sign-in/expiring-rows.ts'
import { createToken } from '../sign-in/random-tokens.ts'

export type LinkKind = 'first' | 'password' | 'sign-in'

interface LinkRow {
  readonly _id: string
  readonly kind: LinkKind
  /** Null for the first administrator. */
  readonly administrator: string | null
  readonly expiresAt: Date
}

export interface OneTimeLinks {
  /** Valid once, for one hour. Invalidates earlier links of this kind for the administrator. */
  make(kind: LinkKind, administrator: string | null): Promise<string>
  /** Returns null for an invalid link. */
  use(
    kind: LinkKind,
    token: string,
    session: Session,
  ): Promise<{ administrator: string | null } | null>
  revoke(administrator: string, session: Session): Promise<void>
}

const LINK_LIVES_MS = 60 * 60 * 1_000

export async function openOneTimeLinks(db: Database, now: () => Date): Promise<OneTimeLinks> {
  const collection = 'quire_admin_links'
  const { rows, sweep } = await openExpiringRows<LinkRow>({ db, collection, now })
  return {
    make: async (kind, administrator) => {
      await sweep()
      // Links for the first administrator are kept, because each starting process prints its own.
      if (administrator !== null) await rows.deleteMany({ kind, administrator })
      const token = createToken()
      const expiresAt = new Date(now().getTime() + LINK_LIVES_MS)
      const row = { _id: credentialHash(token), kind, administrator, expiresAt }
      await insertOnce(rows, row, '_id') // a random id
      return token
    },
    use: async (kind, token, session) => {
      const good = { _id: credentialHash(token), kind, expiresAt: { $gt: now() } }
      const row = await rows.findOneAndDelete(good, { session })
      return row === null ? null : { administrator: row.administrator }
    },
    revoke: async (administrator, session) => {
      await rows.deleteMany({ administrator }, { session })
    },
  }
}
