import type { Access } from '../../access/access.ts'
import type { AdministratorPrincipal, Principal } from '../../access/principal.ts'
import { crossSite, isOwnPage } from './own-origin.ts'
import { actAs } from '../middleware/act-as.ts'
import type { AdminCookie } from './admin-cookie.ts'
import type { Context, Middleware } from '../state.ts'

export interface AdministratorAuthentication {
  readonly access: Pick<Access, 'principalOf'>
  /** Null for a cookie without a valid session. */
  readonly principalOfSession: (token: string) => Promise<AdministratorPrincipal | null>
  readonly cookie: AdminCookie
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Sets the principal of a management request: by the `Authorization` header, or else by the cookie of a session. Answers
 * of the management API hold secrets: no cache may store them.
 * @throws UnauthorizedError for a bearer that is not known, ForbiddenError for a cookie that another site's page made a
 * browser send.
 */
export function authenticateAdministrator({
  access,
  principalOfSession,
  cookie,
}: AdministratorAuthentication): Middleware {
  return async (ctx, next) => {
    ctx.vary('Authorization')
    ctx.vary('Cookie')
    ctx.set('Cache-Control', 'no-store')
    const authorization = ctx.get('authorization')
    const token = authorization === '' ? cookie.read(ctx) : null
    if (token !== null) assertNotForged(ctx, cookie.publicUrl)
    const identify = async (): Promise<Principal> => {
      const signedIn = token === null ? null : await principalOfSession(token)
      return signedIn ?? (await access.principalOf(authorization))
    }
    await actAs(ctx, identify, next)
  }
}

/** What changes something must say where it comes from; what only reads must not come from elsewhere. */
function assertNotForged(ctx: Context, publicUrl: string): void {
  if (!SAFE_METHODS.has(ctx.method)) {
    if (isOwnPage(ctx, publicUrl) !== true) throw crossSite()
    return
  }
  const site = ctx.get('Sec-Fetch-Site')
  const isTyped = site === 'none' // into the address bar
  if (!isTyped && isOwnPage(ctx, publicUrl) === false) throw crossSite()
}
