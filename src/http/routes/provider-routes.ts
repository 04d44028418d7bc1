import {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../base/errors.ts'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import { may } from '../../people/access/permissions.ts'
import { ANONYMOUS_ROLE } from '../../people/access/role-rows.ts'
import {
  readAccount,
  optionalTextOf,
  readText,
  required,
  RULES,
} from '../../people/accounts/account-input.ts'
import { type AccountsContext, assertMayEnter, signInUser } from '../../people/accounts/accounts.ts'
import type { ProvenIdentity } from '../../people/identities/id-tokens.ts'
import {
  enterByIdentity,
  linkIdentity,
  unlinkIdentity,
} from '../../people/accounts/identity-sign-in.ts'
import { listIdentities } from '../../people/identities/identity-rows.ts'
import { enterByMailCode, invalidCode, sendSignInCode } from '../../people/accounts/mail-code.ts'
import type { Provider } from '../../people/identities/providers.ts'
import { findUser } from '../../people/accounts/users.ts'
import { parameterOf, payloadOf, readQuery } from '../body/read-request.ts'
import type { RedirectCookie } from '../cookies/redirect-cookie.ts'
import { accountIn, limitRate, type RequestCount } from '../middleware/limit-rate.ts'
import { type GuardedRouter, permitted } from '../router/guarded-router.ts'
import { writerOf } from '../reads/query-rules.ts'
import { assertOnlyParameters } from '../reads/strict-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import {
  anonymousOf,
  answerSignedIn,
  type SignInAnswering,
  signedInUserOf,
} from './answer-signed-in.ts'

export interface ProviderRouteDependencies extends SignInAnswering {
  readonly authenticate: Middleware
  readonly limits: RateLimits | null
  readonly redirectCookie: RedirectCookie
}

type AuthVerb = PluginVerb<'plugin::users-permissions.auth'>
type Handler = (ctx: Context, dependencies: ProviderRouteDependencies) => Promise<void>
type AddPost = (path: string, verb: AuthVerb, handler: Handler, counted: RequestCount) => void

const BY_ADDRESS: RequestCount = { accountOf: () => null }
const BY_EMAIL: RequestCount = { accountOf: accountIn('email') }

const ID_TOKEN = {
  idToken: required(RULES.idToken),
  nonce: RULES.text,
  name: RULES.text,
  merge: RULES.flag,
}

const AUTH = 'plugin::users-permissions.auth'

export function addProviderRoutes(
  router: GuardedRouter,
  post: AddPost,
  dependencies: ProviderRouteDependencies,
): void {
  const { authenticate, limits } = dependencies
  post('/code', 'callback', sendCode, BY_EMAIL)
  post('/code/verify', 'callback', verifyCode, BY_EMAIL)
  post('/:provider/token', 'connect', enterByToken, BY_ADDRESS)
  post('/:provider/link', 'changePassword', link, BY_ADDRESS)
  const get = (path: string, verb: AuthVerb, handler: Handler): void => {
    const run = permitted(pluginAction(AUTH, verb), async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      await handler(ctx, dependencies)
    })
    router.get(path, authenticate, limitRate(limits, path, BY_ADDRESS), run)
  }
  get('/:provider/callback', 'callback', enterByRedirect)
  get('/identities', 'changePassword', list)
  const unlinking = permitted(pluginAction(AUTH, 'changePassword'), (ctx) =>
    unlink(ctx, dependencies),
  )
  const limitUnlinking = limitRate(limits, '/identities/:id', BY_ADDRESS)
  router.delete('/identities/:id', authenticate, limitUnlinking, unlinking)
}

async function enterByToken(ctx: Context, dependencies: ProviderRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  const { identity, name, merge } = await proveIdentity(ctx, accounts)
  const anonymous = await anonymousOf(ctx, dependencies)
  const request = { ...(await newUserOf(ctx, dependencies)), name, merge, anonymous }
  await answerSignedIn(ctx, dependencies, await enterByIdentity(accounts, identity, request))
}

async function link(ctx: Context, { accounts }: ProviderRouteDependencies): Promise<void> {
  const user = signedInUserOf(ctx)
  assertNotAnonymous(ctx)
  const { identity } = await proveIdentity(ctx, accounts)
  await linkIdentity(accounts, identity, user)
  ctx.body = { ok: true }
}

/** The identity would sign in a user without an account. */
function assertNotAnonymous({ state: { principal } }: Context): void {
  if (principal.kind !== 'user' || principal.role !== ANONYMOUS_ROLE) return
  throw new ForbiddenError('Anonymous users sign in with POST /api/auth/:provider/token')
}

