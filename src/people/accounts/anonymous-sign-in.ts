import { NotFoundError, UnauthorizedError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { ANONYMOUS_ROLE, roleDocumentId } from '../access/role-rows.ts'
import { type AccountsContext, deviceOf, revokedTokens, type SignedIn } from './accounts.ts'
import type { AnonymousUsers } from './anonymous-users.ts'
import type { UserAttributes } from './user-attributes.ts'
import {
  ANONYMOUS_PROVIDER,
  findUser,
  patchUser,
  type User,
  type UserReference,
  type UsersContext,
  type UserValues,
} from './users.ts'

/** Signs in a new user that is not stored yet. @throws NotFoundError if it is off, RateLimitError */
export async function signInAnonymously(
  context: AccountsContext,
  body: unknown,
  network: string,
): Promise<SignedIn> {
  const { anonymous, ids, plan, tokens, sessions } = context
  if (anonymous === null) throw new NotFoundError('Not Found')
  const deviceId = deviceOf(context, body)
  await anonymous.admit(network)
  const [id = 0] = await ids.take(plan.collectionName, 1)
  const documentId = newDocumentId()
  const user = unstoredUser(context, { id, documentId })
  if (sessions === null) {
    return { jwt: await tokens.sign(user, undefined, documentId), refreshToken: null, user }
  }
  const session = await sessions.start(user, deviceId, id)
  const jwt = await tokens.sign(user, session.id, documentId)
  return { jwt, refreshToken: session.refreshToken, user }
}

/** As the user will be stored. */
export function unstoredUser(
  { now }: Pick<UsersContext, 'now'>,
  { id, documentId }: UserReference,
): User {
  const at = now()
  const version = { id, documentId, locale: NO_LOCALE, status: 'published' as const }
  const times = { createdAt: at, updatedAt: at, publishedAt: at }
  return { ...version, ...times, ...anonymousValues(documentId) }
}

function anonymousValues(documentId: string): UserValues {
  return {
    username: `anonymous-${documentId}`,
    email: null,
    provider: ANONYMOUS_PROVIDER,
    password: '',
    confirmed: true,
    blocked: false,
    role: roleDocumentId(ANONYMOUS_ROLE),
    tokensFrom: 0,
    resetPasswordToken: null,
    resetPasswordExpiresAt: null,
    confirmationToken: null,
  }
}

export interface AnonymousStore extends Pick<UsersContext, 'db'> {
  readonly anonymous: AnonymousUsers | null
  readonly attributes: Pick<UserAttributes, 'checkAnonymous'>
}

/** Has no effect if the user is stored already. @throws RateLimitError, UnauthorizedError */
export async function storeAnonymousUser(
  { db, anonymous, attributes }: AnonymousStore,
  user: UserReference,
): Promise<void> {
  if (anonymous === null) throw new UnauthorizedError('Invalid credentials')
  const insert = await attributes.checkAnonymous(user)
  await db.transact(async (session) => {
    const isNew = await anonymous.add(user.documentId, session)
    if (isNew) await insert(anonymousValues(user.documentId), session)
  })
}

/** The user is no longer anonymous. All its tokens become invalid. @throws UnauthorizedError */
export async function becomeAccount(
  context: AccountsContext,
  documentId: string,
  values: Partial<UserValues>,
  session: Session,
): Promise<User> {
  const stored = await findUser(context, { documentId }, session)
  if (stored === null || stored.provider !== ANONYMOUS_PROVIDER || stored.blocked) {
    throw new UnauthorizedError('Invalid credentials')
  }
  await context.anonymous?.end([documentId], session)
  return patchUser(context, stored, { ...values, ...revokedTokens(context, stored) }, session)
}
