import { UnauthorizedError } from '../errors.ts'
import type { Database } from '../mongo/database.ts'
import type { Actions } from './actions.ts'
import {
  type ApiTokenRow,
  type ApiTokens,
  ensureApiTokens,
  findApiTokenRows,
  openApiTokens,
  putLastUsed,
} from './api-tokens.ts'
import { bearerCredential, hashCredential, isSameHash } from './credentials.ts'
import { toGrants } from './granted.ts'
import {
  type Anonymous,
  type ApiTokenPrincipal,
  EVERYTHING,
  type Grants,
  type Principal,
  ROOT,
} from './principal.ts'
import {
  ensureRoles,
  findRoles,
  LAST_BUILT_IN_ROLE_ID,
  openRoles,
  PUBLIC_ROLE,
  type Roles,
} from './roles.ts'
import { openStamped } from '../mongo/stamped.ts'

/** Who may do what: the principals, and the roles and tokens that their rights come from. */
export interface Access {
  readonly actions: Actions
  readonly roles: Roles
  readonly apiTokens: ApiTokens
  /**
   * Who asks, by the `Authorization` header: anonymous without one that is well formed. Reads the
   * database only to see once a second whether roles or tokens have changed.
   * @throws UnauthorizedError for a bearer that is unknown or has expired.
   */
  principalOf(authorization: string | undefined): Promise<Principal>
  /** Waits for what is being written behind requests; call it before the database is closed. */
  close(): Promise<void>
}

export interface AccessOptions {
  /** `ROOT_API_TOKEN`; null: nobody is root. */
  readonly rootApiToken: string | null
  readonly now?: () => Date
  /** Told of failures that no request waits for, such as noting a token's use. */
  readonly onBackgroundError?: (error: unknown) => void
}

interface KnownToken {
  readonly principal: ApiTokenPrincipal
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

/** Roles and tokens with their grants resolved, as the process holds them between changes. */
interface Known {
  readonly anonymous: Anonymous
  /** By the hash of the key, in hexadecimal. */
  readonly tokens: ReadonlyMap<string, KnownToken>
}

const NOTE_USE_EVERY_MS = 60_000
const NO_GRANTS: Grants = new Set()

/** Creates what must exist from the start; many processes may do so at once. */
export async function openAccess(
  db: Database,
  actions: Actions,
  options: AccessOptions,
): Promise<Access> {
  const now = options.now ?? (() => new Date())
  await ensureRoles(db, now())
  await ensureApiTokens(db)
  const stamped = await openStamped({
    db,
    key: 'access',
    firstChange: LAST_BUILT_IN_ROLE_ID,
    load: () => loadKnown(db, actions),
    now,
  })
  const uses = noteUses(db, now, options.onBackgroundError ?? (() => undefined))
  const rootHash = options.rootApiToken === null ? null : hashCredential(options.rootApiToken)
  return {
    actions,
    roles: openRoles({ db, actions, stamped, now }),
    apiTokens: openApiTokens({ db, actions, stamped, now }),
    principalOf: async (authorization) => {
      const credential = bearerCredential(authorization)
      if (credential === null) return (await stamped.current()).anonymous
      const hash = hashCredential(credential)
      if (rootHash !== null && isSameHash(hash, rootHash)) return ROOT
      const { tokens } = await stamped.current()
      const token = tokens.get(hash.toString('hex'))
      if (token === undefined || hasExpired(token, now())) {
        throw new UnauthorizedError('Missing or invalid credentials')
      }
      uses.note(token)
      return token.principal
    },
    close: () => uses.settled(),
  }
}

async function loadKnown(db: Database, actions: Actions): Promise<Known> {
  const [roles, rows] = await Promise.all([findRoles(db), findApiTokenRows(db)])
  const publicRole = roles.find((role) => role.type === PUBLIC_ROLE)
  const grants = publicRole === undefined ? NO_GRANTS : toGrants(actions, publicRole.permissions)
  return {
    anonymous: { kind: 'anonymous', grants },
    tokens: new Map(rows.map((row) => [row.hash, toKnownToken(actions, row)])),
  }
}

function toKnownToken(actions: Actions, row: ApiTokenRow): KnownToken {
  const { _id: id, name, type, expiresAt, lastUsedAt } = row
  const grants = {
    'full-access': () => EVERYTHING,
    'read-only': () => actions.readOnly,
    custom: () => toGrants(actions, row.permissions),
  }[type]()
  return { principal: { kind: 'apiToken', id, name, type, grants }, expiresAt, lastUsedAt }
}

function hasExpired({ expiresAt }: KnownToken, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}

/** Writes when tokens were last used, at most once a minute each and never before an answer. */
function noteUses(db: Database, now: () => Date, onError: (error: unknown) => void) {
  const notedAt = new Map<number, number>()
  const writing = new Set<Promise<void>>()
  return {
    note: ({ principal: { id }, lastUsedAt }: KnownToken): void => {
      const at = now()
      const last = notedAt.get(id) ?? lastUsedAt?.getTime() ?? -Infinity
      if (at.getTime() - last < NOTE_USE_EVERY_MS) return
      notedAt.set(id, at.getTime())
      const notBefore = new Date(at.getTime() - NOTE_USE_EVERY_MS)
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
