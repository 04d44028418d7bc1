import { Router } from '@koa/router'
import { type AccountsContext, logIn, logOut, register, type SignedIn } from '../access/accounts.ts'
import { pluginAction, type PluginVerb } from '../access/actions.ts'
import { confirmEmail, sendConfirmation } from '../access/confirm-email.ts'
import { assertMay } from '../access/permissions.ts'
import type { RateLimits } from '../access/rate-limit.ts'
import { changePassword, forgotPassword, resetPassword } from '../access/recover-password.ts'
import { ApplicationError, NotFoundError, UnauthorizedError } from '../errors.ts'
import { limitRate } from './limit-rate.ts'
import { bodyOf, readQuery } from './read-request.ts'
import { showUser, type UserReading } from './show-user.ts'
import type { Context, Middleware, RequestState } from './state.ts'

export interface AuthRouteDependencies extends UserReading {
  readonly accounts: AccountsContext
  readonly authenticate: Middleware
  readonly readBody: Middleware
  /** Null: attempts are not counted. */
  readonly limits: RateLimits | null
  /** Where a browser goes once its user has confirmed an address; null: nowhere. */
  readonly confirmedUrl: string | null
}

type AuthVerb = PluginVerb<'plugin::users-permissions.auth'>
type Handler = (ctx: Context, dependencies: AuthRouteDependencies) => Promise<void>

/** `/api/auth`: how end users get in, and back in. */
export function authRoutes(dependencies: AuthRouteDependencies): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: '/api/auth' })
  const { authenticate, readBody, limits } = dependencies
  const handle = (verb: AuthVerb, handler: Handler): Middleware => {
    const action = pluginAction('plugin::users-permissions.auth', verb)
    return async (ctx) => {
      assertMay(ctx.state.principal, action)
      ctx.set('Cache-Control', 'no-store')
      await handler(ctx, dependencies)
    }
  }
  const post = (path: string, verb: AuthVerb, handler: Handler): void => {
    const limit = limitRate(limits, path)
    router.post(path, readBody, authenticate, limit, handle(verb, handler))
    router.get(path, notFound) // in the dialect there is no such page, rather than no such method
  }
  post('/local', 'callback', async (ctx, { accounts }) => {
    await answer(ctx, dependencies, await logIn(accounts, bodyOf(ctx)))
  })
  post('/local/register', 'register', async (ctx, { accounts }) => {
    await answer(ctx, dependencies, await register(accounts, bodyOf(ctx)))
  })
  post('/forgot-password', 'forgotPassword', async (ctx, { accounts }) => {
    await forgotPassword(accounts, bodyOf(ctx))
    ctx.body = { ok: true }
  })
  post('/reset-password', 'resetPassword', async (ctx, { accounts }) => {
    await answer(ctx, dependencies, await resetPassword(accounts, bodyOf(ctx)))
  })
  post('/change-password', 'changePassword', async (ctx, { accounts }) => {
    const documentId = userOf(ctx)
    await answer(ctx, dependencies, await changePassword(accounts, documentId, bodyOf(ctx)))
  })
  post('/send-email-confirmation', 'sendEmailConfirmation', async (ctx, { accounts }) => {
    ctx.body = { email: await sendConfirmation(accounts, bodyOf(ctx)), sent: true }
  })
  post('/logout', 'logout', async (ctx, { accounts }) => {
    await logOut(accounts, userOf(ctx))
    ctx.body = { ok: true }
  })
  const limitConfirmation = limitRate(limits, '/email-confirmation')
  const confirmation = handle('emailConfirmation', confirm)
  router.get('/email-confirmation', authenticate, limitConfirmation, confirmation)
  router.get('/:provider/callback', authenticate, handle('callback', refuseProvider))
  return router
}

/** `/api/connect/:provider`: there is none yet. */
export function connectRoutes(authenticate: Middleware): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: '/api/connect' })
  const action = pluginAction('plugin::users-permissions.auth', 'connect')
  router.get('/{*provider}', authenticate, async (ctx) => {
    assertMay(ctx.state.principal, action)
    await refuseProvider()
  })
  return router
}

async function confirm(
  ctx: Context,
  { accounts, confirmedUrl }: AuthRouteDependencies,
): Promise<void> {
  await confirmEmail(accounts, readQuery(ctx.querystring))
  if (confirmedUrl === null) ctx.status = 204
  else ctx.redirect(confirmedUrl)
}

async function answer(
  ctx: Context,
  dependencies: AuthRouteDependencies,
  { jwt, user }: SignedIn,
): Promise<void> {
  ctx.body = { jwt, user: await showUser(ctx, dependencies, user) }
}

/** @throws UnauthorizedError for whoever may do this, but is no end user. */
function userOf({ state: { principal } }: Context): string {
  if (principal.kind !== 'user') throw new UnauthorizedError('Unauthorized')
  return principal.documentId
}

function notFound(): never {
  throw new NotFoundError('Not Found')
}

function refuseProvider(): Promise<never> {
  return Promise.reject(new ApplicationError('This provider is disabled'))
}
