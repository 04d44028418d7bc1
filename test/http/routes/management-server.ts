import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { withAdministration } from '../../../src/people/access/administrator-actions.ts'
import { openLocales } from '../../../src/content/locales/locales.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { adminRoutes } from '../../../src/http/admin/admin-routes.ts'
import { authenticate } from '../../../src/http/middleware/authenticate.ts'
import { localeRoutes } from '../../../src/http/routes/locale-routes.ts'
import { readBody } from '../../../src/http/body/read-body.ts'
import type { Schema } from '../../../src/schema/plan.ts'
import { openTestDatabase } from '../../support/test-database.ts'

export const ROOT_TOKEN = 'root-token-of-the-test'

/** Untyped response data. */
export type Json = ReturnType<JSON['parse']>

export interface Answer {
  readonly status: number
  readonly body: Json
}

/** A server with only the management API and the locale list, on its own database. */
export async function serveManagement(label: string, schema: Schema) {
  const test = await openTestDatabase(label)
  const access = await openAccess(test.database, compileActions(schema), {
    rootApiToken: ROOT_TOKEN,
  })
  const locales = await openLocales(test.database)
  const app = new Koa()
  app.silent = true
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      const { status, name, message, details } = error
      ctx.status = status
      ctx.body = { data: null, error: { status, name, message, details } }
    }
  })
  const admin = adminRoutes({
    access,
    locales,
    schema,
    administratorActions: withAdministration(access.actions),
    readBody: readBody(100_000),
    authenticate: authenticate(access),
  })
  app.use(admin.routes())
  app.use(localeRoutes(authenticate(access), locales, { strictQuery: false }).routes())
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    access,
    locales,
    base,
    /** Sends `body` as JSON, or unchanged if it is a string. */
    send: async (
      method: string,
      path: string,
      body?: unknown,
      token: string | null = ROOT_TOKEN,
    ): Promise<Answer> => {
      const response = await fetch(base + path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') === true
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    },
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await access.close()
      await test.drop()
    },
  }
}
