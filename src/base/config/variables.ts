import Joi from 'joi'
import { DATABASE_NAME, MAX_DATABASE_NAME_BYTES } from './database-name.ts'
import type { SecondFactorPolicy } from './sections.ts'
import { issuer, type OidcRoleRule, toRoleRules } from './oidc-rules.ts'
import {
  addresses,
  at,
  checked,
  oneOf,
  onOff,
  optional,
  optionalOf,
  page,
  secret,
  text,
  toHosts,
  toNames,
  toOrigins,
  toProxyCount,
  toSecondFactor,
  toSizes,
  url,
  whole,
  type NamedVariable,
} from './variable.ts'

export type Settings = {
  readonly [Name in VariableName]: ValueOf<(typeof VARIABLES)[Name]>
}

export type VariableName = keyof typeof VARIABLES

export type ValueOf<Declared> = Declared extends NamedVariable<string, infer Value> ? Value : never

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const IMAGE_SIZES: readonly number[] = [
  16, 32, 48, 64, 96, 128, 256, 384, 512, 640, 750, 828, 1080, 1200, 1920, 2048, 3840,
]

/** All variables of Quire. A test compares them with `docs/configuration.md`. */
export const VARIABLES = {
  NODE_ENV: at(
    'mode',
    checked<'production' | 'development' | 'test' | undefined>(
      Joi.valid('production', 'development', 'test'),
      'one of production, development, test',
    ),
  ),
  HOST: at(
    'http.host',
    text('0.0.0.0', Joi.string().hostname(), 'an address or a host name to listen on'),
  ),
  PORT: at('http.port', whole(1337, 0, 65_535)),
  PUBLIC_URL: at(
    'http.publicUrl',
    optional(url('http', 'https'), 'an http:// or https:// address'),
  ),
  /** Default: the port of PUBLIC_URL, if any. */
  COOKIE_NAME: at(
    'http.cookieName',
    optional(Joi.string().pattern(/^[\w-]{1,40}$/), 'at most 40 letters, digits, _ and -'),
  ),
  CORS_ORIGIN: at(
    'http.corsOrigin',
    checked<'*' | readonly string[]>(
      Joi.string().default('*').custom(toOrigins),
      '"*", or origins such as https://app.example.org, with commas between them',
      'list',
    ),
  ),
  TRUST_PROXY: at(
    'http.trustProxy',
    checked<number>(
      Joi.string().default(0).custom(toProxyCount),
      'on, off, or how many proxies stand in front (1 to 10)',
      'number',
    ),
  ),
  MONGODB_URI: at(
    'database.uri',
    secret(url('mongodb', 'mongodb+srv'), 'a mongodb:// or mongodb+srv:// address'),
  ),
  MONGODB_DATABASE: at(
    'database.name',
    optional(
      Joi.string().max(MAX_DATABASE_NAME_BYTES, 'utf8').pattern(DATABASE_NAME),
      'a database name: at most 63 bytes, none of / \\ . " $ * < > : | ? and no space',
    ),
  ),
  QUIRE_DATABASE: at('database.kind', optionalOf(['uri', 'mongod', 'embedded'])),
  QUIRE_DATA_DIR: at('dataDir', text('.quire', Joi.string(), 'a folder')),
  QUIRE_ALLOW_STANDALONE: at('database.allowStandalone', onOff(false)),
  CONTENT_TYPES_DIR: at('contentTypesDir', text('content-types', Joi.string(), 'a folder')),
  ROOT_API_TOKEN: at(
    'secrets.rootApiToken',
    secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  ),
  JWT_SECRET: at('secrets.jwtSecret', secret(Joi.string(), 'a long random text')),
  METRICS_TOKEN: at(
    'secrets.metricsToken',
    secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  ),
  OIDC_ISSUER: at(
    'oidc.issuer',
    optional(
      issuer(),
      'an https:// address; http:// for this machine alone (localhost, 127.0.0.1, [::1])',
    ),
  ),
  OIDC_ALLOW_HTTP: at('oidc.allowHttp', onOff(false)),
  OIDC_CLIENT_ID: at(
    'oidc.clientId',
    optional(Joi.string(), 'what the provider calls this server'),
  ),
  OIDC_CLIENT_SECRET: at(
    'oidc.clientSecret',
    secret(Joi.string(), 'what the provider gave for the client'),
  ),
  OIDC_LABEL: at(
    'oidc.label',
    text('single sign-on', Joi.string().max(60), 'at most 60 characters'),
  ),
  OIDC_SCOPE: at(
    'oidc.scope',
    text(
      'openid email profile',
      Joi.string().pattern(/^(?=.*\bopenid\b)[\x21\x23-\x5b\x5d-\x7e ]+$/),
      'scopes with spaces between them, openid among them',
    ),
  ),
  OIDC_ROLES_CLAIM: at(
    'oidc.rolesClaim',
    text('groups', Joi.string().max(200), 'the name of a claim, or a path with dots'),
  ),
  OIDC_ROLES: at(
    'oidc.roles',
    checked<readonly OidcRoleRule[]>(
      Joi.string().default([]).custom(toRoleRules),
      'pairs such as cms-admins=administrator,staff=editor; *=author is everybody',
      'list',
    ),
  ),
  ADMIN_SECOND_FACTOR: at(
    'administrators.secondFactor',
    checked<SecondFactorPolicy>(
      Joi.string().default('off').custom(toSecondFactor),
      'off, required, or types of roles such as administrator,editor',
      'list',
    ),
  ),
  UP_JWT_MANAGEMENT: at(
    'endUsers.jwtManagement',
    oneOf(['legacy-support', 'refresh'], 'legacy-support'),
  ),
  UP_SESSIONS_ACCESS_TTL: at('endUsers.accessSeconds', whole(1_800, 60, 2_592_000)),
  UP_SESSIONS_IDLE_REFRESH_TTL: at('endUsers.idleRefreshSeconds', whole(604_800, 60, 31_536_000)),
  UP_SESSIONS_MAX_REFRESH_TTL: at('endUsers.maxRefreshSeconds', whole(2_592_000, 60, 31_536_000)),
  UP_SESSIONS_HTTPONLY: at('endUsers.httpOnly', onOff(false)),
  EMAIL_CONFIRMATION: at('endUsers.emailConfirmation', onOff(false)),
  SIGN_IN_LINK_BY_EMAIL: at('endUsers.linkByEmail', onOff(false)),
  ANONYMOUS_USERS: at('endUsers.anonymous', onOff(false)),
  ANONYMOUS_MAX_PER_NETWORK: at('endUsers.anonymousNetwork', whole(20, 1, 1_000_000)),
  ANONYMOUS_MAX: at('endUsers.anonymousMax', whole(100_000, 1, 10_000_000)),
  ANONYMOUS_DAYS: at('endUsers.anonymousDays', whole(90, 1, 3_650)),
  REGISTER_FIELDS: at(
    'endUsers.registerFields',
    checked<readonly string[]>(
      Joi.string().default([]).custom(toNames),
      'names of attributes of users such as bio,age, with commas between them',
      'list',
    ),
  ),
  /** Default: 25, or API_MAX_LIMIT if lower. */
  API_DEFAULT_LIMIT: at('api.defaultLimit', whole(undefined, 1, 100_000)),
  API_MAX_LIMIT: at('api.maxLimit', whole(100, 1, 100_000)),
  API_MAX_ENTRIES: at('api.maxEntries', whole(10_000, 1, 10_000_000)),
  API_MAX_BYTES: at('api.maxBytes', whole(33_554_432, 65_536, 268_435_456)),
  QUIRE_STRICT_QUERY: at('api.strictQuery', onOff(false)),
  MAX_BODY_BYTES: at('http.maxBodyBytes', whole(1_048_576, 1024, 1_073_741_824)),
  MAX_UPLOAD_BYTES: at('upload.maxBytes', whole(209_715_200, 1024, Number.MAX_SAFE_INTEGER)),
  QUERY_TIMEOUT_MS: at('database.queryTimeoutMs', whole(2000, 1, 3_600_000)),
  COUNT_LIMIT: at('database.countLimit', whole(100_000, 1, 2_147_483_646)),
  LOG_RETENTION_DAYS: at('database.logRetentionDays', whole(90, 1, 3_650)),
  HISTORY_DAYS: at('database.historyDays', whole(365, 1, 36_500)),
  PUSH_CLIENT_DAYS: at('database.pushClientDays', whole(400, 1, 3_650)),
  TRASH_DAYS: at('database.trashDays', whole(30, 0, 3_650)),
  /** Default: three quarters of QUERY_TIMEOUT_MS. */
  COUNT_TIMEOUT_MS: at('database.countTimeoutMs', whole(undefined, 1, 3_600_000)),
  CACHE_BYTES: at('cache.bytes', whole(33_554_432, 0, 17_179_869_184)),
  CACHE_STALE_MS: at('cache.staleMs', whole(1_000, 0, 60_000)),
  CACHE_MAX_AGE: at('cache.maxAgeSeconds', whole(0, 0, 31_536_000)),
  CACHE_TAGS: at('cache.tags', optionalOf(['surrogate-key', 'cache-tag', 'xkey'])),
  CDN_PURGE: at('cache.purge', optionalOf(['fastly', 'cloudflare', 'varnish', 'url'])),
  CDN_PURGE_URL: at('cache.purgeUrls', addresses()),
  CDN_PURGE_TOKEN: at(
    'cache.purgeToken',
    secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  ),
  MONGODB_MAX_POOL_SIZE: at('database.maxPoolSize', whole(50, 2, 10_000)),
  MONGODB_QUEUE_TIMEOUT_MS: at('database.queueTimeoutMs', whole(2000, 1, 3_600_000)),
  /** Default: four per database connection. */
  MAX_IN_FLIGHT: at('http.maxInFlight', whole(undefined, 1, 1_000_000)),
  MAX_READING_BYTES: at(
    'http.maxReadingBytes',
    whole(268_435_456, 1_048_576, Number.MAX_SAFE_INTEGER),
  ),
  MAX_UNSENT_BYTES: at(
    'http.maxUnsentBytes',
    whole(268_435_456, 1_048_576, Number.MAX_SAFE_INTEGER),
  ),
  MAX_LIVE: at('http.maxLive', whole(2_000, 0, 1_000_000)),
  /** Default: half of MAX_LIVE. */
  MAX_LIVE_PER_ADDRESS: at('http.maxLivePerAddress', whole(undefined, 0, 1_000_000)),
  MAX_CONNECTIONS: at('http.maxConnections', whole(10_000, 1, 1_000_000)),
  MAX_HEADER_BYTES: at('http.maxHeaderBytes', whole(131_072, 1024, 16_777_216)),
  HEADERS_TIMEOUT_MS: at('http.headersTimeoutMs', whole(20_000, 1, 3_600_000)),
  REQUEST_TIMEOUT_MS: at('http.requestTimeoutMs', whole(300_000, 1, 86_400_000)),
  KEEP_ALIVE_TIMEOUT_MS: at('http.keepAliveTimeoutMs', whole(65_000, 1, 3_600_000)),
  SOCKET_TIMEOUT_MS: at('http.socketTimeoutMs', whole(120_000, 1, 3_600_000)),
  RATE_LIMIT: at('http.rateLimit', onOff(true)),
  MCP: at('http.mcp', onOff(true)),
  UPLOAD_STORAGE: at('upload.storage', oneOf(['local', 'gridfs', 's3'], 'local')),
  IMAGE_SIZES: at(
    'upload.imageSizes',
    checked<readonly number[]>(
      Joi.string().default(IMAGE_SIZES).custom(toSizes),
      'whole numbers of pixels from 1 to 4096, with commas between them',
      'list',
    ),
  ),
  IMAGE_SIGNING_KEY: at(
    'upload.imageSigningKey',
    secret(Joi.string().min(16), 'a random text of at least 16 characters'),
  ),
  S3_BUCKET: at('s3.bucket', optional(Joi.string(), 'the name of a bucket')),
  S3_REGION: at('s3.region', text('us-east-1', Joi.string(), 'the name of a region')),
  S3_ENDPOINT: at('s3.endpoint', optional(url('http', 'https'), 'an http:// or https:// address')),
  S3_ACCESS_KEY_ID: at('s3.accessKeyId', secret(Joi.string(), 'an access key id')),
  S3_SECRET_ACCESS_KEY: at('s3.secretAccessKey', secret(Joi.string(), 'a secret access key')),
  S3_FORCE_PATH_STYLE: at('s3.forcePathStyle', onOff(false)),
  S3_KEY_PREFIX: at(
    's3.keyPrefix',
    checked<string>(
      Joi.string()
        .default('')
        .max(200)
        .pattern(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*\/?$/)
        .custom((given: string) => (given.endsWith('/') ? given : `${given}/`)),
      'a prefix of keys such as quire/uploads, of letters, digits, _, -, . and /',
    ),
  ),
  S3_PUBLIC_URL: at(
    's3.publicUrl',
    optional(url('http', 'https'), 'an http:// or https:// address'),
  ),
  SMTP_URL: at('mail.smtpUrl', secret(url('smtp', 'smtps'), 'an smtp:// or smtps:// address')),
  MAIL_FROM: at('mail.from', text('Quire <no-reply@localhost>', Joi.string(), 'a mail address')),
  RESET_PASSWORD_URL: at(
    'mail.resetPasswordUrl',
    optional(page(), 'the http:// or https:// address of a page'),
  ),
  EMAIL_CONFIRMED_URL: at(
    'mail.confirmedUrl',
    optional(page(), 'the http:// or https:// address of a page'),
  ),
  WEBHOOK_ALLOW_HOSTS: at(
    'webhooks.allowHosts',
    checked<readonly string[]>(
      Joi.string().default([]).custom(toHosts),
      'hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
      'list',
    ),
  ),
  LOG_LEVEL: at(
    'logLevel',
    checked<LogLevel>(Joi.valid(...LOG_LEVELS).default('info'), `one of ${LOG_LEVELS.join(', ')}`),
  ),
  /** Default: `off` in production, otherwise `requests`. */
  MONITOR_COMMANDS: at('observe.commands', optionalOf(['off', 'totals', 'requests'])),
  SLOW_REQUEST_MS: at('observe.slowRequestMs', whole(500, 0, 3_600_000)),
} as const satisfies Readonly<Record<string, NamedVariable>>
