import type { Registry } from 'prom-client'
import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { isFirstWanted } from '../people/administrators/sign-in.ts'
import { studioLink } from '../people/administrators/studio-links.ts'
import type { Config } from '../base/config/config.ts'
import type { StudioBranding } from '../base/config/studio-settings.ts'
import { brandStudio } from '../http/answer/brand-studio.ts'
import { openBodyBudget } from '../http/body/body-budget.ts'
import type { GuardedRouter, DeclaredRoute } from '../http/router/guarded-router.ts'
import { apiRoutes, refuseUndecodable } from '../http/router/api-routes.ts'
import { authenticate, authenticateOnly } from '../http/middleware/authenticate.ts'
import { managementRouters } from '../http/admin/management-routers.ts'
import { healthRoutes } from '../http/routes/health-routes.ts'
import { type LimitInFlight, limitInFlight } from '../http/middleware/limit-in-flight.ts'
import { confirmRelease } from '../http/middleware/confirm-release.ts'
import { sendWrittenTime } from '../http/reads/causal-reads.ts'
import { openReads } from '../http/reads/open-reads.ts'
import { mcpRoutes } from '../http/mcp/mcp-routes.ts'
import { readConversion } from '../mongo/conversions/conversion-progress.ts'
import { measureConversion, measureForeign, measureLog } from '../http/middleware/measure-log.ts'
import { createMetrics, type Metrics } from '../http/middleware/measure-requests.ts'
import { readBody } from '../http/body/read-body.ts'
import { MAX_FILE_BYTES } from '../content/translation/translation-file.ts'
import { readRawBody } from '../http/body/read-raw-body.ts'
import { openWaiting, type Waiting } from '../http/sync/open-waiting.ts'
import { rootRoutes } from '../http/routes/root-routes.ts'
import { readOnce, serveStudio } from '../http/routes/serve-studio.ts'
import { serveUploads } from '../http/routes/serve-uploads.ts'
import type { Middleware } from '../http/router/state.ts'
import { readStudioFiles } from '../http/answer/studio-files.ts'
import { previewOrigins } from '../schema/preview-template.ts'
import { openServices, type Services, type ServicesOptions } from './services/open-services.ts'
import { buildKoa } from './app/build-koa.ts'
import { contentRouters } from './app/content-routers.ts'
import { type MediaParts, mediaOf } from './app/media-parts.ts'

export interface App {
  readonly routes: readonly DeclaredRoute[]
  /** Null if a content-type uses the path. */
  readonly docsPath: string | null
  callback(): RequestListener
  /** Null if an administrator exists. */
  firstStartLink(): Promise<string | null>
  /** Ends long polls and streams before the server stops. */
  leave(): void
  /** All requests must have ended. */
  close(): Promise<void>
}

export interface AppOptions extends ServicesOptions {
  /** Ignored in production. */
  readonly editableTypes?: boolean | undefined
  /** The branding of the Studio. */
  readonly studio?: StudioBranding | null | undefined
}

export async function createApp(dependencies: AppOptions): Promise<App> {
  return buildApp(dependencies, await openServices(dependencies))
}

/** Keeps all connections of the pool busy, without long waits for one. */
const IN_FLIGHT_PER_CONNECTION = 4

