import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { pino } from 'pino'
import { openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import type { Mail } from '../../../src/people/accounts/mailer.ts'
import { openAccounts } from '../../../src/people/accounts/open-accounts.ts'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { openRateLimits } from '../../../src/people/access/rate-limit.ts'
import { openSessions, type SessionLifespans } from '../../../src/people/accounts/sessions.ts'
import { openUserTokens } from '../../../src/people/accounts/user-tokens.ts'
import { storeAnonymousUser } from '../../../src/people/accounts/anonymous-sign-in.ts'
import {
  type AnonymousLimits,
  openAnonymousUsers,
} from '../../../src/people/accounts/anonymous-users.ts'
import { openEndUsers, USER } from '../../../src/people/accounts/users.ts'
import { openLocales } from '../../../src/content/locales/locales.ts'
import { answerUnrouted } from '../../../src/http/middleware/answer-unrouted.ts'
import { apiRoutes } from '../../../src/http/router/api-routes.ts'
import { authRoutes } from '../../../src/http/routes/auth-routes.ts'
import { connectRoutes } from '../../../src/http/routes/connect-routes.ts'
import { authenticate } from '../../../src/http/middleware/authenticate.ts'
import { deviceCookie } from '../../../src/http/cookies/device-cookie.ts'
import { handleErrors } from '../../../src/http/middleware/handle-errors.ts'
import { readBody } from '../../../src/http/body/read-body.ts'
import { roleRoutes } from '../../../src/http/routes/role-routes.ts'
import type { RequestState } from '../../../src/http/router/state.ts'
import { userRoutes } from '../../../src/http/routes/user-routes.ts'
import type { SignInProvider } from '../../../src/base/config/sign-in-providers.ts'
import { ensureIdentities } from '../../../src/people/identities/identity-rows.ts'
import { openProviders } from '../../../src/people/identities/providers.ts'
import { openSignInCodes } from '../../../src/people/identities/sign-in-codes.ts'
import { attemptCookie } from '../../../src/http/cookies/attempt-cookie.ts'
import { redirectCookie } from '../../../src/http/cookies/redirect-cookie.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { newDocumentId } from '../../../src/mongo/versions/document-id.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { openUserAttributes } from '../../../src/server/services/open-user-attributes.ts'
import { BUILT_IN_TYPES } from '../../../src/schema/built-in-types.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Uid } from '../../../src/schema/definition.ts'
import { openDeletedUsers } from '../../../src/content/deleted-users/user-content-rows.ts'
import { openTestDatabase } from '../../support/test-database.ts'

export const ROOT_TOKEN = 'root-token-of-the-test'
export const SECRET = 'secret-of-the-test'

/** Untyped response data. */
export type Json = ReturnType<JSON['parse']>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface UsersOptions {
  readonly limited?: boolean
  /** If absent, tokens are valid for 30 days and cannot be refreshed. */
  readonly lifespans?: SessionLifespans & { readonly accessSeconds: number }
  readonly inCookie?: boolean
  readonly emailConfirmation?: boolean
  readonly linkByEmail?: boolean
  /** Null, the default, turns anonymous users off. */
  readonly anonymous?: AnonymousLimits | null
  readonly providers?: readonly SignInProvider[]
}

/** Serves the routes of end users with a manual clock and a cheap password hash. */
export async function serveUsers(
  label: string,
  {
    limited = false,
    lifespans,
    inCookie = false,
    emailConfirmation = false,
    linkByEmail = false,
    anonymous: anonymousLimits = null,
    providers = [],
  }: UsersOptions = {},
) {
  const test = await openTestDatabase(label)
  const { database } = test
  const schema = compileSchema({ contentTypes: BUILT_IN_TYPES, components: [] })
  await syncIndexes(database, [...compileCollections(schema).values()])
  const contentType = (uid: Uid) => {
    const plan = schema.contentTypes.get(uid)
    if (plan === undefined) throw new Error(`there is no ${uid}`)
    return plan
  }
  let ms = Date.UTC(2026, 0, 1)
  const now = () => new Date(ms)
  const mails: Mail[] = []
  const ids = openIdAllocator(database)
  const documents = {
    database,
    ids,
    contentType,
    now,
    newDocumentId,
    hashPassword: (password: string) => Promise.resolve(password),
  }
  const users = { db: database, plan: contentType(USER), ids, now }
  const open = async () => {
    const tokens = openUserTokens(SECRET, now, lifespans?.accessSeconds)
    const sessions =
      lifespans === undefined
        ? null
        : await openSessions({ db: database, secret: SECRET, lifespans, now })
    const anonymous =
      anonymousLimits === null
        ? null
        : await openAnonymousUsers({ db: database, secret: SECRET, limits: anonymousLimits, now })
    const attributes = openUserAttributes(documents, [])
    const store = { db: database, anonymous, attributes }
    const access = await openAccess(database, compileActions(schema), {
      anonymousUsers: anonymous !== null,
      rootApiToken: ROOT_TOKEN,
      users: openEndUsers({
        ...users,
        tokens,
        sessions,
        anonymous,
        storeAnonymous: (user) => storeAnonymousUser(store, user),
      }),
      now,
    })
    await ensureIdentities(database)
    const publicUrl = 'https://cms.example.org/x'
    const configured = new Map(providers.map((provider) => [provider.name, provider]))
    const accounts = openAccounts({
      ...users,
      linkByEmail,
      providers: await openProviders({ db: database, configured, publicUrl, now, keysEveryMs: 0 }),
      codes: await openSignInCodes({ db: database, secret: SECRET, now }),
      secret: SECRET,
      tokens,
      sessions,
      deletedUsers: openDeletedUsers(documents),
      attributes,
      anonymous,
      emailConfirmation,
      roles: access.roles,
      mailer: { send: (mail) => Promise.resolve(void mails.push(mail)) },
      links: {
        resetPassword: 'https://app.example.org/reset?lang=en',
        emailConfirmation: 'https://cms.example.org/api/auth/email-confirmation',
      },
      passwords: openPasswords({ memoryKiB: 8, passes: 1 }),
      onBackgroundError: (error) => {
        throw error
      },
    })
    const locales = await openLocales(database)
    const shared = {
      documents,
      schema,
      locales,
      api: {
        defaultLimit: 2,
        maxLimit: 100,
        answer: { maxEntries: 10_000, maxBytes: 33_554_432 },
        strictQuery: false,
      },
      authenticate: authenticate(access),
      readBody: readBody(1_000_000),
      accounts,
    }
    const limits = limited ? await openRateLimits(database, now) : null
    const cookie =
      lifespans === undefined
        ? null
        : { publicUrl, cookieName: '', maxSeconds: 99, always: inCookie }
    const devices = deviceCookie(publicUrl, '')
    const redirects = redirectCookie(publicUrl, '')
    const cookies = { cookie, deviceCookie: devices, redirectCookie: redirects }
    const app = new Koa<RequestState>()
    app.silent = true
    const log = pino({ level: 'silent' })
    app.use(handleErrors(log))
    app.use(answerUnrouted())
    app.use(
      apiRoutes(
        new Map([
          ['auth', authRoutes({ ...shared, ...cookies, limits, confirmedUrl: null })],
          [
            'connect',
            connectRoutes({
              ...shared,
              ...cookies,
              limits,
              attempts: attemptCookie(publicUrl, ''),
              log,
            }),
          ],
          ['users', userRoutes({ ...shared, limits })],
          ['users-permissions', roleRoutes({ ...shared, access, users: accounts })],
        ]),
      ),
    )
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { access, accounts, server, base }
  }
  const processes = [await open()]
  const first = processes[0] ?? (await open())
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    token: string | null = null,
    base = first.base,
  ): Promise<Answer> => {
    const response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const { status, headers } = response
    return { status, headers, body: isJson && text !== '' ? JSON.parse(text) : null }
  }
  return {
    access: first.access,
    accounts: first.accounts,
    base: first.base,
    database,
    users,
    pass: (by: number): void => void (ms += by),
    now,
    send,
    /** Starts another process and returns its base address. */
    another: async (): Promise<string> => {
      const more = await open()
      processes.push(more)
      return more.base
    },
    /** Registers a user and signs in. */
    register: async (name: string): Promise<{ jwt: string; user: Json; password: string }> => {
      const password = `secret of ${name}`
      const given = { username: name, email: `${name}@example.org`, password }
      const { status, body } = await send('POST', '/api/auth/local/register', given)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { ...body, password }
    },
    /** Waits until all mails are sent and returns those since the last call. */
    takeMails: async (): Promise<readonly Mail[]> => {
      for (const { accounts } of processes) await accounts.close()
      return mails.splice(0)
    },
    close: async (): Promise<void> => {
      for (const { server, access, accounts } of processes) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
        await Promise.all([access.close(), accounts.close()])
      }
      await test.drop()
    },
  }
}

export type UsersServer = Awaited<ReturnType<typeof serveUsers>>
