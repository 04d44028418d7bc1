import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { signInByIdentity } from '../../people/administrators/oidc-sign-in.ts'
import type { IdentityProvider } from '../../people/administrators/oidc/identity-provider.ts'
import type { Attempt } from '../../people/sign-in/oidc-client.ts'
import { CmsError, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { AdminCookie } from '../admin-cookie/admin-cookie.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import { limitRate } from '../middleware/limit-rate.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface OidcDependencies {
  readonly administrators: AdministratorsContext
  readonly cookie: AdminCookie
  readonly inFlight: Middleware
  readonly limits: RateLimits | null
  readonly log: Pick<Log, 'warn'>
}

const PURPOSE = 'oidc'
/** The cookie of an attempt: `<state>.<nonce>.<verifier>`. None of them contains a dot. */
const ATTEMPT = 'quire_oidc'
const ATTEMPT_SECONDS = 300

export function oidcRoutes(dependencies: OidcDependencies): GuardedRouter {
  const { administrators, limits, inFlight } = dependencies
  const router = guardedRouter('/admin/oidc', { sensitive: true })
  const limit = limitRate(limits, '/admin/oidc', { accountOf: () => null })
  const step = (go: (ctx: Context, provider: IdentityProvider) => Promise<void>) =>
    everyone(async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      const provider = administrators.identityProvider
      if (provider === null) throw new NotFoundError('There is no sign-in by OpenID Connect here')
      await orShown(ctx, dependencies, () => go(ctx, provider))
    })
  router.get(
    '/',
    inFlight,
    limit,
    step((ctx, provider) => leave(ctx, dependencies, provider)),
  )
  router.get(
    '/callback',
    inFlight,
    limit,
    step((ctx, provider) => comeBack(ctx, dependencies, provider)),
  )
  return router
}

async function leave(
  ctx: Context,
  { administrators, cookie }: OidcDependencies,
  provider: IdentityProvider,
): Promise<void> {
  const state = Buffer.from(administrators.challenges.make(PURPOSE)).toString('base64url')
  const { url, nonce, verifier } = await provider.begin(state)
  cookie.lend(ctx, ATTEMPT, `${state}.${nonce}.${verifier}`, ATTEMPT_SECONDS)
  ctx.redirect(url.href)
}

async function comeBack(
  ctx: Context,
  { administrators, cookie }: OidcDependencies,
  provider: IdentityProvider,
): Promise<void> {
  const { state, ...attempt } = attemptOf(cookie.borrowed(ctx, ATTEMPT))
  cookie.lend(ctx, ATTEMPT, '', 0)
  const { challenges, sessions } = administrators
  if (!challenges.isGood(PURPOSE, state) || !(await challenges.use(state))) {
    throw new Error('the attempt is too old, or was made elsewhere')
  }
  const identity = await provider.finish(ctx.querystring, state, attempt)
  const device = { address: ctx.ip, userAgent: ctx.get('User-Agent') }
  const entered = await signInByIdentity(administrators, identity, device)
  const before = cookie.read(ctx)
  if (before !== null) await sessions.endByToken(before)
  cookie.set(ctx, entered)
  ctx.redirect('/studio')
}

function attemptOf(kept: string | null): Attempt & { readonly state: string } {
  const [state = '', nonce = '', verifier = ''] = (kept ?? '').split('.')
  return { state, nonce, verifier }
}

async function orShown(
  ctx: Context,
  { log }: OidcDependencies,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CmsError && !(error instanceof ForbiddenError)) throw error
    log.warn({ err: error, requestId: ctx.state.requestId }, 'Sign-in by OpenID Connect failed')
    const problem = error instanceof ForbiddenError ? 'refused' : 'failed'
    ctx.redirect(`/studio/sign-in?problem=${problem}`)
  }
}
