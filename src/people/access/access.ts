import { UnauthorizedError } from '../../base/errors.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Actions } from './actions.ts'
import {
  type ApiTokenRow,
  ensureApiTokens,
  findApiTokenRows,
  putLastUsed,
} from './api-token-rows.ts'
import { type ApiTokens, openApiTokens } from './api-tokens.ts'
import { bearerCredential, hashCredential, isSameHash, isUserToken } from './credentials.ts'
import { toGrants } from './granted.ts'
import {
  type Anonymous,
  type ApiTokenPrincipal,
  ALL_GRANTS,
  type Grants,
  type PreviewPrincipal,
  type Principal,
  ROOT,
  type SignedInUser,
} from './principal.ts'
import { openRoles, type Roles } from './roles.ts'
import { ensureRoles, findRoles, LAST_BUILT_IN_ROLE_ID, PUBLIC_ROLE } from './role-rows.ts'
import type { EndUsers, IdentifiedUser } from './end-users.ts'
import { openVersionedCache } from '../../mongo/system/versioned-cache.ts'

export interface Access {
  readonly actions: Actions
  readonly roles: Roles
  readonly apiTokens: ApiTokens
  /**
   * A missing or malformed header means anonymous. Only JWTs need a database read per call. Roles
   * and tokens are checked for changes once a second.
   * @throws UnauthorizedError for an unknown or expired bearer.
   */
  principalOf(authorization: string | undefined): Promise<Principal>
  /** Returns null for deleted authors and for administrators. */
  principalOfAuthor(by: Author): Promise<Principal | null>
  /** Waits for pending background writes. */
  close(): Promise<void>
}

export interface AccessOptions {
  /** Null disables root. */
  readonly rootApiToken: string | null
  /** If absent, every JWT is rejected. */
  readonly users?: EndUsers
  /** Returns null for an invalid token. If absent, every preview token is rejected. */
  readonly identifyPreview?: (token: string) => Promise<Grants | null>
  readonly now?: () => Date
  readonly onBackgroundError?: (error: unknown) => void
}

interface KnownRole {
  readonly type: string
  readonly grants: Grants
}

