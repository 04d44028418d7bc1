import Joi from 'joi'
import { crossFaults } from './cross-rules.ts'
import { chooseDatabaseName } from './database-name.ts'
import { type OidcConfig, toOidc } from './oidc.ts'
import type {
  AnonymousConfig,
  ApiConfig,
  CacheConfig,
  DatabaseConfig,
  EndUsersConfig,
  HttpConfig,
  MailConfig,
  ObserveConfig,
  PurgeConfig,
  S3Config,
  SecondFactorPolicy,
  SecretsConfig,
  SessionsConfig,
  UploadConfig,
  WebhooksConfig,
} from './sections.ts'
import { plainIssuers, readSignInProviders, type SignInProviders } from './sign-in-providers.ts'
import { VARIABLES } from './variables.ts'
import type { Variable } from './variable.ts'
import type { LogLevel, Settings } from './variables.ts'
import { ConfigError } from '../errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Config {
  readonly production: boolean
  readonly logLevel: LogLevel
  readonly dataDir: string
  readonly contentTypesDir: string
  readonly http: HttpConfig
  readonly database: DatabaseConfig
  readonly api: ApiConfig
  readonly cache: CacheConfig
  readonly secrets: SecretsConfig
  readonly upload: UploadConfig
  readonly mail: MailConfig
  readonly endUsers: EndUsersConfig
  readonly observe: ObserveConfig
  readonly webhooks: WebhooksConfig
  readonly administrators: { readonly secondFactor: SecondFactorPolicy }
  /** Null: administrators only sign in with passwords and passkeys. */
  readonly oidc: OidcConfig | null
}

export interface FileSettings {
  readonly values: Environment
  /** Describes the origin of a value, such as `quire.config.ts:4: http.port`. */
  label(variable: string): string
}

const NO_FILE: FileSettings = { values: {}, label: (variable) => variable }

/** Empty variables count as unset. `env` takes precedence. @throws ConfigError with all faults, without secrets */
export function readConfig(env: Environment, file: FileSettings = NO_FILE): Config {
  const ofEnvironment = onlyOurs(env)
  const given = { ...onlyOurs(file.values), ...ofEnvironment }
  const label = (name: string): string =>
    Object.hasOwn(given, name) && !Object.hasOwn(ofEnvironment, name) ? file.label(name) : name
  const checked = Joi.object(rules()).validate(given, { abortEarly: false })
  const wrong = new Set((checked.error?.details ?? []).map((detail) => String(detail.path[0])))
  const faults = [...wrong].map((name) => `${label(name)}: ${describeFault(name, given[name])}`)
  const settings = checked.value as Settings
  faults.push(...crossFaults(settings, wrong).map(({ of, right }) => `${label(of)}: ${right}`))
  const ofProviders = providerSettings(env, file)
  const signIn = readSignInProviders(ofProviders.values, ofProviders.label)
  faults.push(...signIn.faults)
  if (!settings.OIDC_ALLOW_HTTP) {
    faults.push(...plainIssuers(signIn.providers, ofProviders.label))
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return toConfig(settings, signIn.providers)
}

interface ProviderSettings {
  readonly values: Environment
  readonly label: (variable: string) => string
}

/** A missing variable belongs to the file if the file configures its provider. */
function providerSettings(env: Environment, file: FileSettings): ProviderSettings {
  const isSet = (name: string): boolean => (env[name]?.trim() ?? '') !== ''
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => isSet(name)))
  const providerOf = (variable: string): string => variable.split('_').slice(0, 3).join('_')
  const inFile = new Set(Object.keys(file.values).map(providerOf))
  const isInFile = (name: string): boolean => !isSet(name) && inFile.has(providerOf(name))
  return {
    values: { ...file.values, ...given },
    label: (name) => (isInFile(name) ? file.label(name) : name),
  }
}

