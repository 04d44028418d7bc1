import { NotFoundError } from '../../base/errors.ts'
import { type AccountsContext, mayEnter, type SignedIn } from './accounts.ts'
import { invalidRefreshToken, type UserSession } from './sessions.ts'
import { unstoredUser } from './anonymous-sign-in.ts'
import { ANONYMOUS_PROVIDER, findUser } from './users.ts'

/** @throws UnauthorizedError if the user was blocked or has a new password, NotFoundError without sessions. */
export async function refreshSignIn(
  context: AccountsContext,
  refreshToken: string,
): Promise<SignedIn> {
  const { sessions } = context
  if (sessions === null) throw new NotFoundError('Not Found')
  const session = await sessions.refresh(refreshToken)
  const user = await findUser(context, { documentId: session.user })
  if (user === null && session.anonymousId !== null) {
    return refreshUnstored(context, session, session.anonymousId)
  }
  if (user === null || !mayEnter(context, user) || session.issuedAt < user.tokensFrom) {
    await sessions.end(session.id)
    throw invalidRefreshToken()
  }
  const isAnonymous = user.provider === ANONYMOUS_PROVIDER
  const anonymous = isAnonymous ? user.documentId : undefined
  const jwt = await context.tokens.sign(user, session.id, anonymous)
  return { jwt, refreshToken: session.refreshToken, user }
}

async function refreshUnstored(
  context: AccountsContext,
  session: UserSession,
  id: number,
): Promise<SignedIn> {
  const documentId = session.user
  if ((await context.anonymous?.stateOf(documentId)) !== 'unused') {
    await context.sessions?.end(session.id)
    throw invalidRefreshToken()
  }
  const user = unstoredUser(context, { id, documentId })
  const jwt = await context.tokens.sign(user, session.id, documentId)
  return { jwt, refreshToken: session.refreshToken, user }
}
