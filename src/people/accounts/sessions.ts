import { UnauthorizedError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { createId } from '../sign-in/random-tokens.ts'
import { liveAt, openSessionRows, type SessionRows } from '../sign-in/session-rows.ts'
import { openRefreshTokens, type RefreshClaim, type RefreshTokens } from './refresh-token.ts'
import { toSeconds } from './user-tokens.ts'

export interface SessionLifespans {
  readonly idleSeconds: number
  readonly maxSeconds: number
}

export interface UserSession {
  readonly id: string
  readonly user: string
  /** In seconds since 1970. Compared with `tokensFrom` of the user. */
  readonly issuedAt: number
  readonly refreshToken: string
  /** The numeric id of an anonymous user, which may not be stored yet. */
  readonly anonymousId: number | null
}

export interface ListedSession {
  readonly id: string
  /** Name that the client gave its device. */
  readonly deviceId: string | null
  readonly createdAt: Date
  readonly refreshedAt: Date
  readonly expiresAt: Date
}

export interface Sessions {
  /** Ends an existing session of the user on the same device. */
  start(
    user: { readonly documentId: string; readonly tokensFrom: number },
    deviceId: string | null,
    anonymousId?: number,
  ): Promise<UserSession>
  /** A used token ends its session, because it may be stolen. @throws UnauthorizedError for an invalid token. */
  refresh(refreshToken: string): Promise<UserSession>
  idOf(refreshToken: string): string | null
  /** The time of the sign-in, in seconds since 1970. Null if the session has ended. */
  startOf(id: string, user: string): Promise<number | null>
  end(id: string): Promise<void>
  /** Most recently used first, at most 100. */
  list(user: string): Promise<readonly ListedSession[]>
  endOne(user: string, id: string): Promise<boolean>
  /** Null ends all sessions. */
  endOf(user: string, deviceId: string | null): Promise<void>
}

interface SessionRow {
  readonly _id: string
  readonly user: string
  readonly deviceId: string | null
  readonly issuedAt: number
  /** Only the token of this generation is valid. */
  readonly generation: number
  readonly refreshedAt: Date
  /** Every refresh extends it, up to `endsAt`. */
  readonly expiresAt: Date
  readonly endsAt: Date
  readonly anonymousId?: number
}

export interface SessionsOptions {
  readonly db: Database
  readonly secret: string
  readonly lifespans: SessionLifespans
  readonly now: () => Date
}

/** Two tabs may refresh at once, and responses may be lost (docs/decisions/0018-sessions.md). */
const GRACE_MS = 10_000

interface SessionsContext extends SessionRows<SessionRow> {
  readonly tokens: RefreshTokens
  readonly lifespans: SessionLifespans
  readonly now: () => Date
}

export async function openSessions(options: SessionsOptions): Promise<Sessions> {
  const { db, secret, lifespans, now } = options
  const opened = await openSessionRows<SessionRow>({
    db,
    collection: 'quire_sessions',
    owner: 'user',
    usedAt: 'refreshedAt',
    now,
  })
  const tokens = openRefreshTokens(secret)
  const context = { ...opened, tokens, lifespans, now }
  const { rows, sweep, list } = opened
  return {
    start: async (user, deviceId, anonymousId) => {
      await sweep()
      if (deviceId !== null) await rows.deleteMany({ user: user.documentId, deviceId })
      const row = {
        ...newRow(context, user, deviceId),
        ...(anonymousId !== undefined && { anonymousId }),
      }
      await insertOnce(rows, row, '_id') // a random id
      return toSession(context, row)
    },
    refresh: (refreshToken) => refreshSession(context, refreshToken),
    idOf: (refreshToken) => tokens.verify(refreshToken)?.id ?? null,
    startOf: async (id, user) => {
      const row = await rows.findOne({ _id: id, user, ...liveAt(now()) })
      return row?.issuedAt ?? null
    },
    end: async (id) => {
      await rows.deleteOne({ _id: id })
    },
    list: async (user) => (await list(user)).map(toListed),
    endOne: async (user, id) => {
      const { deletedCount } = await rows.deleteOne({ _id: id, user })
      return deletedCount > 0
    },
    endOf: async (user, deviceId) => {
      const which = deviceId === null ? { user } : { user, deviceId }
      await rows.deleteMany(which)
    },
  }
}

function toListed(row: SessionRow): ListedSession {
  const { _id: id, deviceId, issuedAt, refreshedAt, expiresAt } = row
  return { id, deviceId, createdAt: new Date(issuedAt * 1_000), refreshedAt, expiresAt }
}

function newRow(
  { lifespans, now }: SessionsContext,
  user: { readonly documentId: string; readonly tokensFrom: number },
  deviceId: string | null,
): SessionRow {
  const at = now()
  return {
    _id: createId(),
    user: user.documentId,
    deviceId,
    issuedAt: Math.max(toSeconds(at), user.tokensFrom),
    generation: 0,
    refreshedAt: at,
    expiresAt: after(at, lifespans.idleSeconds),
    endsAt: after(at, lifespans.maxSeconds),
  }
}

async function refreshSession(
  context: SessionsContext,
  refreshToken: string,
): Promise<UserSession> {
  const { rows, tokens, now } = context
  const claim = tokens.verify(refreshToken)
  if (claim === null) throw invalidRefreshToken()
  const at = now()
  const exchanged = await exchange(context, claim, at)
  if (exchanged !== null) return toSession(context, exchanged)
  const row = await rows.findOne({ _id: claim.id })
  if (row !== null && wasExchangedJustNow(row, claim, at)) return toSession(context, row)
  if (row !== null) await rows.deleteOne({ _id: row._id })
  throw invalidRefreshToken()
}

/** Increments the generation. Only one of several concurrent requests succeeds, across all processes. */
function exchange(
  { rows, lifespans }: SessionsContext,
  { id, generation }: RefreshClaim,
  at: Date,
): Promise<SessionRow | null> {
  return rows.findOneAndUpdate(
    { _id: id, generation, ...liveAt(at) },
    {
      $inc: { generation: 1 },
      $set: { refreshedAt: at, expiresAt: after(at, lifespans.idleSeconds) },
    },
    { returnDocument: 'after' },
  )
}

function toSession({ tokens }: SessionsContext, row: SessionRow): UserSession {
  const { _id: id, user, issuedAt, generation, anonymousId = null } = row
  return { id, user, issuedAt, anonymousId, refreshToken: tokens.sign({ id, generation }) }
}

export function invalidRefreshToken(): UnauthorizedError {
  return new UnauthorizedError('Invalid refresh token', {}, { code: 'invalid_refresh_token' })
}

function wasExchangedJustNow(row: SessionRow, claim: RefreshClaim, at: Date): boolean {
  const isLast = row.generation === claim.generation + 1
  const isLive = row.expiresAt > at && row.endsAt > at
  return isLast && isLive && at.getTime() - row.refreshedAt.getTime() < GRACE_MS
}

function after(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1_000)
}
