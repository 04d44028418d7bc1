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
import type { DeviceAccount } from '../access/known-devices.ts'
import type { EndUsers, IdentifiedUser } from '../access/end-users.ts'
import type { Sessions } from './sessions.ts'
import type { UserTokens } from './user-tokens.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { optionsOf, inSession } from '../../mongo/connection/commands.ts'

export const USER = 'plugin::users-permissions.user'
export const ROLE = 'plugin::users-permissions.role'

/** What is stored of an end user beside what every version has. */
export interface UserValues {
  readonly username: string
  /** In lower case. */
  readonly email: string
  readonly provider: string
  /** A hash. */
  readonly password: string
  readonly confirmed: boolean
  readonly blocked: boolean
  /** The documentId of a role. */
  readonly role: string | null
  /** Tokens that were issued before this second are refused. */
  readonly tokensFrom: number
  /** `hashCredential` of the code, in hexadecimal. */
  readonly resetPasswordToken: string | null
  readonly resetPasswordExpiresAt: Date | null
  /** As the one above. */
  readonly confirmationToken: string | null
}

export type User = StoredVersion & UserValues

export interface UsersContext {
  readonly db: Database
  /** The plan of the content-type of users. */
  readonly plan: ContentTypePlan
  readonly ids: IdAllocator
  readonly now: () => Date
}

/** End users are versions of a content-type: so content relates to them as to any other document. */
const KEY = { locale: NO_LOCALE, status: 'published' } as const

/** One user that meets the condition, whole; null when there is none. */
export async function findUser(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  condition: Document,
  session?: Session,
): Promise<User | null> {
  const options = optionsOf(db, session)
  const found = await inSession(session, () =>
    versionsOf(db, plan).findOne({ ...KEY, ...condition }, options),
  )
  return found as User | null // written here alone
}

/**
 * By e-mail address in any case, or else by username: a username that equals another user's address
 * does not shadow it. Both are always looked for, so that the time does not reveal which was found.
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

/** The user of a known device; null for an unknown documentId. */
export async function findDeviceAccount(
  context: Pick<UsersContext, 'db' | 'plan'>,
  documentId: string,
): Promise<DeviceAccount | null> {
  const user = await findUser(context, { documentId: { $eq: documentId } })
  return user === null ? null : toDeviceAccount(user)
}

/** The hash of the password is the epoch, because `tokensFrom` changes with a sign-out, too. */
export function toDeviceAccount({ documentId, password }: User): DeviceAccount {
  return { id: documentId, epoch: password }
}

/** Looks, in the transaction that stores a user, whether it may: what it locks stays as it is until then. */
export type UserGuard = (session: Session) => Promise<void>

/** Stores a new user with the attributes that were checked. */
export type InsertUser = (values: UserValues, session: Session) => Promise<StoredVersion>

/** @throws ValidationError for a value that must be unique and is taken; what `guard` and `insert` throw. */
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

/**
 * Changes what `edit` answers of the user as it is stored, in a transaction: what `edit` has checked holds
 * when it is written. `edit` may run more than once. Null when there is no such user.
 */
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

/**
 * Stores another hash of the same password, unless it has changed meanwhile. Nothing that anybody sees
 * changes, so that times and revision stay.
 */
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

/** How many users have a role, by its documentId. */
export function countUsersOf(
  { db, plan }: Pick<UsersContext, 'db' | 'plan'>,
  role: string,
  session?: Session,
): Promise<number> {
  return inSession(session, () =>
    versionsOf(db, plan).countDocuments({ ...KEY, role }, optionsOf(db, session)),
  )
}

/** What a bearer is checked by; `sessions` is null where tokens stand by themselves. */
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
 * One look-up by an index, so that a user who is blocked or removed, or whose password has changed, is
 * refused at once and everywhere.
 */
async function identifyUser(context: IdentifyContext, token: string): Promise<IdentifiedUser> {
  const { id, issuedAt, session } = await context.tokens.verify(token)
  const user = await findUser(context, { id })
  if (user === null || user.blocked || issuedAt < user.tokensFrom) throw unknownUser()
  if (!(await isInSession(context, session, user))) throw unknownUser()
  return { id, documentId: user.documentId, role: user.role, session }
}

/** A token of one way of signing in is worth nothing in the other: a change of it signs everybody out. */
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
