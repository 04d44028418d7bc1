import type { RequestListener } from 'node:http'
import { availableParallelism } from 'node:os'
import cors from '@koa/cors'
import type { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import type { Config } from './config.ts'
import type { DocumentContext } from './documents/context.ts'
import { adminRoutes } from './http/admin-routes.ts'
import { answerUnrouted } from './http/answer-unrouted.ts'
import { apiRoutes } from './http/api-routes.ts'
import { authRoutes, connectRoutes } from './http/auth-routes.ts'
import { authenticate } from './http/authenticate.ts'
import { contentRoutes } from './http/content-routes.ts'
import { handleErrors } from './http/handle-errors.ts'
import { healthRoutes } from './http/health-routes.ts'
import { identifyRequest } from './http/identify-request.ts'
import { localeRoutes } from './http/locale-routes.ts'
import { createMetrics } from './http/measure-requests.ts'
import { readBody } from './http/read-request.ts'
import { roleRoutes } from './http/role-routes.ts'
import { securityHeaders } from './http/security-headers.ts'
import { serializeJson } from './http/serialize-json.ts'
import { serveUploads } from './http/serve-uploads.ts'
import type { RequestState } from './http/state.ts'
import { userRoutes } from './http/user-routes.ts'
import { type UploadRouteDependencies, uploadRoutes } from './http/upload-routes.ts'
import { openMediaLibrary } from './media/media-library.ts'
import type { MediaStorage } from './media/storage.ts'
import { createWorkQueue } from './media/work-queue.ts'
import { openFileRecords } from './mongo/file-records.ts'
import {
  documentContext,
  openServices,
  type Services,
  type ServicesOptions,
  spoolFolder,
} from './services.ts'

export interface App {
  callback(): RequestListener
  /** Lets go of the database; what is in flight must have ended. */
  close(): Promise<void>
}

/**
 * The server, ready to be listened with: content-types compiled, database connected, indexes in place.
 * @throws SchemaError for declarations that cannot be used, ServiceUnavailableError without a database.
 */
export async function createApp(dependencies: ServicesOptions): Promise<App> {
  return buildApp(dependencies, await openServices(dependencies))
}

/** The server on services that are open already; it closes them with itself. */
export function buildApp(dependencies: ServicesOptions, services: Services): App {
  const koa = buildKoa(dependencies, services)
  return { callback: () => koa.callback(), close: () => services.close() }
}

function buildKoa({ config, log }: ServicesOptions, services: Services): Koa<RequestState> {
  const { schema, database, access, locales } = services
  const { trustedProxies } = config.http
  const koa = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  koa.on('error', (error: unknown) => {
    log.warn({ err: error }, 'An answer could not be sent')
  })
  const { registry, measure } = createMetrics()
  const health = healthRoutes({
    assertReady: () => database.ping(),
    metrics: registry,
    metricsToken: config.secrets.metricsToken,
  })
  const admin = adminRoutes({
    schema,
    access,
    locales,
    readBody: readBody(config.http.maxBodyBytes),
  })
  koa.use(identifyRequest(log))
  koa.use(measure)
  koa.use(securityHeaders())
  koa.use(crossOrigin(config))
  koa.use(compress({ threshold: 1024 }))
  koa.use(handleErrors(log))
  koa.use(serializeJson())
  koa.use(answerUnrouted())
  koa.use(health.routes())
  koa.use(admin.routes())
  koa.use(admin.allowedMethods())
  koa.use(serveUploads(services.storage).routes())
  koa.use(apiRoutes(contentRouters(config, services)))
  return koa
}

function contentRouters(
  config: Config,
  { schema, database, access, accounts, limits, locales, storage }: Services,
): ReadonlyMap<string, Router<RequestState>> {
  const documents = documentContext(database, schema)
  const shared = {
    documents,
    schema,
    locales,
    api: config.api,
    authenticate: authenticate(access),
    readBody: readBody(config.http.maxBodyBytes),
  }
  const routers = new Map<string, Router<RequestState>>()
  for (const plan of schema.contentTypes.values()) {
    if (!plan.uid.startsWith('api::')) continue
    const name = plan.kind === 'singleType' ? plan.singularName : plan.pluralName
    routers.set(name, contentRoutes(plan, shared))
  }
  routers.set('i18n', localeRoutes(access, locales))
  const { confirmedUrl } = config.mail
  routers.set('auth', authRoutes({ ...shared, accounts, limits, confirmedUrl }))
  routers.set('connect', connectRoutes(shared.authenticate))
  routers.set('users', userRoutes({ ...shared, accounts }))
  routers.set('users-permissions', roleRoutes({ ...shared, access, users: accounts }))
  const media = openMedia(config, documents, storage)
  routers.set('upload', uploadRoutes({ ...shared, media }))
  return routers
}

function openMedia(
  config: Config,
  documents: DocumentContext,
  storage: MediaStorage,
): UploadRouteDependencies['media'] {
  const plan = documents.contentType('plugin::upload.file')
  const records = openFileRecords(documents.database, plan, documents)
  const images = createWorkQueue({ concurrency: availableParallelism(), maxWaiting: 200 })
  return {
    library: openMediaLibrary({ storage, records, images }),
    receive: { spoolFolder: spoolFolder(config), maxBytes: config.upload.maxUploadBytes },
  }
}

/** The dialect's answers to browsers of other origins. */
function crossOrigin({ http: { corsOrigin } }: Config): Koa.Middleware<RequestState> {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      return corsOrigin === '*' || corsOrigin.includes(origin) ? origin : ''
    },
    credentials: true,
    maxAge: 31_536_000,
    allowMethods: 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
    allowHeaders: 'Content-Type,Authorization,Origin,Accept',
  })
}
