import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import Koa from 'koa'
import compress from 'koa-compress'
import { isFirstWanted } from './administrators/sign-in.ts'
import { studioLink } from './administrators/studio-links.ts'
import type { Config } from './config/config.ts'
import { openBodyBudget } from './http/body-budget.ts'
import { answerUnrouted } from './http/middleware/answer-unrouted.ts'
import type { GuardedRouter, DeclaredRoute } from './http/guarded-router.ts'
import { apiRoutes, refuseUndecodable } from './http/api-routes.ts'
import { authRoutes, connectRoutes } from './http/routes/auth-routes.ts'
import { authenticate } from './http/middleware/authenticate.ts'
import { bulkRoutes } from './http/routes/bulk-routes.ts'
import { contentRoutes } from './http/routes/content-routes.ts'
import { descriptionRoutes } from './http/routes/description-routes.ts'
import { crossOrigin } from './http/middleware/cross-origin.ts'
import { docsRoutes } from './http/routes/docs-routes.ts'
import { drainRequests } from './http/middleware/drain-requests.ts'
import { tagCodings } from './http/entity-tag.ts'
import { managementRouters } from './http/admin/management-routers.ts'
import { handleErrors } from './http/middleware/handle-errors.ts'
import { isHangUp } from './http/hang-ups.ts'
import { healthRoutes } from './http/routes/health-routes.ts'
import { identifyRequest } from './http/middleware/identify-request.ts'
import { type LimitInFlight, limitInFlight } from './http/middleware/limit-in-flight.ts'
import type { KeptReads } from './http/reads/kept-reads.ts'
import { openReads } from './http/reads/open-reads.ts'
import { limitUnsent } from './http/middleware/limit-unsent.ts'
import { localeRoutes } from './http/routes/locale-routes.ts'
import { logRequests } from './http/middleware/log-requests.ts'
import { logSlowRequests } from './http/middleware/log-slow-requests.ts'
import { mcpRoutes } from './http/mcp/mcp-routes.ts'
import { measureLog } from './http/middleware/measure-log.ts'
import { createMetrics, type Metrics } from './http/middleware/measure-requests.ts'
import { type FinishedRequest, observeRequests } from './http/middleware/observe-requests.ts'
import { readBody } from './http/read-request.ts'
import type { RefreshCookie } from './http/routes/refresh-cookie.ts'
import { queryRoutes } from './http/routes/query-routes.ts'
import { roleRoutes } from './http/routes/role-routes.ts'
import { securityHeaders } from './http/middleware/security-headers.ts'
import { serializeJson } from './http/middleware/serialize-json.ts'
import { openWaiting, type Waiting } from './http/sync/open-waiting.ts'
import { liveRoutes } from './http/sync/live-routes.ts'
import { syncRoutes } from './http/sync/sync-routes.ts'
import { setServerTiming } from './http/middleware/server-timing.ts'
import { serveStudio } from './http/routes/serve-studio.ts'
import { type ServedUploads, serveUploads } from './http/routes/serve-uploads.ts'
import type { Middleware, RequestState } from './http/state.ts'
import { readStudioFiles } from './http/studio-files.ts'
import { userRoutes } from './http/routes/user-routes.ts'
import { type UploadRouteDependencies, uploadRoutes } from './http/routes/upload-routes.ts'
import type { ApiFacts } from './openapi/describe-api.ts'
import { previewOrigins } from './schema/preview-template.ts'
import { apiFacts } from './services/api-facts.ts'
import { openServices, type Services, type ServicesOptions } from './services/open-services.ts'

export interface App {
  /** Every route there is, and who gets through to it. */
  readonly routes: readonly DeclaredRoute[]
  /** Where a person can read what the API is; null where a content-type has that name. */
  readonly docsPath: string | null
  callback(): RequestListener
  /** Where the first administrator is made, by whoever has the link; null once there is one. */
  firstStartLink(): Promise<string | null>
  /** The server stops: sends away who waits for what comes later. */
  leave(): void
  /** Lets go of the database; what is in flight must have ended. */
  close(): Promise<void>
}

export interface AppOptions extends ServicesOptions {
  /** Whether administrators change declarations in the Studio: never in production, whatever this says. */
  readonly editableTypes?: boolean | undefined
}

/**
 * The server, ready to be listened with: content-types compiled, database connected, indexes in place.
 * @throws SchemaError for declarations that cannot be used, ServiceUnavailableError without a database.
 */
