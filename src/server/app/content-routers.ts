import type { Config } from '../../base/config/config.ts'
import type { GuardedRouter } from '../../http/router/guarded-router.ts'
import { attemptCookie } from '../../http/cookies/attempt-cookie.ts'
import { redirectCookie } from '../../http/cookies/redirect-cookie.ts'
import { authRoutes } from '../../http/routes/auth-routes.ts'
import { connectRoutes } from '../../http/routes/connect-routes.ts'
import type { UserReading } from '../../http/routes/show-user.ts'
import { bulkRoutes } from '../../http/content/bulk-routes.ts'
import { contentRoutes } from '../../http/content/api-routes.ts'
import { descriptionRoutes } from '../../http/routes/description-routes.ts'
import { extensionRouters } from '../../http/extensions/extension-routes.ts'
import { docsRoutes } from '../../http/routes/docs-routes.ts'
import { type LimitInFlight } from '../../http/middleware/limit-in-flight.ts'
import type { CachedReads } from '../../http/reads/cached-reads.ts'
import { listQueries } from '../../http/reads/list-queries.ts'
import { localeRoutes } from '../../http/routes/locale-routes.ts'
import { deviceCookie } from '../../http/cookies/device-cookie.ts'
import type { RefreshCookie } from '../../http/cookies/refresh-cookie.ts'
import { queryRoutes } from '../../http/content/query-routes.ts'
import {
  type SearchRouteDependencies,
  searchedTypes,
  searchRoutes,
} from '../../http/content/search-routes.ts'
import { roleRoutes } from '../../http/routes/role-routes.ts'
import { type Waiting } from '../../http/sync/open-waiting.ts'
import { liveRoutes } from '../../http/sync/live-routes.ts'
import { pushRoutes } from '../../http/sync/push-routes.ts'
import { syncRoutes } from '../../http/sync/sync-routes.ts'
import type { Middleware } from '../../http/router/state.ts'
import { userRoutes } from '../../http/routes/user-routes.ts'
import { uploadRoutes } from '../../http/routes/upload-routes.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { ApiFacts } from '../../describe/openapi/describe-api.ts'
import { apiFacts } from '../services/api-facts.ts'
import { type Services, type ServicesOptions } from '../services/open-services.ts'
import type { MediaParts } from './media-parts.ts'

export interface ContentParts extends Waiting {
  readonly media: MediaParts
  readonly authenticate: Middleware
  readonly authenticateOnly: Middleware
  readonly readBody: Middleware
  readonly readRaw: Middleware
  readonly withoutSlot: LimitInFlight['withoutSlot']
  readonly reads: CachedReads
}

export function contentRouters(
  { config, log }: ServicesOptions,
  services: Services,
  parts: ContentParts,
): ReadonlyMap<string, GuardedRouter> {
  const { schema, documents, access, accounts, creations, locales, commitLog, pushClients } =
    services
  const { media, authenticate, readBody, readRaw, withoutSlot, reads, shutdown, streams } = parts
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
  const listQuery = listQueries(shared)
  const written = { ...shared, authenticate: parts.authenticateOnly }
  const types = [...schema.contentTypes.values()]
  for (const plan of types) {
    if (!plan.uid.startsWith('api::')) continue
    const name = plan.kind === 'singleType' ? plan.singularName : plan.pluralName
    routers.set(name, contentRoutes(plan, { ...written, reads, listQuery }))
  }
  const { maxBodyBytes, maxWaitingPerAddress } = config.http
  const onUnexpected = (err: unknown): void => log.error({ err }, 'unexpected error')
  routers.set('_bulk', bulkRoutes({ ...written, maxBodyBytes, onUnexpected }))
  const ruledTypes = () => access.ruledTypes()
  routers.set('_q', queryRoutes(services.queries, { ...shared, reads, ruledTypes }))
  const waits = { withoutSlot, shutdown, maxWaitingPerAddress }
  routers.set('_sync', syncRoutes({ ...services, ...shared, ...waits }))
  if (types.some(({ push }) => push === true)) {
    routers.set('_push', pushRoutes({ ...written, pushClients, commitLog, readRaw, onUnexpected }))
  }
  routers.set('_live', liveRoutes({ ...shared, access, streams }))
  routers.set('i18n', localeRoutes(authenticate, locales, config.api))
  const signIns = signInRouters({ config, log }, services, shared)
  routers.set('users', userRoutes({ ...shared, accounts, limits: services.limits }))
  routers.set('users-permissions', roleRoutes({ ...shared, access, users: accounts }))
  routers.set('upload', uploadRoutes({ ...shared, media }))
  const facts = (): Promise<ApiFacts> =>
    apiFacts(config, schema, locales, services.extensions.routes)
  routers.set('openapi.json', descriptionRoutes({ authenticate, access, facts }))
  const own = extensionRouters({ ...services, ...config.api.answer, ...parts }, shared)
  // A content-type of an imported project may have this name, and takes precedence.
  if (!routers.has('docs')) routers.set('docs', docsRoutes(config.http.publicUrl))
  return new Map([...routers, ...searchRouters(types, shared), ...signIns, ...own])
}

function searchRouters(
  types: readonly ContentTypePlan[],
  shared: SearchRouteDependencies,
): ReadonlyMap<string, GuardedRouter> {
  const searched = searchedTypes(types)
  return new Map(searched.length > 0 ? [['_search', searchRoutes(searched, shared)]] : [])
}

function signInRouters(
  { config, log }: Pick<ServicesOptions, 'config' | 'log'>,
  { accounts, limits }: Services,
  shared: UserReading & Pick<ContentParts, 'authenticate' | 'readBody'>,
): ReadonlyMap<string, GuardedRouter> {
  const { publicUrl, cookieName } = config.http
  const dependencies = {
    ...shared,
    accounts,
    limits,
    cookie: refreshCookie(config),
    deviceCookie: deviceCookie(publicUrl, cookieName),
    redirectCookie: redirectCookie(publicUrl, cookieName),
  }
  const attempts = attemptCookie(publicUrl, cookieName)
  return new Map([
    ['auth', authRoutes({ ...dependencies, confirmedUrl: config.mail.confirmedUrl })],
    ['connect', connectRoutes({ ...dependencies, attempts, log })],
  ])
}

function refreshCookie({ http, endUsers: { sessions } }: Config): RefreshCookie | null {
  if (sessions === null) return null
  const { publicUrl, cookieName } = http
  return { publicUrl, cookieName, maxSeconds: sessions.maxSeconds, always: sessions.inCookie }
}