function onlyOurs(env: Environment): Record<string, string> {
  const entries = Object.keys(VARIABLES).map((name) => [name, env[name]?.trim() ?? ''] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

function rules(): Record<string, Joi.Schema> {
  return Object.fromEntries(Object.entries(VARIABLES).map(([name, { rule }]) => [name, rule]))
}

function describeFault(name: string, given: string | undefined): string {
  const variable: Variable = VARIABLES[name as keyof typeof VARIABLES]
  const what = variable.secret ? 'what is given (not shown)' : JSON.stringify(given)
  return `${what} is not ${variable.expected}`
}

function toConfig(settings: Settings, signInProviders: SignInProviders): Config {
  const production = settings.NODE_ENV === 'production'
  return Object.freeze({
    production,
    logLevel: settings.LOG_LEVEL,
    dataDir: settings.QUIRE_DATA_DIR,
    contentTypesDir: settings.CONTENT_TYPES_DIR,
    http: toHttp(settings),
    database: toDatabase(settings),
    api: Object.freeze({
      defaultLimit: settings.API_DEFAULT_LIMIT ?? Math.min(25, settings.API_MAX_LIMIT),
      maxLimit: settings.API_MAX_LIMIT,
      answer: Object.freeze({
        maxEntries: settings.API_MAX_ENTRIES,
        maxBytes: settings.API_MAX_BYTES,
      }),
      strictQuery: settings.QUIRE_STRICT_QUERY,
    }),
    cache: toCache(settings),
    secrets: Object.freeze({
      rootApiToken: settings.ROOT_API_TOKEN ?? null,
      jwtSecret: settings.JWT_SECRET ?? null,
      metricsToken: settings.METRICS_TOKEN ?? null,
    }),
    upload: toUpload(settings),
    mail: toMail(settings),
    endUsers: Object.freeze({
      emailConfirmation: settings.EMAIL_CONFIRMATION,
      signInProviders,
      linkByEmail: settings.SIGN_IN_LINK_BY_EMAIL,
      registerFields: settings.REGISTER_FIELDS,
      anonymous: toAnonymous(settings),
      sessions: settings.UP_JWT_MANAGEMENT === 'refresh' ? toSessions(settings) : null,
    }),
    administrators: Object.freeze({ secondFactor: settings.ADMIN_SECOND_FACTOR }),
    oidc: toOidc(settings),
    webhooks: Object.freeze({ allowHosts: settings.WEBHOOK_ALLOW_HOSTS }),
    observe: Object.freeze({
      commands: settings.MONITOR_COMMANDS ?? (production ? 'off' : 'requests'),
      slowRequestMs: settings.SLOW_REQUEST_MS === 0 ? null : settings.SLOW_REQUEST_MS,
    }),
  })
}

function toAnonymous(settings: Settings): AnonymousConfig | null {
  if (!settings.ANONYMOUS_USERS) return null
  return Object.freeze({
    perNetwork: settings.ANONYMOUS_MAX_PER_NETWORK,
    max: settings.ANONYMOUS_MAX,
    days: settings.ANONYMOUS_DAYS,
  })
}

function toCache(settings: Settings): CacheConfig {
  return Object.freeze({
    bytes: settings.CACHE_BYTES,
    staleMs: settings.CACHE_STALE_MS,
    maxAgeSeconds: settings.CACHE_MAX_AGE,
    tags: settings.CACHE_TAGS ?? null,
    purge: toPurge(settings),
  })
}

function toPurge({ CDN_PURGE, CDN_PURGE_URL, CDN_PURGE_TOKEN }: Settings): PurgeConfig | null {
  if (CDN_PURGE === undefined || CDN_PURGE_URL === undefined) return null
  return Object.freeze({ kind: CDN_PURGE, urls: CDN_PURGE_URL, token: CDN_PURGE_TOKEN ?? null })
}

function toSessions(settings: Settings): SessionsConfig {
  return Object.freeze({
    accessSeconds: settings.UP_SESSIONS_ACCESS_TTL,
    idleSeconds: settings.UP_SESSIONS_IDLE_REFRESH_TTL,
    maxSeconds: settings.UP_SESSIONS_MAX_REFRESH_TTL,
    inCookie: settings.UP_SESSIONS_HTTPONLY,
  })
}

/** Half of the waiting requests of a process, see docs/sync.md. */
const WAITING_PER_ADDRESS = 1_000

function toHttp(settings: Settings): HttpConfig {
  const given = settings.PUBLIC_URL?.replace(/\/+$/, '')
  const publicUrl = given ?? localAddress(settings.HOST, settings.PORT)
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    publicUrl,
    cookieName: settings.COOKIE_NAME ?? (URL.canParse(publicUrl) ? new URL(publicUrl).port : ''),
    corsOrigin: settings.CORS_ORIGIN,
    trustedProxies: settings.TRUST_PROXY,
    rateLimit: settings.RATE_LIMIT,
    mcp: settings.MCP,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxReadingBytes: settings.MAX_READING_BYTES,
    maxInFlight: settings.MAX_IN_FLIGHT ?? null,
    maxUnsentBytes: settings.MAX_UNSENT_BYTES,
    maxLive: settings.MAX_LIVE,
    maxLivePerAddress: settings.MAX_LIVE_PER_ADDRESS ?? Math.ceil(settings.MAX_LIVE / 2),
    maxWaitingPerAddress: settings.MAX_LIVE_PER_ADDRESS ?? WAITING_PER_ADDRESS,
    connections: Object.freeze({
      headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
      keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
      silenceTimeoutMs: settings.SOCKET_TIMEOUT_MS,
      maxHeaderBytes: settings.MAX_HEADER_BYTES,
      maxConnections: settings.MAX_CONNECTIONS,
    }),
  })
}