export async function createApp(dependencies: AppOptions): Promise<App> {
  return buildApp(dependencies, await openServices(dependencies))
}

/** So that each of a pool's connections has work, and the last of those that wait does not wait for long. */
const IN_FLIGHT_PER_CONNECTION = 4

/** The server on services that are open already; it closes them with itself. */
export function buildApp(dependencies: AppOptions, services: Services): App {
  const media = mediaOf(dependencies.config, services)
  const { maxInFlight } = dependencies.config.http
  const limited = limitInFlight(
    maxInFlight ?? IN_FLIGHT_PER_CONNECTION * services.database.maxPoolSize,
  )
  const whoAsks = limited(authenticate(services.access))
  const { registry, measure } = createMetrics(services.monitor)
  const { access, changes: clock } = services
  const config = dependencies.config.cache
  const reads = openReads({ config, actions: access.actions, clock, registry })
  const { log, config: all } = dependencies
  const { maxLive: max, maxLivePerAddress: maxPerAddress, ...http } = all.http
  const waiting = openWaiting({ ...services, max, maxPerAddress, log, registry })
  const read = readBody(http.maxBodyBytes, openBodyBudget(http.maxReadingBytes))
  const routers = contentRouters(dependencies, services, {
    media,
    authenticate: whoAsks,
    readBody: read,
    aside: (request, wait) => limited.aside(request, wait),
    reads,
    ...waiting,
  })
  measureLog(registry, () => services.commitLog.health(), services.purger.health)
  const parts: Parts = { media, limited, registry, readBody: read }
  const others = openRouters(dependencies, services, parts)
  const koa = buildKoa(dependencies, services, measure, [
    apiRoutes(routers), // first: by far the most requests are theirs
    ...others.flatMap((router) => [router.routes(), router.allowedMethods()]),
    refuseUndecodable(),
  ])
  return {
    routes: [...routers.values(), ...others].flatMap(({ declared }) => declared),
    docsPath: isDocs(routers) ? '/api/docs' : null,
    callback: () => koa.callback(),
    firstStartLink: () => firstStartLink(dependencies.config, services),
    leave: () => waiting.departure.begin(),
    close: async () => {
      waiting.departure.begin()
      await waiting.streams.close()
      await services.close()
    },
  }
}

/** Where `npm run build` puts the app for editors. */
const STUDIO_FOLDER = fileURLToPath(new URL('../studio/', import.meta.url))

async function firstStartLink(
  { http: { publicUrl } }: Config,
  { administrators }: Services,
): Promise<string | null> {
  if (!(await isFirstWanted(administrators))) return null
  return studioLink(publicUrl, 'first', await administrators.links.make('first', null))
}

/** What stands before routes, and what files they serve. */
interface Parts {
  readonly media: Media
  readonly limited: LimitInFlight
  readonly registry: Metrics['registry']
  readonly readBody: Middleware
}

/** The routes that are not under `/api`. */
function openRouters(
  { config, log, editableTypes = false }: AppOptions,
  services: Services,
  { media, limited, registry, readBody }: Parts,
): readonly GuardedRouter[] {
  const { trustedProxies } = config.http
  const health = healthRoutes({
    assertReady: () => services.database.ping(),
    metrics: registry,
    metricsToken: config.secrets.metricsToken,
    behindProxy: trustedProxies > 0,
  })
  const management = managementRouters({
    ...services,
    config,
    log,
    editableTypes: editableTypes && !config.production,
    limited,
    readBody,
    media: { library: media.library, receive: media.receive },
  })
  const studio = serveStudio(readStudioFiles(STUDIO_FOLDER), previewOrigins(services.definitions))
  const agents = mcpRoutes({
    ...services,
    ...config,
    authenticate: limited(authenticate(services.access)),
    readBody,
  })
  const uploads = serveUploads(media.served, limited)
  return [health, ...management, studio, uploads, ...(config.http.mcp ? [agents] : [])]
}

