import { logIn, logOut, type OwnSession } from '../../people/accounts/accounts.ts'
import { register } from '../../people/accounts/register.ts'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { confirmEmail, sendConfirmation } from '../../people/accounts/confirm-email.ts'
import { assertMay } from '../../people/access/permissions.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import {
  changeUserPassword,
  forgotPassword,
  resetUserPassword,
} from '../../people/accounts/recover-password.ts'
import { refreshSignIn } from '../../people/accounts/refresh-sign-in.ts'
import { signInAnonymously } from '../../people/accounts/anonymous-sign-in.ts'
import { networkOf } from '../router/network-of.ts'
import { showUser } from './show-user.ts'
import { findUserByIdentifier } from '../../people/accounts/users.ts'
import { NotFoundError, UnauthorizedError, ValidationError } from '../../base/errors.ts'
import {
  type GuardedRouter,
  guardedRouter,
  everyone,
  type Guarded,
  permitted,
} from '../router/guarded-router.ts'
import { accountIn, type RequestCount, limitRate } from '../middleware/limit-rate.ts'
import { bodyOf, parameterOf, payloadOf, readQuery } from '../body/read-request.ts'
import type { RedirectCookie } from '../cookies/redirect-cookie.ts'
import { isInCookie, refreshCookieOf, setRefreshCookie } from '../cookies/refresh-cookie.ts'
import { writerOf } from '../reads/query-rules.ts'
import { assertKnownBody, assertOnlyParameters } from '../reads/strict-request.ts'
import {
  anonymousOf,
  answerSignedIn,
  endUserOf,
  handOver,
  type SignInAnswering,
  signedInUserOf,
} from './answer-signed-in.ts'
import { addProviderRoutes } from './provider-routes.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface AuthRouteDependencies extends SignInAnswering {
  readonly authenticate: Middleware
  readonly readBody: Middleware
  readonly limits: RateLimits | null
  readonly confirmedUrl: string | null
  readonly redirectCookie: RedirectCookie
}

/** Higher than the default, because many users may share one address. Guessing refresh tokens is infeasible. */
const REFRESHES_PER_ADDRESS = 60

const BY_EMAIL: RequestCount = { accountOf: accountIn('email') }
const BY_ADDRESS: RequestCount = { accountOf: () => null }

type AuthVerb = PluginVerb<'plugin::users-permissions.auth'>
type Handler = (ctx: Context, dependencies: AuthRouteDependencies) => Promise<void>

const PARAMETERS: Partial<Record<AuthVerb, readonly string[]>> = {
  emailConfirmation: ['confirmation'],
}

/** Keys of bodies with `QUIRE_STRICT_QUERY=on`. A registration refuses unknown keys without it, too. */
const BODY_KEYS: Partial<Record<AuthVerb, readonly string[]>> = {
  callback: ['identifier', 'password', 'deviceId'],
  forgotPassword: ['email'],
  resetPassword: ['code', 'password', 'passwordConfirmation', 'deviceId'],
  changePassword: ['currentPassword', 'password', 'passwordConfirmation', 'deviceId'],
  sendEmailConfirmation: ['email'],
  logout: ['deviceId', 'scope'],
  refresh: ['refreshToken', 'deviceId'],
}

export function authRoutes(dependencies: AuthRouteDependencies): GuardedRouter {
  const router = guardedRouter('/api/auth')
  const { authenticate, readBody, limits } = dependencies
  const handle = (verb: AuthVerb, handler: Handler): Guarded =>
    permitted(pluginAction('plugin::users-permissions.auth', verb), async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      assertOnlyParameters(ctx, dependencies.api, PARAMETERS[verb])
      const keys = BODY_KEYS[verb]
      if (keys !== undefined) assertKnownBody(ctx, dependencies.api, keys)
      await handler(ctx, dependencies)
    })
  const post = (path: string, verb: AuthVerb, handler: Handler, counted: RequestCount): void => {
    // Forbidden attempts are counted, but their bodies are not read.
    const readPermitted: Middleware = async (ctx, next) => {
      assertMay(ctx.state.principal, pluginAction('plugin::users-permissions.auth', verb))
      await readBody(ctx, next)
    }
    const limit = limitRate(limits, path, counted, readPermitted)
    router.post(path, authenticate, limit, handle(verb, handler))
    // The reference responds to GET with 404 instead of 405.
    router.get(path, everyone(notFound))
  }
  post('/local', 'callback', enter, countOfLogin(dependencies))
  post('/local/register', 'register', signUp, BY_EMAIL)
  post('/forgot-password', 'forgotPassword', forgot, BY_EMAIL)
  post('/reset-password', 'resetPassword', reset, BY_ADDRESS)
  post('/change-password', 'changePassword', change, {
    accountOf: ({ state: { principal } }) => endUserOf(principal),
  })
  post('/send-email-confirmation', 'sendEmailConfirmation', mailConfirmation, BY_EMAIL)
  post('/logout', 'logout', signOut, BY_ADDRESS)
  const { sessions, anonymous } = dependencies.accounts
  if (anonymous !== null) post('/anonymous', 'register', enterAnonymously, BY_ADDRESS)
  if (sessions !== null) {
    post('/refresh', 'refresh', refresh, {
      perAddress: REFRESHES_PER_ADDRESS,
      accountOf: (ctx) => sessions.idOf(refreshTokenOf(ctx, dependencies) ?? ''),
    })
    router.get('/sessions', authenticate, handle('logout', listSessions))
    router.delete('/sessions/:id', authenticate, handle('logout', endSession))
  }
  const limitConfirmation = limitRate(limits, '/email-confirmation', BY_ADDRESS)
  const confirmation = handle('emailConfirmation', confirm)
  router.get('/email-confirmation', authenticate, limitConfirmation, confirmation)
  addProviderRoutes(router, post, dependencies)
  return router
}