export function localAddress(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${anywhere ? 'localhost' : name}:${port}`
}

function toDatabase(settings: Settings): DatabaseConfig {
  return Object.freeze({
    kind: settings.QUIRE_DATABASE ?? null,
    uri: settings.MONGODB_URI ?? null,
    name: chooseDatabaseName(settings),
    allowStandalone: settings.QUIRE_ALLOW_STANDALONE,
    queryTimeoutMs: settings.QUERY_TIMEOUT_MS,
    countLimit: settings.COUNT_LIMIT,
    logRetentionDays: settings.LOG_RETENTION_DAYS,
    historyDays: settings.HISTORY_DAYS,
    pushClientDays: settings.PUSH_CLIENT_DAYS,
    trashDays: settings.TRASH_DAYS,
    countTimeoutMs: settings.COUNT_TIMEOUT_MS ?? Math.ceil(settings.QUERY_TIMEOUT_MS * 0.75),
    maxPoolSize: settings.MONGODB_MAX_POOL_SIZE,
    waitQueueTimeoutMs: settings.MONGODB_QUEUE_TIMEOUT_MS,
  })
}

function toMail(settings: Settings): MailConfig {
  return Object.freeze({
    smtpUrl: settings.SMTP_URL ?? null,
    from: settings.MAIL_FROM,
    resetPasswordUrl: settings.RESET_PASSWORD_URL ?? null,
    confirmedUrl: settings.EMAIL_CONFIRMED_URL ?? null,
  })
}

function toUpload(settings: Settings): UploadConfig {
  return Object.freeze({
    storage: settings.UPLOAD_STORAGE,
    maxUploadBytes: settings.MAX_UPLOAD_BYTES,
    images: Object.freeze({
      sizes: settings.IMAGE_SIZES,
      signingKey: settings.IMAGE_SIGNING_KEY ?? null,
    }),
    s3: toS3(settings),
  })
}

function toS3(settings: Settings): S3Config | null {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  if (settings.UPLOAD_STORAGE !== 's3' || S3_BUCKET === undefined) return null
  const credentials =
    S3_ACCESS_KEY_ID === undefined || S3_SECRET_ACCESS_KEY === undefined
      ? null
      : Object.freeze({ accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY })
  return Object.freeze({
    bucket: S3_BUCKET,
    region: settings.S3_REGION,
    endpoint: settings.S3_ENDPOINT ?? null,
    credentials,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    keyPrefix: settings.S3_KEY_PREFIX,
    publicUrl: settings.S3_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
  })
}
