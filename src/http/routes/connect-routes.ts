import { ValidationError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import type { Log } from '../../base/log.ts'
import { pluginAction } from '../../people/access/actions.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { AccountsContext } from '../../people/accounts/accounts.ts'
import { type ProvenIdentity, provenIdentityOf } from '../../people/identities/id-tokens.ts'
import { userByIdentity } from '../../people/accounts/identity-sign-in.ts'
import type { Provider } from '../../people/identities/providers.ts'
import { challengeOf } from '../../people/identities/sign-in-codes.ts'
import { createId, createToken } from '../../people/sign-in/random-tokens.ts'
import type { Attempt, OidcClient } from '../../people/sign-in/oidc-client.ts'
import { isRecord } from '../../base/is-record.ts'
import { payloadOf, readQuery } from '../body/read-request.ts'
import type { AttemptCookie } from '../cookies/attempt-cookie.ts'
import type { RedirectCookie } from '../cookies/redirect-cookie.ts'
import { limitRate } from '../middleware/limit-rate.ts'
import { writerOf } from '../reads/query-rules.ts'
import { type GuardedRouter, guardedRouter, permitted } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'
import type { UserReading } from './show-user.ts'
import { disabledProvider, flagIn, providerOf } from './provider-routes.ts'

export interface ConnectDependencies extends Pick<UserReading, 'locales'> {
  readonly accounts: AccountsContext
  readonly authenticate: Middleware
  readonly readBody: Middleware
  readonly limits: RateLimits | null
  readonly attempts: AttemptCookie
  readonly redirectCookie: RedirectCookie
  readonly log: Pick<Log, 'warn'>
}

const BY_ADDRESS = { accountOf: () => null, perAddress: 60 }

/** Apple sends the name and the address by a form only. */
const FORM_PROVIDERS: ReadonlySet<string> = new Set(['apple'])

export function connectRoutes(dependencies: ConnectDependencies): GuardedRouter {
  const { authenticate, readBody, limits } = dependencies
  const router = guardedRouter('/api/connect')
  const action = pluginAction('plugin::users-permissions.auth', 'connect')
  const limit = limitRate(limits, '/api/connect', BY_ADDRESS)
  const step = (go: (ctx: Context, dependencies: ConnectDependencies) => Promise<void>) =>
    permitted(action, async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      await go(ctx, dependencies)
    })
  const returned = step((ctx) => comeBack(ctx, dependencies, ctx.querystring))
  const returnedByForm = permitted(
    action,
    async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      await comeBack(ctx, dependencies, formOf(ctx))
    },
    readBody,
  )
  router.get('/:provider/callback', authenticate, limit, returned)
  router.post('/:provider/callback', authenticate, limit, returnedByForm)
  router.get('/{*provider}', authenticate, limit, step(leave))
  return router
}

async function leave(ctx: Context, { accounts, attempts }: ConnectDependencies): Promise<void> {
  const provider = providerOf(ctx, accounts)
  const client = redirectOf(provider)
  const asked = readQuery(ctx.querystring)
  const target = targetIndexOf(provider, asked['callback'])
  const challenge = challengeIn(asked)
  const isAnonymous = flagIn(asked, 'anonymous')
  const state = createId()
  const isForm = FORM_PROVIDERS.has(provider.name)
  const { url, nonce, verifier } = await client.begin(
    state,
    isForm ? { response_mode: 'form_post' } : {},
  )
  const value = [
    provider.name,
    state,
    nonce,
    verifier,
    target,
    challenge ?? '',
    isAnonymous ? '1' : '',
  ].join('.')
  attempts.set(ctx, value, { isCrossSite: isForm })
  ctx.redirect(url.href)
}

async function comeBack(
  ctx: Context,
  dependencies: ConnectDependencies,
  query: string,
): Promise<void> {
  const { accounts, attempts, redirectCookie, log } = dependencies
  const provider = providerOf(ctx, accounts)
  const attempt = attemptOf(provider, attempts.read(ctx))
  attempts.set(ctx, '', { isCrossSite: FORM_PROVIDERS.has(provider.name) })
  const target = new URL(attempt.target)
  try {
    const claims = await redirectOf(provider).finish(query, attempt.state, attempt)
    const identity = provenIdentityOf(provider.name, claims)
    const result = attempt.isAnonymous
      ? { user: null, identity }
      : { user: await userOf(ctx, dependencies, identity), identity: null }
    const secret = attempt.challenge === null ? createToken() : null
    const challenge = attempt.challenge ?? challengeOf(secret ?? '')
    const code = await accounts.codes.makeForRedirect({
      provider: provider.name,
      challenge,
      ...result,
    })
    if (secret !== null) redirectCookie.set(ctx, secret)
    target.searchParams.set('access_token', code)
  } catch (error) {
    log.warn({ err: error, requestId: ctx.state.requestId }, 'A sign-in by redirect failed')
    target.searchParams.set('error', isRefusal(error) ? error.errorCode : 'provider_failed')
  }
  ctx.redirect(target.href)
}

async function userOf(
  ctx: Context,
  { accounts, locales }: ConnectDependencies,
  identity: ProvenIdentity,
): Promise<string> {
  const { defaultCode: locale } = await locales.current()
  const request = { body: {}, writer: writerOf(ctx, { locale }), name: null }
  return (await userByIdentity(accounts, identity, request)).documentId
}

interface ConnectAttempt extends Attempt {
  readonly state: string
  readonly target: string
  /** Of the page. Null if the cookie binds the code. */
  readonly challenge: string | null
  /** The exchange decides which user the identity belongs to, because an anonymous user may become it. */
  readonly isAnonymous: boolean
}

/** @throws ValidationError if the browser began no sign-in with this provider */
function attemptOf({ name, redirects }: Provider, kept: string | null): ConnectAttempt {
  const [began, state, nonce, verifier, index, given = '', flag] = (kept ?? '').split('.')
  const target = redirects[Number(index)]
  if (began !== name || !state || !nonce || !verifier || target === undefined) {
    throw new ValidationError('This browser began no sign-in, or too long ago')
  }
  const challenge = CHALLENGE.test(given) ? given : null
  return { state, nonce, verifier, target, challenge, isAnonymous: flag === '1' }
}

function targetIndexOf({ redirects }: Provider, callback: unknown): number {
  if (callback === undefined) return 0
  const index = typeof callback === 'string' ? redirects.indexOf(callback) : -1
  if (index !== -1) return index
  throw new ValidationError('callback is not among the pages of this provider', {
    key: 'callback',
    source: 'query',
  })
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/

function challengeIn(asked: Readonly<Record<string, unknown>>): string | null {
  const { code_challenge: challenge, code_challenge_method: method = 'S256' } = asked
  if (method !== 'S256') throw notChallenge('code_challenge_method', 'must be S256')
  if (challenge === undefined) return null
  if (typeof challenge === 'string' && CHALLENGE.test(challenge)) return challenge
  throw notChallenge('code_challenge', 'must be a SHA-256 in base64url')
}

function notChallenge(key: string, rule: string): ValidationError {
  return new ValidationError(`${key} ${rule}`, { key, source: 'query' })
}

function redirectOf({ redirect }: Provider): OidcClient {
  if (redirect !== null) return redirect
  throw disabledProvider()
}

const RETURNED = ['code', 'state', 'error', 'error_description', 'iss'] as const

function formOf(ctx: Context): string {
  const body = payloadOf(ctx)
  const given = isRecord(body) ? body : {}
  const query = new URLSearchParams()
  for (const name of RETURNED) {
    const value = given[name]
    if (typeof value === 'string') query.set(name, value)
  }
  return query.toString()
}
