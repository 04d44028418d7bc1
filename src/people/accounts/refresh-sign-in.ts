import { NotFoundError } from '../../base/errors.ts'
import { type AccountsContext, mayEnter, type SignedIn } from './accounts.ts'
import { invalidRefreshToken } from './sessions.ts'
import { findUser } from './users.ts'

/**
 * The session ends if the user was deleted or blocked, or has changed the password since it began.
 * @throws UnauthorizedError, NotFoundError without sessions.
 */
export async function refreshSignIn(
  context: AccountsContext,
  refreshToken: string,
): Promise<SignedIn> {
  const { sessions } = context
  if (sessions === null) throw new NotFoundError('Not Found')
  const session = await sessions.refresh(refreshToken)
  const user = await findUser(context, { documentId: session.user })
  if (user === null || !mayEnter(context, user) || session.issuedAt < user.tokensFrom) {
    await sessions.end(session.id)
    throw invalidRefreshToken()
  }
  const jwt = await context.tokens.sign(user, session.id)
  return { jwt, refreshToken: session.refreshToken, user }
}