interface KnownToken {
  readonly principal: ApiTokenPrincipal
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

interface CachedAccess {
  readonly anonymous: Anonymous
  /** By documentId. */
  readonly roles: ReadonlyMap<string, KnownRole>
  /** By the SHA-256 of the key in hexadecimal. */
  readonly tokens: ReadonlyMap<string, KnownToken>
}

/** Keys of API tokens are hexadecimal, so they cannot have this prefix. */
const PREVIEW = 'preview-'
const NOTE_USE_INTERVAL_MS = 60_000
const NO_GRANTS: Grants = new Set()
const NO_USERS: EndUsers = {
  identify: () => Promise.reject(new UnauthorizedError('Missing or invalid credentials')),
  find: () => Promise.resolve(null),
  countOf: () => Promise.resolve(0),
}

/** Creates the built-in roles and the token collection if missing. Safe to run concurrently. */
export async function openAccess(
  db: Database,
  actions: Actions,
  options: AccessOptions,
): Promise<Access> {
  const now = options.now ?? (() => new Date())
  await ensureRoles(db, now())
  await ensureApiTokens(db)
  const versionedCache = await openVersionedCache({
    db,
    key: 'access',
    firstChange: LAST_BUILT_IN_ROLE_ID,
    load: (source) => loadKnown(source, actions),
    now,
  })
  const uses = noteUses(db, now, options.onBackgroundError ?? (() => undefined))
  const { users = NO_USERS } = options
  const countUsers: EndUsers['countOf'] = (role, session) => users.countOf(role, session)
  const rootHash = options.rootApiToken === null ? null : hashCredential(options.rootApiToken)
  return {
    actions,
    roles: openRoles({ db, actions, versionedCache, now, countUsers }),
    apiTokens: openApiTokens({ db, actions, versionedCache, now }),
    principalOf: async (authorization) => {
      const credential = bearerCredential(authorization)
      if (credential === null) return (await versionedCache.current()).anonymous
      const hash = hashCredential(credential)
      if (rootHash !== null && isSameHash(hash, rootHash)) return ROOT
      if (isUserToken(credential)) {
        const user = await users.identify(credential)
        return toUser(user, await versionedCache.current())
      }
      if (credential.startsWith(PREVIEW)) return toPreview(options, credential)
      const { tokens } = await versionedCache.current()
      const token = tokens.get(hash.toString('hex'))
      if (token === undefined || hasExpired(token, now())) {
        throw new UnauthorizedError('Missing or invalid credentials')
      }
      uses.note(token)
      return token.principal
    },
    principalOfAuthor: async (by) => authorNow(await versionedCache.current(), users, by, now()),
    close: () => uses.settled(),
  }
}

async function authorNow(
  known: CachedAccess,
  users: EndUsers,
  { kind, id }: Author,
  at: Date,
): Promise<Principal | null> {
  if (kind === 'root') return ROOT
  if (kind === 'anonymous') return known.anonymous
  if (kind === 'user') {
    const user = await users.find(String(id))
    return user === null ? null : toUser({ ...user, session: null }, known)
  }
  const token = [...known.tokens.values()].find(({ principal }) => principal.id === id)
  if (kind !== 'apiToken' || token === undefined || hasExpired(token, at)) return null
  return token.principal
}

async function loadKnown(db: Database, actions: Actions): Promise<CachedAccess> {
  const [roles, rows] = await Promise.all([findRoles(db), findApiTokenRows(db)])
  const known = roles.map(({ documentId, type, permissions }): [string, KnownRole] => [
    documentId,
    { type, grants: toGrants(actions, permissions) },
  ])
  const publicRole = known.find(([, { type }]) => type === PUBLIC_ROLE)?.[1]
  return {
    anonymous: { kind: 'anonymous', grants: publicRole?.grants ?? NO_GRANTS },
    roles: new Map(known),
    tokens: new Map(rows.map((row) => [row.hash, toKnownToken(actions, row)])),
  }
}

function toKnownToken(actions: Actions, row: ApiTokenRow): KnownToken {
  const { _id: id, name, type, readPreference = null, expiresAt, lastUsedAt } = row
  const grants = {
    'full-access': () => ALL_GRANTS,
    'read-only': () => actions.readOnly,
    custom: () => toGrants(actions, row.permissions),
  }[type]()
  const principal = { kind: 'apiToken', id, name, type, readPreference, grants } as const
  return { principal, expiresAt, lastUsedAt }
}

async function toPreview(
  { identifyPreview }: AccessOptions,
  token: string,
): Promise<PreviewPrincipal> {
  const grants = (await identifyPreview?.(token)) ?? null
  if (grants === null) throw new UnauthorizedError('Missing or invalid credentials')
  return { kind: 'preview', grants }
}

/** Without a role, or with a deleted one, a user has no permissions. */
function toUser(
  { id, documentId, role, session }: IdentifiedUser,
  { roles }: CachedAccess,
): SignedInUser {
  const { type = '', grants = NO_GRANTS } = roles.get(role ?? '') ?? {}
  return { kind: 'user', id, documentId, role: type, session, grants }
}

function hasExpired({ expiresAt }: KnownToken, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}

/** Writes in the background, at most once a minute per token. */
function noteUses(db: Database, now: () => Date, onError: (error: unknown) => void) {
  const notedAt = new Map<number, number>()
  const writing = new Set<Promise<void>>()
  return {
    note: ({ principal: { id }, lastUsedAt }: KnownToken): void => {
      const at = now()
      const last = notedAt.get(id) ?? lastUsedAt?.getTime() ?? -Infinity
      if (at.getTime() - last < NOTE_USE_INTERVAL_MS) return
      notedAt.set(id, at.getTime())
      const notBefore = new Date(at.getTime() - NOTE_USE_INTERVAL_MS)
      const write = putLastUsed(db, id, at, notBefore)
        .catch(onError)
        .finally(() => writing.delete(write))
      writing.add(write)
    },
    settled: async (): Promise<void> => {
      await Promise.all(writing)
    },
  }
}
