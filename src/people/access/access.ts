import { UnauthorizedError } from '../../base/errors.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Actions } from './actions.ts'
import {
  type ApiTokenRow,
  ensureApiTokens,
  findApiTokenRows,
  toApiToken,
} from './api-token-rows.ts'
import { type ApiTokens, openApiTokens } from './api-tokens.ts'
import { bearerCredential, hashCredential, isSameHash, isUserToken } from './credentials.ts'
import { carryMembers } from '../../mongo/write/carried-members.ts'
import { carriedNames } from './carried-names.ts'
import { toGrants } from './granted.ts'
import { noteUses } from './note-uses.ts'
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
import { typeOfAction } from '../rules/rename-rule.ts'
import { stampsOf } from '../rules/stamps.ts'
import { assertRulesFit, holdRules, type RuleSource } from '../rules/held-rules.ts'
import {
  type HeldGrants,
  holdGrants,
  openRuleBinder,
  type RuleBinder,
} from '../rules/rule-binder.ts'
import { openRoles, type Roles } from './roles.ts'
import {
  ensureAnonymousRole,
  ensureRoles,
  findRoles,
  LAST_BUILT_IN_ROLE_ID,
  PUBLIC_ROLE,
} from './role-rows.ts'
import type { EndUsers, IdentifiedUser } from './end-users.ts'
import { openVersionedCache, type VersionedCache } from '../../mongo/system/versioned-cache.ts'

export interface Access {
  readonly actions: Actions
  readonly roles: Roles
  readonly apiTokens: ApiTokens
  /** Returns anonymous without a valid header. @throws UnauthorizedError for an unknown or expired bearer. */
  principalOf(authorization: string | undefined): Promise<Principal>
  /** Without a credential, with its rules. Null for a token that does not exist. */
  principalNamed(named: NamedPrincipal): Promise<Principal | null>
  /** Returns null for deleted authors and for administrators. */
  principalOfAuthor(by: Author): Promise<Principal | null>
  /** Like `principalOfAuthor`, with the rules of its role or token. The caller must apply them. */
  ruledPrincipalOfAuthor(by: Author): Promise<Principal | null>
  /** The content-types with a rule in any role or token. */
  ruledTypes(): Promise<ReadonlySet<string>>
  /** The permissions of a role for callers that are no user. Null for an unknown role. */
  grantsOfRole(type: string): Promise<Grants | null>
  /** Attributes that the rules of any role or token set (`stampName`). */
  stamped(): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

export type NamedPrincipal =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: IdentifiedUser }
  | { readonly kind: 'apiToken'; readonly name: string }

export interface AccessOptions {
  /** Null disables root. */
  readonly rootApiToken: string | null
  /** If absent, every JWT is rejected. */
  readonly users?: EndUsers
  /** Returns null for an invalid token. If absent, every preview token is rejected. */
  readonly identifyPreview?: (token: string) => Promise<Grants | null>
  /** Creates the role of anonymous users. */
  readonly anonymousUsers?: boolean
  readonly now?: () => Date
  readonly onBackgroundError?: (error: unknown) => void
}

interface KnownRole extends HeldGrants {
  readonly type: string
}

