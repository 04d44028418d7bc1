import type { Document } from 'mongodb'
import { UnauthorizedError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { asCmsErrors } from '../../mongo/connection/database-error.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import { type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { patchVersion } from '../../mongo/write/write-versions.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DeviceAccount } from '../sign-in/known-devices.ts'
import type { EndUsers, IdentifiedUser } from '../access/end-users.ts'
import type { Sessions } from './sessions.ts'
import type { UserTokens } from './user-tokens.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { optionsOf, inSession } from '../../mongo/connection/commands.ts'

export const USER = 'plugin::users-permissions.user'
export const ROLE = 'plugin::users-permissions.role'

export interface UserValues {
  readonly username: string
  /** In lower case. */
  readonly email: string
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
  const options = optionsOf(db, session)
  const found = await inSession(session, () =>
    versionsOf(db, plan).findOne({ ...KEY, ...condition }, options),
  )
  return found as User | null // only this module writes these versions
}

/**
 * By address (case-insensitive) or username. A username that equals another user's address does not
 * take precedence. Both lookups always run, so that the response time reveals no match.
 */
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
  edit: (stored: User) => Partial<UserValues>,
  guard?: UserGuard,
): Promise<User | null> {
  return db.transact(async (session) => {
    await guard?.(session)
    const stored = await findUser({ db, plan }, { documentId }, session)
    if (stored === null) return null
    const at = now()
    const changes = { ...edit(stored), updatedAt: at, publishedAt: at }
    const target = { documentId, key: KEY }
    return (await patchVersion(db, plan, target, changes, session)) as User | null
  })
}

/** Has no effect if the password has changed. Keeps `updatedAt` and the revision. */
export async function replaceHash(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  { documentId, password }: User,
  hash: string,
): Promise<void> {
  const asBefore = { _id: versionId(documentId, KEY), password }
  await asCmsErrors(() =>
    versionsOf(db, plan).updateOne(asBefore, { $set: { password: hash } }, optionsOf(db)),
  )
}

export async function removeUser({ db, plan }: UsersContext, user: User): Promise<void> {
  await db.transact((session) => deleteVersions(db, plan, user.documentId, 'all', session))
}

/** `role` is a documentId. */
export function countUsersOf(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  role: string,
  session?: Session,
): Promise<number> {
  return inSession(session, () =>
    versionsOf(db, plan).countDocuments({ ...KEY, role }, optionsOf(db, session)),
  )
}

export interface IdentifyContext extends UsersContext {
  readonly tokens: Pick<UserTokens, 'verify'>
  readonly sessions: Pick<Sessions, 'isLive'> | null
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

/**
 * Blocking, deletion and a new password take effect immediately, because every request runs this
 * lookup.
 */
async function identifyUser(context: IdentifyContext, token: string): Promise<IdentifiedUser> {
  const { id, issuedAt, session } = await context.tokens.verify(token)
  const user = await findUser(context, { id })
  if (user === null || user.blocked || issuedAt < user.tokensFrom) throw unknownUser()
  if (!(await isInSession(context, session, user))) throw unknownUser()
  return { id, documentId: user.documentId, role: user.role, session }
}

/** If sessions are enabled or disabled, existing tokens become invalid. */
async function isInSession(
  { sessions }: IdentifyContext,
  session: string | null,
  { documentId }: User,
): Promise<boolean> {
  if (sessions === null || session === null) return sessions === null && session === null
  return sessions.isLive(session, documentId)
}

function unknownUser(): UnauthorizedError {
  return new UnauthorizedError('Invalid credentials')
}
