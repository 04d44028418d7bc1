import { UnauthorizedError } from '../../base/errors.ts'
import { ANONYMOUS_ROLE } from '../../people/access/role-rows.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { AccountsContext, SignedIn } from '../../people/accounts/accounts.ts'
import { toDeviceAccount } from '../../people/accounts/users.ts'
import type { DeviceCookie } from '../cookies/device-cookie.ts'
import { isInCookie, type RefreshCookie, setRefreshCookie } from '../cookies/refresh-cookie.ts'
import type { Context } from '../router/state.ts'
import { showUser, type UserReading } from './show-user.ts'

export interface SignInAnswering extends UserReading {
  readonly accounts: AccountsContext
  readonly deviceCookie: DeviceCookie
  readonly cookie: RefreshCookie | null
}

export async function answerSignedIn(
  ctx: Context,
  dependencies: SignInAnswering,
  { jwt, refreshToken, user }: SignedIn,
): Promise<void> {
  const shown = await showUser(ctx, dependencies, user)
  const handedOver = handOver(ctx, dependencies.cookie, refreshToken)
  if (jwt !== null) {
    const { accounts, deviceCookie } = dependencies
    deviceCookie.set(ctx, accounts.knownDevices.make(toDeviceAccount(user)))
  }
  ctx.body = { ...(jwt !== null && { jwt }), ...handedOver, user: shown }
}

export function handOver(
  ctx: Context,
  cookie: RefreshCookie | null,
  refreshToken: string | null,
): { readonly refreshToken?: string } {
  if (refreshToken === null) return {}
  if (cookie === null || !isInCookie(ctx, cookie)) return { refreshToken }
  setRefreshCookie(ctx, cookie, refreshToken)
  return {}
}

export function signedInUserOf({ state: { principal } }: Context): string {
  const documentId = endUserOf(principal)
  if (documentId === null) throw new UnauthorizedError('Unauthorized')
  return documentId
}

/** The documentId of an anonymous caller, which is stored if it was not. Null for all others. */
export async function anonymousOf(
  { state: { principal } }: Context,
  { accounts }: Pick<SignInAnswering, 'accounts'>,
): Promise<string | null> {
  if (principal.kind !== 'user' || accounts.anonymous === null) return null
  if (principal.role !== ANONYMOUS_ROLE) return null
  await principal.store?.()
  return principal.documentId
}

export function endUserOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.documentId : null
}