async function proveIdentity(
  ctx: Context,
  accounts: AccountsContext,
): Promise<{
  readonly identity: ProvenIdentity
  readonly name: string | null
  readonly merge: boolean
}> {
  const { idTokens } = providerOf(ctx, accounts)
  const input = readAccount(ID_TOKEN, payloadOf(ctx))
  const identity = await idTokens.verify({
    idToken: readText(input, 'idToken'),
    nonce: optionalTextOf(input, 'nonce'),
    isWeb: ctx.get('Origin') !== '',
  })
  return { identity, name: optionalTextOf(input, 'name'), merge: input['merge'] === true }
}

async function enterByRedirect(
  ctx: Context,
  dependencies: ProviderRouteDependencies,
): Promise<void> {
  const { accounts, api, redirectCookie } = dependencies
  const { name } = providerOf(ctx, accounts)
  assertOnlyParameters(ctx, api, ['access_token', 'code_verifier', 'merge'])
  const asked = readQuery(ctx.querystring)
  const { access_token: code, code_verifier: verifier } = asked
  const merge = flagIn(asked, 'merge')
  // The page sends the verifier if it began with a challenge. Otherwise the cookie proves the browser.
  const secret = verifier === undefined ? redirectCookie.read(ctx) : verifier
  if (typeof code !== 'string' || typeof secret !== 'string') throw invalidCode()
  const result = await accounts.codes.useOfRedirect(name, code, secret)
  if (result === null) throw invalidCode()
  if (verifier === undefined) redirectCookie.set(ctx, null)
  if (result.identity !== null) {
    const anonymous = await anonymousOf(ctx, dependencies)
    const request = { ...(await newUserOf(ctx, dependencies)), name: null, merge, anonymous }
    const signedIn = await enterByIdentity(accounts, result.identity, request)
    await answerSignedIn(ctx, dependencies, signedIn)
    return
  }
  const found = await findUser(accounts, { documentId: result.user })
  if (found === null) throw invalidCode()
  assertMayEnter(accounts, found)
  await answerSignedIn(ctx, dependencies, await signInUser(accounts, found, null))
}

// oxlint-disable-next-line typescript/require-await -- handlers fail by rejecting, and this one waits for no promise
async function sendCode(ctx: Context, { accounts }: ProviderRouteDependencies): Promise<void> {
  sendSignInCode(accounts, { body: payloadOf(ctx), mayRegister: mayRegister(ctx) })
  ctx.body = { ok: true }
}

async function verifyCode(ctx: Context, dependencies: ProviderRouteDependencies): Promise<void> {
  const request = { ...(await newUserOf(ctx, dependencies)), mayRegister: mayRegister(ctx) }
  const signedIn = await enterByMailCode(dependencies.accounts, request)
  await answerSignedIn(ctx, dependencies, signedIn)
}

async function list(ctx: Context, { accounts }: ProviderRouteDependencies): Promise<void> {
  const rows = await listIdentities(accounts.db, signedInUserOf(ctx))
  ctx.body = {
    data: rows.map(({ _id: id, provider, createdAt }) => ({ id, provider, createdAt })),
  }
}

async function unlink(ctx: Context, { accounts }: ProviderRouteDependencies): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  const isGone = await unlinkIdentity(accounts, signedInUserOf(ctx), parameterOf(ctx, 'id'))
  if (!isGone) throw new NotFoundError('There is no such identity')
  ctx.status = 204
}

async function newUserOf(ctx: Context, dependencies: ProviderRouteDependencies) {
  const { defaultCode: locale } = await dependencies.locales.current()
  return { body: payloadOf(ctx), writer: writerOf(ctx, { locale }) }
}

function mayRegister({ state }: Context): boolean {
  return may(state.principal, pluginAction(AUTH, 'register'))
}

export function providerOf(ctx: Context, accounts: Pick<AccountsContext, 'providers'>): Provider {
  const provider = accounts.providers.get(parameterOf(ctx, 'provider').toLowerCase())
  if (provider !== undefined) return provider
  throw disabledProvider()
}

export function disabledProvider(): ApplicationError {
  return new ApplicationError('This provider is disabled', {}, { code: 'provider_disabled' })
}

/** @throws ValidationError unless it is `true`, `false` or absent */
export function flagIn(asked: Readonly<Record<string, unknown>>, key: string): boolean {
  const value = asked[key] ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new ValidationError(`${key} must be true or false`, { key, source: 'query' })
}