export function buildApp(dependencies: AppOptions, services: Services): App {
  const media = mediaOf(dependencies.config, services)
  const { maxInFlight } = dependencies.config.http
  const limited = limitInFlight(
    maxInFlight ?? IN_FLIGHT_PER_CONNECTION * services.database.maxPoolSize,
  )
  const whoAsks = limited(authenticate(services.access))
  const { registry, measure } = createMetrics(services.monitor)
  const { access, changes: clock, database } = services
  const config = dependencies.config.cache
  const reads = openReads({ config, database, actions: access.actions, clock, registry })
  const { log, config: all } = dependencies
  const { maxLive: max, maxLivePerAddress: maxPerAddress, ...http } = all.http
  const waiting = openWaiting({ ...services, max, maxPerAddress, log, registry })
  const bodies = openBodies(http)
  const routers = contentRouters(dependencies, services, {
    media,
    authenticate: whoAsks,
    authenticateOnly: limited(authenticateOnly(services.access)),
    ...bodies,
    withoutSlot: (request, wait) => limited.withoutSlot(request, wait),
    reads,
    ...waiting,
  })
  measureDatabase(registry, services)
  const docsPath = isDocs(routers) ? '/api/docs' : null
  const { presenceStreams } = waiting
  const parts: Parts = { media, limited, registry, ...bodies, docsPath, presenceStreams }
  const others = openRouters(dependencies, services, parts)
  const koa = buildKoa(dependencies, services, measure, [
    confirmRelease(database),
    sendWrittenTime(database),
    apiRoutes(routers), // first, because most requests match here
    ...others.flatMap((router) => [router.routes(), router.allowedMethods()]),
    refuseUndecodable(),
  ])
  return {
    routes: [...routers.values(), ...others].flatMap(({ declared }) => declared),
    docsPath,
    callback: () => koa.callback(),
    firstStartLink: () => firstStartLink(dependencies.config, services),
    leave: () => waiting.shutdown.begin(),
    close: async () => {
      waiting.shutdown.begin()
      await waiting.close()
      await services.close()
    },
  }
}

const STUDIO_FOLDER = fileURLToPath(new URL('../../studio/', import.meta.url))
/** Shared by all servers of a process. */
const studioFiles = readOnce(() => readStudioFiles(STUDIO_FOLDER))

function openBodies({
  maxReadingBytes,
  maxBodyBytes,
}: Pick<Config['http'], 'maxReadingBytes' | 'maxBodyBytes'>) {
  const budget = openBodyBudget(maxReadingBytes)
  return {
    readBody: readBody(maxBodyBytes, budget),
    readRaw: readRawBody(maxBodyBytes, budget),
    readFile: readRawBody(MAX_FILE_BYTES, budget),
  }
}

async function firstStartLink(
  { http: { publicUrl } }: Config,
  { administrators }: Services,
): Promise<string | null> {
  if (!(await isFirstWanted(administrators))) return null
  return studioLink(publicUrl, 'first', await administrators.links.make('first', null))
}

interface Parts {
  readonly media: MediaParts
  readonly limited: LimitInFlight
  readonly registry: Metrics['registry']
  readonly readBody: Middleware
  readonly readRaw: Middleware
  readonly readFile: Middleware
  readonly docsPath: string | null
  readonly presenceStreams: Waiting['presenceStreams']
}

function isDocs(routers: ReadonlyMap<string, GuardedRouter>): boolean {
  return routers.get('docs')?.declared.some(({ access }) => access === 'everyone') === true
}

function openRouters(
  { config, log, editableTypes = false, studio: branding = null }: AppOptions,
  services: Services,
  { media, limited, registry, readBody, readRaw, readFile, docsPath, presenceStreams }: Parts,
): readonly GuardedRouter[] {
  const { trustedProxies } = config.http
  const health = healthRoutes({
    assertReady: async () => {
      await services.database.ping()
      await services.database.confirm()
    },
    metrics: registry,
    metricsToken: config.secrets.metricsToken,
    behindProxy: trustedProxies > 0,
  })
  const management = managementRouters({
    ...services,
    behind: services.accounts.behind,
    config,
    log,
    editableTypes: editableTypes && !config.production,
    limited,
    readBody,
    readRaw,
    readFile,
    media,
    presenceStreams,
  })
  const branded = async () => brandStudio(await studioFiles(), branding)
  const studio = serveStudio(branded, previewOrigins(services.definitions))
  const agents = mcpRoutes({
    ...services,
    ...config,
    authenticate: limited(authenticate(services.access)),
    readBody,
  })
  const uploads = serveUploads(media.served, limited)
  const root = rootRoutes(docsPath)
  return [health, root, ...management, studio, uploads, ...(config.http.mcp ? [agents] : [])]
}

function measureDatabase(
  registry: Registry,
  { commitLog, purger, foreignFollower, database }: Services,
): void {
  measureLog(registry, () => commitLog.health(), purger.health)
  measureForeign(registry, foreignFollower.health)
  measureConversion(registry, () => readConversion(database))
}