function countOfLogin(dependencies: AuthRouteDependencies): RequestCount {
  return {
    accountOf: (ctx) => identifiedAccount(ctx, dependencies),
    deviceOf: async (ctx) => {
      const token = dependencies.deviceCookie.read(ctx)
      return token === null ? null : dependencies.accounts.knownDevices.find(token)
    },
  }
}

async function enter(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  await answerSignedIn(ctx, dependencies, await logIn(dependencies.accounts, payloadOf(ctx)))
}

async function enterAnonymously(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { accounts, cookie } = dependencies
  const network = networkOf(ctx.ip)
  const { jwt, refreshToken, user } = await signInAnonymously(accounts, payloadOf(ctx), network)
  const shown = await showUser(ctx, dependencies, user)
  ctx.body = { jwt, ...handOver(ctx, cookie, refreshToken), user: shown }
}

async function signUp(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { defaultCode: locale } = await dependencies.locales.current()
  const writer = writerOf(ctx, { locale })
  const anonymous = await anonymousOf(ctx, dependencies)
  await answerSignedIn(
    ctx,
    dependencies,
    await register(dependencies.accounts, payloadOf(ctx), { writer, anonymous }),
  )
}

// oxlint-disable-next-line typescript/require-await -- handlers fail by rejecting, and this one waits for no promise
async function forgot(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  forgotPassword(accounts, payloadOf(ctx))
  ctx.body = { ok: true }
}

async function reset(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  await answerSignedIn(
    ctx,
    dependencies,
    await resetUserPassword(dependencies.accounts, payloadOf(ctx)),
  )
}

async function mailConfirmation(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  ctx.body = { email: await sendConfirmation(accounts, payloadOf(ctx)), sent: true }
}

async function change(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  await answerSignedIn(
    ctx,
    dependencies,
    await changeUserPassword(accounts, signedInUserOf(ctx), payloadOf(ctx)),
  )
}

async function signOut(ctx: Context, { accounts, cookie }: AuthRouteDependencies): Promise<void> {
  const inCookie = cookie !== null && isInCookie(ctx, cookie)
  await logOut(accounts, sessionOf(ctx), payloadOf(ctx))
  if (inCookie) setRefreshCookie(ctx, cookie, null)
  ctx.body = { ok: true }
}

async function listSessions(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  const { documentId, session } = sessionOf(ctx)
  const all = (await accounts.sessions?.list(documentId)) ?? []
  ctx.body = { data: all.map((one) => ({ ...one, current: one.id === session })) }
}

async function endSession(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  const { documentId } = sessionOf(ctx)
  const ended = await accounts.sessions?.endOne(documentId, parameterOf(ctx, 'id'))
  if (ended !== true) throw new NotFoundError('There is no such session')
  ctx.status = 204
}

async function confirm(
  ctx: Context,
  { accounts, confirmedUrl }: AuthRouteDependencies,
): Promise<void> {
  await confirmEmail(accounts, readQuery(ctx.querystring))
  if (confirmedUrl === null) ctx.status = 204
  else ctx.redirect(confirmedUrl)
}

/** The token comes from the body or else from the cookie, as documented for the reference. */
async function refresh(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { accounts, cookie } = dependencies
  const given = refreshTokenOf(ctx, dependencies)
  if (given === null)
    throw new ValidationError('Missing refresh token', {}, { code: 'invalid_refresh_token' })
  try {
    const { jwt, refreshToken } = await refreshSignIn(accounts, given)
    ctx.body = { jwt, ...handOver(ctx, cookie, refreshToken) }
  } catch (error) {
    const isInvalid = error instanceof UnauthorizedError
    if (isInvalid && cookie !== null && isInCookie(ctx, cookie)) setRefreshCookie(ctx, cookie, null)
    throw error
  }
}

function refreshTokenOf(
  ctx: Context,
  { cookie }: Pick<AuthRouteDependencies, 'cookie'>,
): string | null {
  const inCookie = cookie !== null && isInCookie(ctx, cookie)
  const body = payloadOf(ctx)
  const given =
    typeof body === 'object' && body !== null && Object.hasOwn(body, 'refreshToken')
      ? (body as { readonly refreshToken: unknown }).refreshToken
      : inCookie
        ? refreshCookieOf(ctx, cookie)
        : null
  return typeof given === 'string' && given !== '' ? given : null
}

/** Sign-ins by name and by email share one limit per user. An unknown identifier has a limit of its own. */
async function identifiedAccount(
  ctx: Context,
  { accounts }: AuthRouteDependencies,
): Promise<string | null> {
  const body = bodyOf(ctx)
  const account = accountIn('identifier')(ctx)
  if (account === null) return null
  const { identifier } = body as { readonly identifier: string }
  return (await findUserByIdentifier(accounts, identifier))?.documentId ?? account
}

function sessionOf({ state: { principal } }: Context): OwnSession {
  if (principal.kind === 'user') return principal
  throw new UnauthorizedError('Unauthorized')
}

function notFound(): Promise<never> {
  return Promise.reject(new NotFoundError('Not Found'))
}
