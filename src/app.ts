import type { RequestListener } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import cors from '@koa/cors'
import type { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import type { Logger } from 'pino'
import { type Access, openAccess } from './access/access.ts'
import { compileActions } from './access/actions.ts'
import { keptJwtSecret } from './access/jwt-secret.ts'
import { loggingMailer, smtpMailer } from './access/mailer.ts'
import { type Accounts, openAccounts } from './access/open-accounts.ts'
import { openRateLimits, type RateLimits } from './access/rate-limit.ts'
import { openUserTokens } from './access/user-tokens.ts'
import { openEndUsers, USER } from './access/users.ts'
import type { Config } from './config.ts'
import type { Deployment } from './deployment/deployment.ts'
import { judgeStandalone } from './deployment/refuse-standalone.ts'
import type { DocumentContext } from './documents/context.ts'
import { type Locales, openLocales } from './documents/locales.ts'
import { ConfigError } from './errors.ts'
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
import { openGridFsStorage } from './media/gridfs-storage.ts'
import { openLocalStorage } from './media/local-storage.ts'
import { openMediaLibrary } from './media/media-library.ts'
import { clearSpool } from './media/receive-upload.ts'
import type { MediaStorage } from './media/storage.ts'
import { createWorkQueue } from './media/work-queue.ts'
import { compileCollections } from './mongo/collection-plan.ts'
import { type Database, openDatabase } from './mongo/database.ts'
import { newDocumentId } from './mongo/document-id.ts'
import { openFileRecords } from './mongo/file-records.ts'
import { openIdAllocator } from './mongo/id-allocator.ts'
import { syncIndexes } from './mongo/sync-indexes.ts'
import { BUILT_IN_TYPES } from './schema/built-in-types.ts'
import { checkDefinitions } from './schema/check.ts'
import { compileSchema } from './schema/compile.ts'
import type { Uid } from './schema/definition.ts'
import { loadDefinitions } from './schema/load.ts'
import type { ContentTypePlan, Schema } from './schema/plan.ts'

export interface AppDependencies {
  readonly config: Config
  readonly deployment: Pick<Deployment, 'uri'>
  readonly log: Logger
}

export interface App {
  callback(): RequestListener
  /** Lets go of the database; what is in flight must have ended. */
  close(): Promise<void>
}

/** What stands between whoever works on content and the database: routes, commands, scripts. */
export interface Services {
  readonly schema: Schema
  readonly database: Database
  readonly access: Access
  readonly accounts: Accounts
  /** Null where attempts are not counted. */
  readonly limits: RateLimits | null
  readonly locales: Locales
  readonly storage: MediaStorage
  close(): Promise<void>
}

/**
 * The server, ready to be listened with: content-types compiled, database connected, indexes in place.
 * @throws SchemaError for declarations that cannot be used, ServiceUnavailableError without a database.
 */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  return buildApp(dependencies, await openServices(dependencies))
}

/** The server on services that are open already; it closes them with itself. */
export function buildApp(dependencies: AppDependencies, services: Services): App {
  const koa = buildKoa(dependencies, services)
  return { callback: () => koa.callback(), close: () => services.close() }
}

export async function loadSchema(contentTypesDir: string): Promise<Schema> {
  return compileSchema(checkDefinitions(await loadDefinitions(contentTypesDir), BUILT_IN_TYPES))
}

/**
 * Everything but the routes: content-types compiled, database connected, indexes in place.
 * @throws SchemaError, ConfigError, ServiceUnavailableError
 */
export async function openServices({
  config,
  deployment,
  log,
}: AppDependencies): Promise<Services> {
  const schema = await loadSchema(config.contentTypesDir)
  const database = await openDatabase({
    uri: deployment.uri,
    name: config.database.name,
    queryTimeoutMs: config.database.queryTimeoutMs,
  })
  try {
    await assertTransactions(database, config, log)
    const indexes = await syncIndexes(database, [...compileCollections(schema).values()])
    for (const name of indexes.strays) log.warn(`The index ${name} is none of Quire's`)
    const { access, accounts } = await openWhoMayDoWhat({ config, log }, schema, database)
    const locales = await openLocales(database)
    const limits = config.http.rateLimit ? await openRateLimits(database, now) : null
    const storage = await openStorage(config, database)
    await clearSpool(spoolFolder(config), new Date())
    const close = async (): Promise<void> => {
      await Promise.all([access.close(), accounts.close()])
      await database.close()
    }
    return { schema, database, access, accounts, limits, locales, storage, close }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openWhoMayDoWhat(
  { config, log }: Pick<AppDependencies, 'config' | 'log'>,
  schema: Schema,
  database: Database,
): Promise<Pick<Services, 'access' | 'accounts'>> {
  const { contentType, ids } = documentContext(database, schema)
  const secret = config.secrets.jwtSecret ?? (await keptJwtSecret(config.dataDir))
  const tokens = openUserTokens(secret, now)
  const users = { db: database, plan: contentType(USER), ids, now }
  const onBackgroundError = (error: unknown): void => {
    log.warn({ err: error }, 'What was to be done behind a request failed')
  }
  const access = await openAccess(database, compileActions(schema), {
    rootApiToken: config.secrets.rootApiToken,
    users: openEndUsers(users, tokens),
    onBackgroundError,
  })
  const { smtpUrl, from, resetPasswordUrl } = config.mail
  const accounts = openAccounts({
    ...users,
    tokens,
    roles: access.roles,
    mailer: smtpUrl === null ? loggingMailer(log) : smtpMailer(smtpUrl, from),
    links: {
      resetPassword: resetPasswordUrl,
      emailConfirmation: `${config.http.publicUrl}/api/auth/email-confirmation`,
    },
    onBackgroundError,
  })
  return { access, accounts }
}

/** Where the bytes of files are kept. @throws ConfigError for a storage that there is not yet. */
async function openStorage(
  { upload: { storage }, dataDir }: Config,
  database: Database,
): Promise<MediaStorage> {
  switch (storage) {
    case 'local':
      return openLocalStorage(join(dataDir, 'uploads'))
    case 'gridfs':
      return openGridFsStorage(database)
    case 's3':
      throw new ConfigError(['UPLOAD_STORAGE: s3 is not there yet; take local or gridfs'])
  }
}

/** @throws ConfigError for a standalone mongod, unless it was accepted. */
async function assertTransactions(database: Database, config: Config, log: Logger): Promise<void> {
  const verdict = judgeStandalone(await database.hello(), config.database.allowStandalone)
  if (verdict.kind === 'refused') throw new ConfigError([verdict.why])
  if (verdict.kind === 'accepted') log.warn(verdict.why)
}

function buildKoa({ config, log }: AppDependencies, services: Services): Koa<RequestState> {
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

/** Beside the uploads, so that a file gets there by a rename. */
function spoolFolder({ dataDir }: Config): string {
  return join(dataDir, 'incoming')
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

const now = (): Date => new Date()

/** What operations on documents are given outside of tests: the clock, and ids by chance. */
export function documentContext(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): DocumentContext {
  const contentType = (uid: Uid): ContentTypePlan => {
    const plan = contentTypes.get(uid)
    if (plan === undefined) throw new Error(`there is no content-type ${uid}`)
    return plan
  }
  return {
    database,
    ids: openIdAllocator(database),
    contentType,
    now,
    newDocumentId,
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
