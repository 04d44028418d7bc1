import { ForbiddenError, UnauthorizedError } from '../../base/errors.ts'
import type { AccountsContext } from './accounts.ts'
import { toSeconds } from './user-tokens.ts'
import { findUser, removeUserRow, type User, type UsersContext } from './users.ts'

export type UserRemoval = Pick<UsersContext, 'db' | 'plan'> &
  Pick<AccountsContext, 'sessions' | 'deletedUsers' | 'anonymous'>

export interface OwnAccount {
  readonly documentId: string
  /** In seconds since 1970. */
  readonly signedInAt: number
  /** Set for an anonymous user that is not stored. */
  readonly store?: () => Promise<void>
}

/** Otherwise somebody with a stolen token or an unlocked device could delete the account. */
const RECENT_SECONDS = 10 * 60

/** @throws ForbiddenError `recent_sign_in_required` */
export async function deleteOwnAccount(
  context: UserRemoval & Pick<UsersContext, 'now'>,
  { documentId, signedInAt, store }: OwnAccount,
): Promise<void> {
  if (store !== undefined) return forgetUnstored(context, documentId)
  const user = await findUser(context, { documentId })
  if (user === null) throw new UnauthorizedError('Invalid credentials')
  if (toSeconds(context.now()) - signedInAt > RECENT_SECONDS) throw signInAgain()
  await removeUser(context, user)
}

async function forgetUnstored(
  { db, sessions, anonymous }: UserRemoval,
  documentId: string,
): Promise<void> {
  await sessions?.endOf(documentId, null)
  await db.transact(async (session) => anonymous?.endUnused(documentId, session))
}

/** Ends the sessions first, so that no request of the user begins during the deletion. */
export async function removeUser(
  { db, plan, sessions, deletedUsers, anonymous }: UserRemoval,
  { documentId }: Pick<User, 'documentId'>,
): Promise<void> {
  await sessions?.endOf(documentId, null)
  await db.transact(async (session) => {
    const isFirst = await removeUserRow({ db, plan }, documentId, session)
    await anonymous?.end([documentId], session)
    if (isFirst) await deletedUsers.enqueue([documentId], session)
  })
  await sessions?.endOf(documentId, null) // a sign-in may have begun one
}

function signInAgain(): ForbiddenError {
  return new ForbiddenError(
    'The sign-in is older than ten minutes: sign in again',
    {},
    { code: 'recent_sign_in_required' },
  )
}
