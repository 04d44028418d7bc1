import { randomBytes } from 'node:crypto'
import { credentialHash } from '../access/credentials.ts'
import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'

/** What a link is for: to become the first administrator, to choose a password, to sign in. */
export type LinkKind = 'first' | 'password' | 'sign-in'

interface LinkRow {
  /** The hash of the token, in hexadecimal. */
  readonly _id: string
  readonly kind: LinkKind
  /** Null for the first administrator, who is not there yet. */
  readonly administrator: string | null
  readonly expiresAt: Date
}

export interface OneTimeLinks {
  /** What the link carries; good once, for an hour. Those of the same kind that somebody has are good no more. */
  make(kind: LinkKind, administrator: string | null): Promise<string>
  /** Uses one up, in the transaction of what it is used for; null when it is not good. */
  use(
    kind: LinkKind,
    token: string,
    session: Session,
  ): Promise<{ administrator: string | null } | null>
  /** Removes all links of an administrator, in the transaction that sets a password. */
  revoke(administrator: string, session: Session): Promise<void>
}

const LINK_LIVES_MS = 60 * 60 * 1_000

export async function openOneTimeLinks(db: Database, now: () => Date): Promise<OneTimeLinks> {
  const rows = db.collection<LinkRow>('quire_admin_links')
  await ensureIndexes(rows, [{ key: { expiresAt: 1 }, name: 'expiresAt' }])
  const bounded = { maxTimeMS: db.queryTimeoutMs }
  return {
    make: (kind, administrator) =>
      asCmsErrors(async () => {
        const at = now()
        await rows.deleteMany({ expiresAt: { $lte: at } }, bounded)
        // Several processes that start each print a link of their own.
        if (administrator !== null) await rows.deleteMany({ kind, administrator }, bounded)
        const token = randomBytes(32).toString('base64url')
        const expiresAt = new Date(at.getTime() + LINK_LIVES_MS)
        const row = { _id: credentialHash(token), kind, administrator, expiresAt }
        await insertOnce(rows, row, { own: '_id', ...bounded }) // a random id
        return token
      }),
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
