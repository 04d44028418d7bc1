import type { Principal } from '../../people/access/principal.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import { writingFor } from '../../people/access/writing-for.ts'
import type { AccountsContext } from '../../people/accounts/accounts.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import {
  idOfEmail,
  isFirstWanted,
  resetAdministratorPassword,
  showSession,
  signIn,
  signInByLink,
  signOut,
  signUpFirst,
} from '../../people/administrators/sign-in.ts'
import {
  administratorOfPending,
  type PendingSignIn,
  signInByCode,
} from '../../people/administrators/code-sign-in.ts'
import {
  forgotAdministratorPassword,
  type LinkMails,
} from '../../people/administrators/forgot-password.ts'
import type { NewSession } from '../../people/administrators/start-session.ts'
import { beginPasskeySignIn, signInByPasskey } from '../../people/administrators/passkey-sign-in.ts'
import { everyone, type GuardedRouter } from '../router/guarded-router.ts'
import { accountIn, limitRate, type RequestCount, textInBody } from '../middleware/limit-rate.ts'
import { assertOwnPage } from '../admin-cookie/own-origin.ts'
import { readBody } from '../body/read-body.ts'
import { payloadOf } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import type { AdminCookie } from '../admin-cookie/admin-cookie.ts'
import { type AdminRouter, adminRouter } from '../router/admin-router.ts'

export interface AdminSessionDependencies {
  readonly administrators: AdministratorsContext
  readonly readBody: Middleware
  readonly authenticate: Middleware
  readonly inFlight: Middleware
  readonly limits: RateLimits | null
  readonly cookie: AdminCookie
  readonly mails: LinkMails
  /** Runs after the response. */
  readonly behind: AccountsContext['behind']
  readonly start: { readonly version: string; readonly editableTypes: boolean }
  readonly project: ProjectFacts
}

/** Facts of the project in the responses with a session. */
interface ProjectFacts {
  /** The name of a translation service. */
  readonly translator: string | null
  /** The public address of the server and that of its bucket. */
  readonly fileOrigins: readonly string[]
}

/** Low, because the sender is not authenticated yet. */
const MAX_SIGN_IN_BYTES = 16_384

const BY_ADDRESS: RequestCount = { accountOf: () => null }

const NOBODY_YET: Principal = { kind: 'anonymous', grants: new Set() }

type Enter = typeof signIn

export function adminSessionRoutes(dependencies: AdminSessionDependencies): GuardedRouter {
  const { administrators, cookie, limits, inFlight } = dependencies
  const readSmall = readBody(MAX_SIGN_IN_BYTES)
  const admin = adminRouter('/admin', dependencies)
  admin.router.get('/start', inFlight, everyone(showStart(dependencies)))
  const enterBy = (path: string, status: number, enter: Enter, counted: RequestCount): void => {
    const handler = everyone(async (ctx) => {
      const entered = await writingFor(NOBODY_YET, ctx.state.requestId, () =>
        enter(administrators, payloadOf(ctx), senderOf(ctx)),
      )
      if ('pending' in entered) return askForCode(ctx, entered)
      await answer(ctx, dependencies, entered)
      ctx.status = status
    })
    const limit = limitRate(limits, `/admin${path}`, counted, readSmall)
    admin.router.post(path, ownPagesOnly(cookie), inFlight, limit, handler)
  }
  enterBy('/first-administrator', 201, signUpFirst, BY_ADDRESS)
  const emailOf = accountIn('email')
  const deviceOf: RequestCount['deviceOf'] = async (ctx) => {
    const token = cookie.readDevice(ctx)
    return token === null ? null : administrators.knownDevices.find(token)
  }
  enterBy('/session', 200, signIn, {
    accountOf: async (ctx) => {
      const email = emailOf(ctx)
      return email === null ? null : ((await idOfEmail(administrators, email)) ?? email)
    },
    deviceOf,
  })
  enterBy('/session/code', 200, signInByCode, {
    accountOf: async (ctx) => {
      const pending = await administratorOfPending(administrators, textInBody(ctx, 'pending') ?? '')
      return pending?._id ?? null
    },
    deviceOf,
  })
  enterBy('/session/link', 200, signInByLink, BY_ADDRESS)
  enterBy('/session/passkey', 200, signInByPasskey, BY_ADDRESS)
  enterBy('/reset-password', 200, resetAdministratorPassword, BY_ADDRESS)
  const challenge = everyone(async (ctx) => {
    ctx.body = { data: await beginPasskeySignIn(administrators) }
  })
  const limit = limitRate(limits, '/admin/session/passkey/options', BY_ADDRESS)
  admin.router.post('/session/passkey/options', ownPagesOnly(cookie), inFlight, limit, challenge)
  addForgotPassword(admin, dependencies, readSmall)
  addOwnSession(admin, dependencies)
  return admin.router
}

function addForgotPassword(
  admin: AdminRouter,
  { administrators, cookie, limits, inFlight, mails, behind }: AdminSessionDependencies,
  readSmall: Middleware,
): void {
  const path = '/forgot-password'
  const limit = limitRate(limits, `/admin${path}`, { accountOf: accountIn('email') }, readSmall)
  const handler = everyone((ctx) => {
    const mail = forgotAdministratorPassword(administrators, mails, payloadOf(ctx))
    ctx.status = 204
    behind(writingFor(NOBODY_YET, ctx.state.requestId, mail))
    return Promise.resolve()
  })
  admin.router.post(path, ownPagesOnly(cookie), inFlight, limit, handler)
}

function addOwnSession(
  admin: AdminRouter,
  { administrators, cookie, project }: AdminSessionDependencies,
): void {
  admin.get('/session', null, async (ctx) => {
    const shown = await showSession(administrators, ctx.state.principal)
    ctx.body = { data: { ...shown, ...project } }
  })
  admin.delete('/session', null, async (ctx) => {
    const { principal } = ctx.state
    if (principal.kind === 'administrator') {
      await signOut(administrators, principal.id, principal.session)
    }
    cookie.clear(ctx)
    ctx.status = 204
  })
}

function showStart({ administrators, mails, start }: AdminSessionDependencies) {
  return async (ctx: Context): Promise<void> => {
    ctx.set('Cache-Control', 'no-store')
    const firstAdministrator = await isFirstWanted(administrators)
    const passkeys = administrators.relyingParty !== null
    const { identityProvider } = administrators
    const oidc = identityProvider === null ? null : { label: identityProvider.label }
    const mail = mails.mailer !== null
    ctx.body = { data: { firstAdministrator, oidc, passkeys, mail, ...start } }
  }
}

/** Prevents login CSRF: another site must not sign a browser in to a different account. */
function ownPagesOnly({ publicUrl }: AdminCookie): Middleware {
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    assertOwnPage(ctx, publicUrl)
    await next()
  }
}

/** Sets no cookie: there is no session before the second factor. */
function askForCode(ctx: Context, { pending, expiresAt }: PendingSignIn): void {
  ctx.body = { data: { pending, expiresAt } }
  ctx.status = 202
}

async function answer(
  ctx: Context,
  { administrators, cookie, project }: AdminSessionDependencies,
  { token, knownDevice, ...shown }: NewSession,
): Promise<void> {
  const before = cookie.read(ctx)
  if (before !== null) await administrators.sessions.endByToken(before)
  cookie.set(ctx, { token, knownDevice })
  ctx.body = { data: { ...shown, ...project } }
}

function senderOf(ctx: Context): { readonly address: string; readonly userAgent: string } {
  return { address: ctx.ip, userAgent: ctx.get('User-Agent') }
}
