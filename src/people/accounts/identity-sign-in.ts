import { ApplicationError, ConflictError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import {
  type AccountsContext,
  assertMayEnter,
  assertUnused,
  authenticatedRole,
  deviceOf,
  type SignedIn,
  signInUser,
} from './accounts.ts'
import { becomeAccount } from './anonymous-sign-in.ts'
import { lockIdentifiers } from './identifiers.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { isTakenAccount } from './user-attributes.ts'
import { findUser, patchUser, type User } from './users.ts'
import type { ProvenIdentity } from '../identities/id-tokens.ts'
import {
  findIdentity,
  listIdentities,
  lockIdentitiesOf,
  lockIdentity,
  putIdentity,
  removeIdentity,
} from '../identities/identity-rows.ts'
import {
  insertPrepared,
  type NewUserRequest,
  type PreparedUser,
  prepareUser,
  dropCredentials,
  freeUsername,
} from './new-user.ts'

export interface IdentityRequest extends NewUserRequest {
  /** Suggested username of a new user. Apple gives the name to the app only. */
  readonly name: string | null
  /** The documentId of an anonymous caller. */
  readonly anonymous?: string | null
  /** Moves the content of an anonymous caller to the account of the identity. */
  readonly merge?: boolean
}

export async function enterByIdentity(
  context: AccountsContext,
  identity: ProvenIdentity,
  request: IdentityRequest,
): Promise<SignedIn> {
  const deviceId = deviceOf(context, request.body)
  const { anonymous = null } = request
  const user =
    anonymous === null
      ? await userByIdentity(context, identity, request)
      : await userOfAnonymous(context, identity, { ...request, anonymous })
  return signInUser(context, user, deviceId)
}

/** Finds, links or creates the user (docs/sign-in.md). @throws ConflictError, ApplicationError, ValidationError */
export async function userByIdentity(
  context: AccountsContext,
  identity: ProvenIdentity,
  request: IdentityRequest,
): Promise<User> {
  const known = await userOfIdentity(context, identity)
  const user = known ?? (await firstSignIn(context, identity, request))
  if (known === null && !user.confirmed) context.behind(mailConfirmation(context, user))
  assertMayEnter(context, user)
  context.behind(context.notes.signedIn(user.documentId))
  return user
}

type AnonymousRequest = IdentityRequest & { readonly anonymous: string }

/** A new identity makes an account of the anonymous user. @throws ConflictError `identity_in_use` */
async function userOfAnonymous(
  context: AccountsContext,
  identity: ProvenIdentity,
  request: AnonymousRequest,
): Promise<User> {
  const known = await userOfIdentity(context, identity)
  if (known !== null && request.merge !== true) throw identityInUse()
  if (known !== null) assertMayEnter(context, known)
  const user =
    known === null
      ? await upgradeAnonymous(context, identity, request)
      : await mergeAnonymous(context, request.anonymous, known)
  await context.sessions?.endOf(request.anonymous, null)
  if (known === null && !user.confirmed) context.behind(mailConfirmation(context, user))
  assertMayEnter(context, user)
  context.behind(context.notes.signedIn(user.documentId))
  return user
}

async function upgradeAnonymous(
  context: AccountsContext,
  identity: ProvenIdentity,
  { anonymous, name }: AnonymousRequest,
): Promise<User> {
  const email = emailOf(identity)
  const username = await freeUsername(context, name ?? identity.name ?? email, email)
  const confirmed = identity.isEmailVerified || !context.emailConfirmation
  const role = await authenticatedRole(context)
  const changes = { email, username, provider: identity.provider, confirmed, role }
  return context.db.transact(async (session) => {
    await lockIdentity(context.db, identity, session)
    if ((await userOfIdentity(context, identity, session)) !== null) throw identityInUse()
    await lockIdentifiers(context.db, [email, username], session)
    if ((await findUser(context, { email: { $eq: email } }, session)) !== null) throw emailInUse()
    await assertUnused(context, email, username, session)
    const user = await becomeAccount(context, anonymous, changes, session)
    await putIdentity(context.db, identity, anonymous, { at: context.now(), session })
    return user
  })
}

/** The anonymous user is blocked until its content has moved. */
async function mergeAnonymous(
  context: AccountsContext,
  anonymous: string,
  account: User,
): Promise<User> {
  await context.db.transact(async (session) => {
    await becomeAccount(context, anonymous, { blocked: true }, session)
    await context.deletedUsers.enqueueMove(anonymous, account.documentId, session)
  })
  return account
}

async function userOfIdentity(
  context: AccountsContext,
  identity: ProvenIdentity,
  session?: Session,
): Promise<User | null> {
  const row = await findIdentity(context.db, identity, session)
  if (row === null) return null
  const user = await findUser(context, { documentId: row.user }, session)
  if (session !== undefined) return user
  // The owner of the address may have taken over the account between the two reads.
  const again = await findIdentity(context.db, identity)
  return again?.user === row.user ? user : null
}

async function firstSignIn(
  context: AccountsContext,
  identity: ProvenIdentity,
  { body, writer, name }: IdentityRequest,
): Promise<User> {
  const email = emailOf(identity)
  const proof = {
    email,
    username: name ?? identity.name ?? email,
    provider: identity.provider,
    confirmed: identity.isEmailVerified || !context.emailConfirmation,
  }
  const made = await prepareUser(context, proof, { body, writer })
  try {
    return await context.db.transact((session) => findOrCreate(context, identity, made, session))
  } catch (error) {
    if (isTakenAccount(error)) throw emailInUse() // another request has taken the name since the check
    throw error
  }
}

async function findOrCreate(
  context: AccountsContext,
  identity: ProvenIdentity,
  made: PreparedUser,
  session: Session,
): Promise<User> {
  await lockIdentity(context.db, identity, session)
  const known = await userOfIdentity(context, identity, session)
  if (known !== null) return known
  await lockIdentifiers(context.db, [made.values.email, made.values.username], session)
  const owner = await findUser(context, { email: { $eq: made.values.email } }, session)
  const user =
    owner === null
      ? await insertPrepared(context, made, session)
      : await takeOver(context, identity, owner, session)
  await putIdentity(context.db, identity, user.documentId, { at: context.now(), session })
  return user
}

/** Removes all credentials of an unconfirmed account, because somebody else may have registered it. */
async function takeOver(
  context: AccountsContext,
  identity: ProvenIdentity,
  owner: User,
  session: Session,
): Promise<User> {
  if (!identity.isEmailVerified) throw emailInUse()
  if (context.emailConfirmation && !owner.confirmed) {
    const changes = await dropCredentials(context, owner, session)
    return patchUser(context, owner, { ...changes, provider: identity.provider }, session)
  }
  if (!context.linkByEmail) throw emailInUse()
  return owner
}

/** @throws ConflictError `identity_in_use` if another user has it */
export async function linkIdentity(
  context: AccountsContext,
  identity: ProvenIdentity,
  documentId: string,
): Promise<void> {
  await context.db.transact(async (session) => {
    await lockIdentity(context.db, identity, session)
    const known = await userOfIdentity(context, identity, session)
    if (known?.documentId === documentId) return
    if (known !== null) throw identityInUse()
    await putIdentity(context.db, identity, documentId, { at: context.now(), session })
  })
}

/** @throws ApplicationError if the user could no longer sign in */
export async function unlinkIdentity(
  { db, plan }: Pick<AccountsContext, 'db' | 'plan'>,
  documentId: string,
  id: string,
): Promise<boolean> {
  return db.transact(async (session) => {
    await lockIdentitiesOf(db, documentId, session)
    const all = await listIdentities(db, documentId, session)
    if (!all.some(({ _id }) => _id === id)) return false
    const user = await findUser({ db, plan }, { documentId }, session)
    if (all.length === 1 && user?.password === '') {
      throw new ApplicationError(
        'The account has no password and no other identity: set a password first',
      )
    }
    return removeIdentity(db, documentId, id, session)
  })
}

function emailOf({ email }: ProvenIdentity): string {
  if (email !== null) return email
  throw new ApplicationError('The provider gives no email address', {}, { code: 'email_missing' })
}

function emailInUse(): ConflictError {
  return new ConflictError(
    'An account with this address exists: sign in there, then link this identity',
    {},
    { code: 'email_in_use' },
  )
}

function identityInUse(): ConflictError {
  return new ConflictError('Another account uses this identity', {}, { code: 'identity_in_use' })
}