interface KnownToken extends HeldGrants {
  readonly principal: ApiTokenPrincipal
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

interface CachedAccess {
  /** Without rules. */
  readonly anonymous: Anonymous
  readonly publicRole: HeldGrants
  /** By documentId. */
  readonly roles: ReadonlyMap<string, KnownRole>
  /** By the SHA-256 of the key in hexadecimal. */
  readonly tokens: ReadonlyMap<string, KnownToken>
  readonly ruledTypes: ReadonlySet<string>
  readonly stamped: ReadonlySet<string>
}

/** Keys of API tokens are hexadecimal, so they cannot have this prefix. */
const PREVIEW = 'preview-'
const NO_GRANTS: Grants = new Set()
const NOTHING_HELD = holdGrants(NO_GRANTS, [])
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
  const { users = NO_USERS, now = () => new Date() } = options
  await ensureRoles(db, now()).then(() => ensureApiTokens(db))
  const versionedCache = await openVersionedCache({
    db,
    key: 'access',
    firstChange: LAST_BUILT_IN_ROLE_ID,
    load: (source) => loadKnown(source, actions),
    now,
  })
  if (options.anonymousUsers === true) await ensureAnonymousRole(db, versionedCache, now())
  const binder = openRuleBinder({ db, schema: actions.schema, readsUsers: true, now })
  const uses = noteUses(db, now, options.onBackgroundError ?? (() => undefined))
  const rootHash = options.rootApiToken === null ? null : hashCredential(options.rootApiToken)
  return {
    actions,
    roles: openRoles({ db, actions, versionedCache, now, users }),
    apiTokens: openApiTokens({ db, actions, versionedCache, now }),
    principalOf: async (authorization) => {
      const credential = bearerCredential(authorization)
      if (credential === null) return toAnonymous(binder, await versionedCache.current())
      const hash = hashCredential(credential)
      if (rootHash !== null && isSameHash(hash, rootHash)) return ROOT
      if (isUserToken(credential)) {
        const user = await users.identify(credential)
        return signedIn(binder, user, await versionedCache.current())
      }
      if (credential.startsWith(PREVIEW)) return toPreview(options, credential)
      const token = await tokenOf(versionedCache, hash.toString('hex'), now())
      uses.note(token)
      return toToken(binder, token)
    },
    principalNamed: async (named) => bindNamed(binder, await versionedCache.current(), named),
    principalOfAuthor: async (by) => authorNow(await versionedCache.current(), users, by, now()),
    ruledPrincipalOfAuthor: async (by) => {
      const known = await versionedCache.current()
      return ruledAuthor(binder, known, await authorNow(known, users, by, now()))
    },
    ruledTypes: async () => (await versionedCache.current()).ruledTypes,
    grantsOfRole: async (type) => grantsOf(binder, type, await versionedCache.latest()),
    stamped: async () => (await versionedCache.current()).stamped,
    close: () => uses.settled(),
  }
}

/** @throws UnauthorizedError for unknown and expired tokens */
async function tokenOf(cache: VersionedCache<CachedAccess>, key: string, now: Date) {
  const token =
    (await cache.current()).tokens.get(key) ??
    // Another process may have created it a moment ago.
    (await cache.latest()).tokens.get(key)
  if (token === undefined || hasExpired(token, now)) {
    throw new UnauthorizedError('Missing or invalid credentials')
  }
  return token
}

function bindNamed(
  binder: RuleBinder,
  known: CachedAccess,
  named: NamedPrincipal,
): Principal | null | Promise<Principal> {
  if (named.kind === 'anonymous') return toAnonymous(binder, known)
  if (named.kind === 'user') return signedIn(binder, named.user, known)
  const token = [...known.tokens.values()].find(({ principal }) => principal.name === named.name)
  return token === undefined ? null : toToken(binder, token)
}

function grantsOf(
  binder: RuleBinder,
  type: string,
  { roles }: CachedAccess,
): Grants | Promise<Grants> | null {
  const role = [...roles.values()].find((one) => one.type === type)
  return role === undefined ? null : binder.bind(role, null)
}

/** Its rules are those of the token, which `$user` does not match. */
function toToken(binder: RuleBinder, token: KnownToken): Principal | Promise<Principal> {
  if (token.rules.length === 0) return token.principal
  return withGrants(token.principal, binder.bind(token, null))
}

function toAnonymous(
  binder: RuleBinder,
  { anonymous, publicRole }: CachedAccess,
): Principal | Promise<Principal> {
  if (publicRole.rules.length === 0) return anonymous
  return withGrants(anonymous, binder.bind(publicRole, null))
}

function signedIn(
  binder: RuleBinder,
  user: IdentifiedUser,
  known: CachedAccess,
): Principal | Promise<Principal> {
  const principal = toUser(user, known)
  const role = known.roles.get(user.role ?? '')
  if (role === undefined || role.rules.length === 0) return principal
  return withGrants(principal, binder.bind(role, user.documentId))
}

