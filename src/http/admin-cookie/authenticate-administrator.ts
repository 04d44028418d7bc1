import type { Access } from '../../people/access/access.ts'
import type { AdministratorPrincipal, Principal } from '../../people/access/principal.ts'
import { secondFactorRequired } from '../../people/administrators/second-factor.ts'
import { crossSite, isOwnPage } from './own-origin.ts'
import { actAs } from '../middleware/act-as.ts'
import type { AdminCookie } from './admin-cookie.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface AdministratorAuthentication {
  readonly access: Pick<Access, 'principalOf'>
  readonly principalOfSession: (token: string) => Promise<AdministratorPrincipal | null>
  readonly cookie: AdminCookie
  /** For the routes that add the first second factor. */
  readonly acceptsMissingFactor: boolean
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Responses contain secrets: never cache them. @throws UnauthorizedError, ForbiddenError for a cross-site request */
export function authenticateAdministrator({
  access,
  principalOfSession,
  cookie,
  acceptsMissingFactor,
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
      if (signedIn?.lacksSecondFactor === true && !acceptsMissingFactor)
        throw secondFactorRequired()
      return signedIn ?? (await access.principalOf(authorization))
    }
    await actAs(ctx, identify, next)
  }
}

/** A write must prove that it has the same origin. A read is rejected only if it has another origin. */
function assertNotForged(ctx: Context, publicUrl: string): void {
  if (!SAFE_METHODS.has(ctx.method)) {
    if (isOwnPage(ctx, publicUrl) !== true) throw crossSite()
    return
  }
  const site = ctx.get('Sec-Fetch-Site')
  const isTyped = site === 'none' // typed into the address bar
  if (!isTyped && isOwnPage(ctx, publicUrl) === false) throw crossSite()
}
