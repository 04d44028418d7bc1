import type { Document } from 'mongodb'
import { UnauthorizedError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import { asVersion, type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { patchVersion } from '../../mongo/write/write-versions.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DeviceAccount } from '../sign-in/known-devices.ts'
import type { EndUsers, IdentifiedUser } from '../access/end-users.ts'
import { removeIdentities } from '../identities/identity-rows.ts'
import { ANONYMOUS_ROLE, roleDocumentId } from '../access/role-rows.ts'
import type { AnonymousUsers } from './anonymous-users.ts'
import type { Sessions } from './sessions.ts'
import type { UserClaims, UserTokens } from './user-tokens.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export const USER = 'plugin::users-permissions.user'
export const ROLE = 'plugin::users-permissions.role'

export interface UserValues {
  readonly username: string
  /** In lower case. Null for anonymous users. */
  readonly email: string | null
  readonly provider: string
  readonly password: string
  readonly confirmed: boolean
  readonly blocked: boolean
  /** documentId */
  readonly role: string | null
  /** In seconds since 1970. Tokens issued earlier are rejected. */
  readonly tokensFrom: number
  /** `credentialHash` of the code. */
  readonly resetPasswordToken: string | null
  readonly resetPasswordExpiresAt: Date | null
  /** `credentialHash` of the code in the link. */
  readonly confirmationToken: string | null
}

/** The values of a user with an address. */
export type AddressedValues = UserValues & { readonly email: string }

export type User = StoredVersion & UserValues

export interface UsersContext {
  readonly db: Database
  readonly plan: ContentTypePlan
  readonly ids: IdAllocator
  readonly now: () => Date
}

/** End users are versions of a content-type, so that content can relate to them. */
const KEY = { locale: NO_LOCALE, status: 'published' } as const

export async function findUser(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  condition: Document,
  session?: Session,
): Promise<User | null> {
  const options = { session }
  const found = await versionsOf(db, plan).findOne({ ...KEY, ...condition }, options)
  return found === null ? null : (asVersion(plan, found) as User) // only this module writes these versions
}

/** An address takes precedence. Both lookups always run, so that the response time reveals no match. */
export async function findUserByIdentifier(
  context: UsersContext,
  identifier: string,
): Promise<User | null> {
  const [byEmail, byUsername] = await Promise.all([
    findUser(context, { email: { $eq: identifier.toLowerCase() } }),
    findUser(context, { username: { $eq: identifier } }),
  ])
  return byEmail ?? byUsername
}

export async function findDeviceAccount(
  context: Pick<UsersContext, 'db' | 'plan'>,
  documentId: string,
): Promise<DeviceAccount | null> {
  const user = await findUser(context, { documentId: { $eq: documentId } })
  return user === null ? null : toDeviceAccount(user)
}

/** The password hash is the epoch. `tokensFrom` is unsuitable, because a sign-out changes it. */
export function toDeviceAccount({ documentId, password }: User): DeviceAccount {
  return { id: documentId, epoch: password }
}

/** Its locks are held until the transaction ends. */
export type UserGuard = (session: Session) => Promise<void>

export type InsertUser = (values: UserValues, session: Session) => Promise<StoredVersion>

/** @throws ValidationError for a duplicate unique value, errors of `guard` and `insert`. */
export function insertUser(
  { db }: Pick<UsersContext, 'db'>,
  values: UserValues,
  guard: UserGuard,
  insert: InsertUser,
): Promise<User> {
  return db.transact(async (session) => {
    await guard(session)
    return (await insert(values, session)) as User
  })
}

/** `edit` may run more than once. Returns null if the user does not exist. */
export function changeUser(
  { db, plan, now }: UsersContext,
  { documentId }: Pick<User, 'documentId'>,
  edit: (stored: User, session: Session) => Partial<UserValues> | Promise<Partial<UserValues>>,
  guard?: UserGuard,
): Promise<User | null> {
  return db.transact(async (session) => {
    await guard?.(session)
    const stored = await findUser({ db, plan }, { documentId }, session)
    if (stored === null) return null
    return patchUser({ db, plan, now }, stored, await edit(stored, session), session)
  })
}

export async function patchUser(
  { db, plan, now }: Pick<UsersContext, 'db' | 'plan' | 'now'>,
  { documentId }: Pick<User, 'documentId'>,
  changes: Partial<UserValues>,
  session: Session,
): Promise<User> {
  const at = now()
  const target = { documentId, key: KEY }
  const stored = { ...changes, updatedAt: at, publishedAt: at }
  return (await patchVersion(db, plan, target, stored, session)) as User
}

/** Has no effect if the password has changed. Keeps `updatedAt` and the revision. */
export async function replaceHash(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  { documentId, password }: User,
  hash: string,
): Promise<void> {
  const asBefore = { _id: versionId(documentId, KEY), password }
  await versionsOf(db, plan).updateOne(asBefore, { $set: { password: hash } })
}

/** Removes the user and all identities. Without its row, all tokens of the user are invalid. */
export async function removeUserRow(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  documentId: string,
  session: Session,
): Promise<boolean> {
  const deleted = await deleteVersions(db, plan, documentId, 'all', session)
  await removeIdentities(db, documentId, session)
  return deleted > 0
}

export function countUsersOf(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  role: string,
  session?: Session,
): Promise<number> {
  return versionsOf(db, plan).countDocuments({ ...KEY, role }, { session })
}

export type UserReference = Pick<User, 'id' | 'documentId'>

export const ANONYMOUS_PROVIDER = 'anonymous'

export interface IdentifyContext extends UsersContext {
  /** Null if anonymous users are off. */
  readonly anonymous: Pick<AnonymousUsers, 'stateOf' | 'noteActivity'> | null
  readonly storeAnonymous: (user: UserReference) => Promise<void>
  readonly tokens: Pick<UserTokens, 'verify'>
  readonly sessions: Pick<Sessions, 'startOf'> | null
}

export function openEndUsers(context: IdentifyContext): EndUsers {
  return {
    identify: (token) => identifyUser(context, token),
    find: async (documentId) => {
      const user = await findUser(context, { documentId })
      return user === null || user.blocked ? null : user
    },
    countOf: (role, session) => countUsersOf(context, role, session),
  }
}

/** Blocking, deletion and a new password take effect immediately, because every request runs this lookup. */
async function identifyUser(context: IdentifyContext, token: string): Promise<IdentifiedUser> {
  const claims = await context.tokens.verify(token)
  const { id, issuedAt, session, anonymous } = claims
  const user = await findUser(context, { id })
  if (user === null && anonymous !== null) return identifyAnonymous(context, claims, anonymous)
  if (user === null || user.blocked || issuedAt < user.tokensFrom) throw unknownUser()
  if (user.provider === ANONYMOUS_PROVIDER) {
    await context.anonymous?.noteActivity(user.documentId)
  }
  const signedInAt = await signInOf(context, { issuedAt, session }, user)
  if (signedInAt === null) throw unknownUser()
  return { id, documentId: user.documentId, role: user.role, session, signedInAt }
}

/** The user was not stored when it was looked up. */
async function identifyAnonymous(
  context: IdentifyContext,
  claims: UserClaims,
  documentId: string,
): Promise<IdentifiedUser> {
  const state = await context.anonymous?.stateOf(documentId)
  if (state === 'unused') return identifyUnstored(context, claims, documentId)
  // Another request has stored the user since then.
  const user = state === 'stored' ? await findUser(context, { documentId }) : null
  if (user === null || user.blocked || claims.issuedAt < user.tokensFrom) throw unknownUser()
  const signedInAt = await signInOf(context, claims, user)
  if (signedInAt === null) throw unknownUser()
  const { id, role } = user
  return { id, documentId, role, session: claims.session, signedInAt }
}

/** The token names the ids that the user will get. A deleted user has the same ids, but is noted as ended. */
async function identifyUnstored(
  context: IdentifyContext,
  { id, issuedAt, session }: UserClaims,
  documentId: string,
): Promise<IdentifiedUser> {
  const signedInAt = await signInOf(context, { issuedAt, session }, { documentId })
  if (signedInAt === null) throw unknownUser()
  const store = (): Promise<void> => context.storeAnonymous({ id, documentId })
  const role = roleDocumentId(ANONYMOUS_ROLE)
  return { id, documentId, role, session, signedInAt, store }
}

/** In seconds since 1970. If sessions are enabled or disabled, existing tokens become invalid. */
async function signInOf(
  { sessions }: IdentifyContext,
  { issuedAt, session }: Pick<UserClaims, 'issuedAt' | 'session'>,
  { documentId }: Pick<User, 'documentId'>,
): Promise<number | null> {
  if (sessions === null || session === null) return sessions === session ? issuedAt : null
  return sessions.startOf(session, documentId)
}

function unknownUser(): UnauthorizedError {
  return new UnauthorizedError('Invalid credentials')
}