function withGrants(
  principal: Anonymous | ApiTokenPrincipal | SignedInUser,
  grants: Grants | Promise<Grants>,
): Principal | Promise<Principal> {
  if (grants instanceof Promise) return grants.then((bound) => ({ ...principal, grants: bound }))
  return { ...principal, grants }
}

/** Without rules: background work has unconditional permissions only. */
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
    return user === null ? null : toUser({ ...user, session: null, signedInAt: 0 }, known)
  }
  const token = [...known.tokens.values()].find(({ principal }) => principal.id === id)
  if (kind !== 'apiToken' || token === undefined || hasExpired(token, at)) return null
  return token.principal
}

function ruledAuthor(
  binder: RuleBinder,
  known: CachedAccess,
  author: Principal | null,
): Principal | null | Promise<Principal> {
  if (author?.kind === 'anonymous') return toAnonymous(binder, known)
  if (author?.kind === 'apiToken') {
    return bindNamed(binder, known, { kind: 'apiToken', name: author.name })
  }
  if (author?.kind !== 'user') return author
  const role = [...known.roles.values()].find(({ type }) => type === author.role)
  return role === undefined ? author : withGrants(author, binder.bind(role, author.documentId))
}

/** For the start of a server. Commands go on, so that they can revoke such a rule. @throws SchemaError */
export async function assertStoredRules(db: Database, actions: Actions): Promise<void> {
  assertRulesFit(actions.schema, await storedRules(db, actions))
}

/** The content-types with a rule in any role or API token. */
export async function findRuledTypes(db: Database, actions: Actions): Promise<ReadonlySet<string>> {
  const sources = await storedRules(db, actions)
  return new Set(sources.flatMap(({ rules }) => rules.map(({ action }) => typeOfAction(action))))
}

async function storedRules(db: Database, { schema }: Actions): Promise<readonly RuleSource[]> {
  const [roles, rows] = await Promise.all([findRoles(db, schema), findApiTokenRows(db)])
  const tokens = rows.map((row) => toApiToken(row, schema))
  return [
    ...roles.map(({ type, rules = [] }) => ({ source: `role ${type}`, rules })),
    ...tokens.map(({ name, rules = [] }) => ({ source: `API token ${name}`, rules })),
  ]
}

async function loadKnown(db: Database, actions: Actions): Promise<CachedAccess> {
  const { schema } = actions
  const [roles, rows] = await Promise.all([findRoles(db, schema), findApiTokenRows(db)])
  const known = roles.map(({ documentId, type, permissions, rules = [] }): [string, KnownRole] => [
    documentId,
    {
      type,
      ...holdGrants(
        toGrants(actions, permissions),
        holdRules(schema, { source: `role ${type}`, rules }),
      ),
    },
  ])
  const tokens = rows.map((row): [string, KnownToken] => [row.hash, toKnownToken(actions, row)])
  const holders = [...known, ...tokens].map(([, held]) => held)
  carryMembers(schema.contentTypes.values(), carriedNames(holders))
  const publicRole = known.find(([, { type }]) => type === PUBLIC_ROLE)?.[1] ?? NOTHING_HELD
  return {
    anonymous: { kind: 'anonymous', grants: publicRole.grants },
    publicRole,
    roles: new Map(known),
    tokens: new Map(tokens),
    ruledTypes: new Set(holders.flatMap(({ rules }) => rules.map(({ rule }) => rule.plan.uid))),
    stamped: stampsOf(holders),
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
  const { rules: stored = [] } = toApiToken(row, actions.schema)
  const rules = holdRules(actions.schema, { source: `API token ${name}`, rules: stored })
  return { ...holdGrants(grants, rules), principal, expiresAt, lastUsedAt }
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
  { id, documentId, role, session, signedInAt, store }: IdentifiedUser,
  { roles }: CachedAccess,
): SignedInUser {
  const { type = '', grants = NO_GRANTS } = roles.get(role ?? '') ?? {}
  const user = { kind: 'user', id, documentId, role: type, session, signedInAt, grants } as const
  return store === undefined ? user : { ...user, store }
}

function hasExpired({ expiresAt }: KnownToken, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}
