import { credentialHash } from '../access/credentials.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { createId, createToken } from '../sign-in/random-tokens.ts'
import { liveAt, openSessionRows, type SessionRows } from '../sign-in/session-rows.ts'

export interface Device {
  readonly address: string
  readonly userAgent: string
}

export interface AdminSession extends Device {
  readonly id: string
  readonly createdAt: Date
  readonly usedAt: Date
  readonly expiresAt: Date
}

/** The second factor that started the session. `link` stands for access to the machine of the server. */
export type SessionProof = 'code' | 'passkey' | 'oidc' | 'link'

export interface LiveSession {
  readonly id: string
  readonly administrator: string
  readonly epoch: number
  /** Null for the password alone, and for sessions of earlier releases. */
  readonly proof: SessionProof | null
}

export interface AdminSessions {
  /** Returns the token for the cookie, which is not stored. */
  start(
    administrator: { readonly _id: string; readonly epoch: number },
    device: Device,
    proof: SessionProof | null,
  ): Promise<string>
  /** Notes that a passkey was added in the session. */
  provePasskey(administrator: string, id: string): Promise<void>
  find(token: string): Promise<LiveSession | null>
  list(administrator: string): Promise<readonly AdminSession[]>
  /** Null for a session that has ended. */
  startedAt(administrator: string, id: string): Promise<Date | null>
  end(administrator: string, id: string): Promise<boolean>
  endByToken(token: string): Promise<void>
  /** `kept` stays valid with the new epoch. */
  endAll(
    administrator: string,
    kept: { readonly id: string; readonly epoch: number } | null,
  ): Promise<void>
}

interface SessionRow extends AdminSession {
  /** Hash of the token, so that read access to the database does not permit a sign-in. */
  readonly _id: string
  readonly administrator: string
  readonly epoch: number
  readonly proof?: SessionProof
  readonly endsAt: Date
}

const DAY_MS = 24 * 60 * 60 * 1_000
const IDLE_MS = 7 * DAY_MS
export const SESSION_LIVES_MS = 30 * DAY_MS
const NOTE_USE_INTERVAL_MS = 60_000
const TOKEN = /^[\w-]{43}$/
const MAX_TEXT = 255

interface Context extends SessionRows<SessionRow> {
  readonly now: () => Date
}

export async function openAdminSessions(db: Database, now: () => Date): Promise<AdminSessions> {
  const opened = await openSessionRows<SessionRow>({
    db,
    collection: 'quire_admin_sessions',
    owner: 'administrator',
    usedAt: 'usedAt',
    now,
  })
  const context = { ...opened, now }
  const { rows, list } = opened
  return {
    start: (administrator, device, proof) => startSession(context, administrator, device, proof),
    provePasskey: async (administrator, id) => {
      const row = await rows.findOne({ administrator, id })
      if (row !== null) await rows.updateOne({ _id: row._id }, { $set: { proof: 'passkey' } })
    },
    find: (token) => findSession(context, token),
    list: async (administrator) => (await list(administrator)).map(toSession),
    startedAt: async (administrator, id) =>
      (await rows.findOne({ administrator, id }))?.createdAt ?? null,
    end: async (administrator, id) => {
      // Deleted by `_id`, because the collection may be sharded by `_id`.
      const row = await rows.findOne({ administrator, id })
      if (row === null) return false
      return (await rows.deleteOne({ _id: row._id })).deletedCount > 0
    },
    endByToken: async (token) => {
      await rows.deleteOne({ _id: credentialHash(token) })
    },
    endAll: async (administrator, kept) => {
      if (kept === null) {
        await rows.deleteMany({ administrator })
        return
      }
      const { id, epoch } = kept
      const row = await rows.findOne({ administrator, id })
      if (row !== null) await rows.updateOne({ _id: row._id }, { $set: { epoch } })
      await rows.deleteMany({ administrator, id: { $ne: id } })
    },
  }
}

async function startSession(
  { rows, now, sweep }: Context,
  { _id: administrator, epoch }: { readonly _id: string; readonly epoch: number },
  { address, userAgent }: Device,
  proof: SessionProof | null,
): Promise<string> {
  await sweep()
  const at = now()
  const token = createToken()
  const row: SessionRow = {
    _id: credentialHash(token),
    id: createId(),
    administrator,
    epoch,
    ...(proof !== null && { proof }),
    address: address.slice(0, MAX_TEXT),
    userAgent: userAgent.slice(0, MAX_TEXT),
    createdAt: at,
    usedAt: at,
    expiresAt: new Date(at.getTime() + IDLE_MS),
    endsAt: new Date(at.getTime() + SESSION_LIVES_MS),
  }
  await insertOnce(rows, row, 'id')
  return token
}

async function findSession(context: Context, token: string): Promise<LiveSession | null> {
  const { rows, now } = context
  if (!TOKEN.test(token)) return null
  const at = now()
  const row = await rows.findOne({ _id: credentialHash(token), ...liveAt(at) })
  if (row === null) return null
  await noteUse(context, row, at)
  const { id, administrator, epoch, proof = null } = row
  return { id, administrator, epoch, proof }
}

async function noteUse({ rows }: Context, row: SessionRow, at: Date): Promise<void> {
  if (Math.abs(at.getTime() - row.usedAt.getTime()) < NOTE_USE_INTERVAL_MS) return
  const expiresAt = earlier(new Date(at.getTime() + IDLE_MS), row.endsAt)
  await rows.updateOne({ _id: row._id }, { $set: { usedAt: at, expiresAt } })
}

function toSession({
  id,
  address,
  userAgent,
  createdAt,
  usedAt,
  expiresAt,
}: SessionRow): AdminSession {
  return { id, address, userAgent, createdAt, usedAt, expiresAt }
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
