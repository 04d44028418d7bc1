import {
  type AccountsContext,
  logIn,
  logOut,
  type OwnSession,
  register,
  type SignedIn,
} from '../../people/accounts/accounts.ts'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { confirmEmail, sendConfirmation } from '../../people/accounts/confirm-email.ts'
import { assertMay } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import {
  changeUserPassword,
  forgotPassword,
  resetUserPassword,
} from '../../people/accounts/recover-password.ts'
import { refreshSignIn } from '../../people/accounts/refresh-sign-in.ts'
import { findUserByIdentifier, toDeviceAccount } from '../../people/accounts/users.ts'
import {
  ApplicationError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from '../../base/errors.ts'
import {
  type GuardedRouter,
  guardedRouter,
  everyone,
  type Guarded,
  permitted,
} from '../router/guarded-router.ts'
import { accountIn, type RequestCount, limitRate } from '../middleware/limit-rate.ts'
import { bodyOf, parameterOf, payloadOf, readQuery } from '../body/read-request.ts'
import type { DeviceCookie } from '../cookies/device-cookie.ts'
import {
  isInCookie,
  type RefreshCookie,
  refreshCookieOf,
  setRefreshCookie,
} from '../cookies/refresh-cookie.ts'
import { writerOf } from '../reads/query-rules.ts'
import { assertKnownBody, assertOnlyParameters } from '../reads/strict-request.ts'
import { showUser, type UserReading } from './show-user.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface AuthRouteDependencies extends UserReading {
  readonly accounts: AccountsContext
  readonly authenticate: Middleware
  readonly readBody: Middleware
  readonly limits: RateLimits | null
  readonly confirmedUrl: string | null
  readonly deviceCookie: DeviceCookie
  readonly cookie: RefreshCookie | null
}

/** Higher than the default, because many users may share one address. Guessing refresh tokens is infeasible. */
const REFRESHES_PER_ADDRESS = 60

const BY_EMAIL: RequestCount = { accountOf: accountIn('email') }
const BY_ADDRESS: RequestCount = { accountOf: () => null }

const CALLBACK = pluginAction('plugin::users-permissions.auth', 'callback')

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
  post('/local', 'callback', enter, {
    accountOf: (ctx) => identifiedAccount(ctx, dependencies),
    deviceOf: async (ctx) => {
      const token = dependencies.deviceCookie.read(ctx)
      return token === null ? null : dependencies.accounts.knownDevices.find(token)
    },
  })
  post('/local/register', 'register', signUp, BY_EMAIL)
  post('/forgot-password', 'forgotPassword', forgot, BY_EMAIL)
  post('/reset-password', 'resetPassword', reset, BY_ADDRESS)
  post('/change-password', 'changePassword', change, {
    accountOf: ({ state: { principal } }) => documentIdOf(principal),
  })
  post('/send-email-confirmation', 'sendEmailConfirmation', mailConfirmation, BY_EMAIL)
  post('/logout', 'logout', signOut, BY_ADDRESS)
  const { sessions } = dependencies.accounts
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
  router.get('/:provider/callback', authenticate, permitted(CALLBACK, refuseProvider))
  return router
}

export function connectRoutes(authenticate: Middleware): GuardedRouter {
  const router = guardedRouter('/api/connect')
  const action = pluginAction('plugin::users-permissions.auth', 'connect')
  router.get('/{*provider}', authenticate, permitted(action, refuseProvider))
  return router
}

async function enter(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  await answer(ctx, dependencies, await logIn(dependencies.accounts, payloadOf(ctx)))
}

async function signUp(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { defaultCode: locale } = await dependencies.locales.current()
  const writer = writerOf(ctx, { locale })
  await answer(ctx, dependencies, await register(dependencies.accounts, payloadOf(ctx), writer))
}

// oxlint-disable-next-line typescript/require-await -- handlers fail by rejecting; nothing is waited for here
async function forgot(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  forgotPassword(accounts, payloadOf(ctx))
  ctx.body = { ok: true }
}

async function reset(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  await answer(ctx, dependencies, await resetUserPassword(dependencies.accounts, payloadOf(ctx)))
}

async function mailConfirmation(ctx: Context, { accounts }: AuthRouteDependencies): Promise<void> {
  ctx.body = { email: await sendConfirmation(accounts, payloadOf(ctx)), sent: true }
}

async function change(ctx: Context, dependencies: AuthRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  await answer(ctx, dependencies, await changeUserPassword(accounts, userOf(ctx), payloadOf(ctx)))
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

async function answer(
  ctx: Context,
  dependencies: AuthRouteDependencies,
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

function handOver(
  ctx: Context,
  cookie: RefreshCookie | null,
  refreshToken: string | null,
): { readonly refreshToken?: string } {
  if (refreshToken === null) return {}
  if (cookie === null || !isInCookie(ctx, cookie)) return { refreshToken }
  setRefreshCookie(ctx, cookie, refreshToken)
  return {}
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

/** @throws UnauthorizedError unless the principal is an end user */
function userOf({ state: { principal } }: Context): string {
  const documentId = documentIdOf(principal)
  if (documentId === null) throw new UnauthorizedError('Unauthorized')
  return documentId
}

/** @throws UnauthorizedError unless the principal is an end user */
function sessionOf({ state: { principal } }: Context): OwnSession {
  if (principal.kind === 'user') return principal
  throw new UnauthorizedError('Unauthorized')
}

function documentIdOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.documentId : null
}

function notFound(): Promise<never> {
  return Promise.reject(new NotFoundError('Not Found'))
}

function refuseProvider(): Promise<never> {
  return Promise.reject(
    new ApplicationError('This provider is disabled', {}, { code: 'provider_disabled' }),
  )
}