function buildKoa(
  { config, log }: ServicesOptions,
  { monitor, explain }: Services,
  measure: Metrics['measure'],
  routes: readonly Middleware[],
): Koa<RequestState> {
  const { trustedProxies } = config.http
  const koa = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  koa.on('error', (error: unknown) => {
    if (isHangUp(error)) log.debug('A client closed the connection or did not speak HTTP')
    else log.warn({ err: error }, 'A response could not be sent')
  })
  koa.use(drainRequests())
  koa.use(identifyRequest())
  koa.use(logRequests(log))
  koa.use(
    observeRequests(monitor, [
      measure,
      ...(config.production ? [] : [setServerTiming]),
      ...slowRequestLog(config, log, explain),
    ]),
  )
  koa.use(securityHeaders())
  koa.use(crossOrigin(config.http))
  koa.use(tagCodings())
  koa.use(compress({ threshold: 1024 }))
  koa.use(handleErrors(log))
  koa.use(limitUnsent(config.http.maxUnsentBytes))
  koa.use(serializeJson())
  koa.use(answerUnrouted())
  for (const handle of routes) koa.use(handle)
  return koa
}

function slowRequestLog(
  { observe: { slowRequestMs } }: Config,
  log: ServicesOptions['log'],
  explain: Services['explain'],
): readonly ((finished: FinishedRequest) => void)[] {
  if (slowRequestMs === null) return []
  return [logSlowRequests({ log, thresholdMs: slowRequestMs, explain, now: () => new Date() })]
}

interface ContentParts extends Waiting {
  readonly media: Media
  readonly authenticate: Middleware
  readonly readBody: Middleware
  readonly aside: LimitInFlight['aside']
  readonly reads: KeptReads
}

function contentRouters(
  { config, log }: ServicesOptions,
  services: Services,
  { media, authenticate, readBody, aside, reads, departure, streams }: ContentParts,
): ReadonlyMap<string, GuardedRouter> {
  const { schema, documents, access, accounts, creations, limits, locales, commitLog } = services
  const shared = {
    documents,
    creations,
    planning: services.planning,
    schema,
    locales,
    api: config.api,
    authenticate,
    readBody,
  }
  const routers = new Map<string, GuardedRouter>()
  for (const plan of schema.contentTypes.values()) {
    if (!plan.uid.startsWith('api::')) continue
    const name = plan.kind === 'singleType' ? plan.singularName : plan.pluralName
    routers.set(name, contentRoutes(plan, { ...shared, reads }))
  }
  const { maxBodyBytes } = config.http
  const onUnexpected = (err: unknown): void => log.error({ err }, 'unexpected error')
  routers.set('_bulk', bulkRoutes({ ...shared, maxBodyBytes, onUnexpected }))
  routers.set('_q', queryRoutes(services.queries, { ...shared, reads }))
  routers.set('_sync', syncRoutes({ ...shared, access, commitLog, aside, departure }))
  routers.set('_live', liveRoutes({ ...shared, access, streams }))
  routers.set('i18n', localeRoutes(authenticate, locales))
  const { confirmedUrl } = config.mail
  const cookie = refreshCookie(config)
  routers.set('auth', authRoutes({ ...shared, accounts, limits, confirmedUrl, cookie }))
  routers.set('connect', connectRoutes(shared.authenticate))
  routers.set('users', userRoutes({ ...shared, accounts }))
  routers.set('users-permissions', roleRoutes({ ...shared, access, users: accounts }))
  routers.set('upload', uploadRoutes({ ...shared, media }))
  const facts = (): Promise<ApiFacts> => apiFacts(config, schema, locales)
  routers.set('openapi.json', descriptionRoutes({ authenticate, access, facts }))
  // A content-type of a project that was brought along may be called so, and goes first.
  if (!routers.has('docs')) routers.set('docs', docsRoutes(config.http.publicUrl))
  return routers
}

function isDocs(routers: ReadonlyMap<string, GuardedRouter>): boolean {
  return routers.get('docs')?.declared.some(({ access }) => access === 'everyone') === true
}

function refreshCookie({ http: { publicUrl }, endUsers }: Config): RefreshCookie | null {
  const { sessions } = endUsers
  return sessions?.inCookie === true ? { publicUrl, maxSeconds: sessions.maxSeconds } : null
}

interface Media extends Pick<UploadRouteDependencies['media'], 'library' | 'receive'> {
  readonly served: ServedUploads
}

function mediaOf(
  { upload }: Config,
  { media: { library, files, variants }, spoolFolder }: Services,
): Media {
  return {
    library,
    receive: { spoolFolder, maxBytes: upload.maxUploadBytes },
    served: { files, variants, rules: upload.images },
  }
}
