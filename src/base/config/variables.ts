import Joi from 'joi'
import { DATABASE_NAME, MAX_DATABASE_NAME_BYTES } from './database-name.ts'
import { issuer, type OidcRoleRule, toRoleRules } from './oidc-rules.ts'

/**
 * The rule of an environment variable, the expected value for messages, and whether the value may be shown. If there
 * is
 * no default, `Value` includes undefined.
 */
export interface Variable<Value = unknown> {
  readonly rule: Joi.Schema
  readonly expected: string
  readonly secret?: true
  /** Never set. Carries the type only. */
  readonly value?: Value
}

export type Settings = {
  readonly [Name in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Name]>
}

type ValueOf<Declared> = Declared extends Variable<infer Value> ? Value : never

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const SWITCH: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
}

const IMAGE_SIZES: readonly number[] = [
  16, 32, 48, 64, 96, 128, 256, 384, 512, 640, 750, 828, 1080, 1200, 1920, 2048, 3840,
]

/** All variables of Quire. A test compares them with `docs/configuration.md`. */
export const VARIABLES = {
  NODE_ENV: optional(
    Joi.string().valid('production', 'development', 'test'),
    'one of production, development, test',
  ),
  HOST: text('0.0.0.0', Joi.string().hostname(), 'an address or a host name to listen on'),
  PORT: whole(1337, 0, 65_535),
  PUBLIC_URL: optional(url('http', 'https'), 'an http:// or https:// address'),
  /** Default: the port of PUBLIC_URL, if any. */
  COOKIE_NAME: optional(
    Joi.string().pattern(/^[\w-]{1,40}$/),
    'at most 40 letters, digits, _ and -',
  ),
  CORS_ORIGIN: checked<'*' | readonly string[]>(
    Joi.string().default('*').custom(toOrigins),
    '"*", or origins such as https://app.example.org, with commas between them',
  ),
  TRUST_PROXY: checked<number>(
    Joi.string().default(0).custom(toProxyCount),
    'on, off, or how many proxies stand in front (1 to 10)',
  ),
  MONGODB_URI: secret(url('mongodb', 'mongodb+srv'), 'a mongodb:// or mongodb+srv:// address'),
  MONGODB_DATABASE: optional(
    Joi.string().max(MAX_DATABASE_NAME_BYTES, 'utf8').pattern(DATABASE_NAME),
    'a database name: at most 63 bytes, none of / \\ . " $ * < > : | ? and no space',
  ),
  QUIRE_DATABASE: optionalOf(['uri', 'mongod', 'embedded']),
  QUIRE_DATA_DIR: text('.quire', Joi.string(), 'a folder'),
  QUIRE_ALLOW_STANDALONE: onOff(false),
  CONTENT_TYPES_DIR: text('content-types', Joi.string(), 'a folder'),
  ROOT_API_TOKEN: secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  JWT_SECRET: secret(Joi.string(), 'a long random text'),
  METRICS_TOKEN: secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  OIDC_ISSUER: optional(
    issuer(),
    'an https:// address; http:// for this machine alone (localhost, 127.0.0.1, [::1])',
  ),
  OIDC_ALLOW_HTTP: onOff(false),
  OIDC_CLIENT_ID: optional(Joi.string(), 'what the provider calls this server'),
  OIDC_CLIENT_SECRET: secret(Joi.string(), 'what the provider gave for the client'),
  OIDC_LABEL: text('single sign-on', Joi.string().max(60), 'at most 60 characters'),
  OIDC_SCOPE: text(
    'openid email profile',
    Joi.string().pattern(/^(?=.*\bopenid\b)[\x21\x23-\x5b\x5d-\x7e ]+$/),
    'scopes with spaces between them, openid among them',
  ),
  OIDC_ROLES_CLAIM: text(
    'groups',
    Joi.string().max(200),
    'the name of a claim, or a path with dots',
  ),
  OIDC_ROLES: checked<readonly OidcRoleRule[]>(
    Joi.string().default([]).custom(toRoleRules),
    'pairs such as cms-admins=administrator,staff=editor; *=author is everybody',
  ),
  UP_JWT_MANAGEMENT: oneOf(['legacy-support', 'refresh'], 'legacy-support'),
  UP_SESSIONS_ACCESS_TTL: whole(1_800, 60, 2_592_000),
  UP_SESSIONS_IDLE_REFRESH_TTL: whole(604_800, 60, 31_536_000),
  UP_SESSIONS_MAX_REFRESH_TTL: whole(2_592_000, 60, 31_536_000),
  UP_SESSIONS_HTTPONLY: onOff(false),
  EMAIL_CONFIRMATION: onOff(false),
  REGISTER_FIELDS: checked<readonly string[]>(
    Joi.string().default([]).custom(toNames),
    'names of attributes of users such as bio,age, with commas between them',
  ),
  /** Default: 25, or API_MAX_LIMIT if lower. */
  API_DEFAULT_LIMIT: whole(undefined, 1, 100_000),
  API_MAX_LIMIT: whole(100, 1, 100_000),
  API_MAX_ENTRIES: whole(10_000, 1, 10_000_000),
  API_MAX_BYTES: whole(33_554_432, 65_536, 268_435_456),
  QUIRE_STRICT_QUERY: onOff(false),
  MAX_BODY_BYTES: whole(1_048_576, 1024, 1_073_741_824),
  MAX_UPLOAD_BYTES: whole(209_715_200, 1024, Number.MAX_SAFE_INTEGER),
  QUERY_TIMEOUT_MS: whole(2000, 1, 3_600_000),
  COUNT_LIMIT: whole(100_000, 1, 2_147_483_646),
  LOG_RETENTION_DAYS: whole(90, 1, 3_650),
  HISTORY_DAYS: whole(365, 1, 36_500),
  TRASH_DAYS: whole(30, 0, 3_650),
  /** Default: three quarters of QUERY_TIMEOUT_MS. */
  COUNT_TIMEOUT_MS: whole(undefined, 1, 3_600_000),
  CACHE_BYTES: whole(33_554_432, 0, 17_179_869_184),
  CACHE_STALE_MS: whole(1_000, 0, 60_000),
  CACHE_MAX_AGE: whole(0, 0, 31_536_000),
  CACHE_TAGS: optionalOf(['surrogate-key', 'cache-tag', 'xkey']),
  CDN_PURGE: optionalOf(['fastly', 'cloudflare', 'varnish', 'url']),
  CDN_PURGE_URL: addresses(),
  CDN_PURGE_TOKEN: secret(Joi.string().pattern(/^\S+$/), 'a token without white space'),
  MONGODB_MAX_POOL_SIZE: whole(50, 2, 10_000),
  MONGODB_QUEUE_TIMEOUT_MS: whole(2000, 1, 3_600_000),
  /** Default: four per database connection. */
  MAX_IN_FLIGHT: whole(undefined, 1, 1_000_000),
  MAX_READING_BYTES: whole(268_435_456, 1_048_576, Number.MAX_SAFE_INTEGER),
  MAX_UNSENT_BYTES: whole(268_435_456, 1_048_576, Number.MAX_SAFE_INTEGER),
  MAX_LIVE: whole(2_000, 0, 1_000_000),
  /** Default: half of MAX_LIVE. */
  MAX_LIVE_PER_ADDRESS: whole(undefined, 0, 1_000_000),
  MAX_CONNECTIONS: whole(10_000, 1, 1_000_000),
  MAX_HEADER_BYTES: whole(131_072, 1024, 16_777_216),
  HEADERS_TIMEOUT_MS: whole(20_000, 1, 3_600_000),
  REQUEST_TIMEOUT_MS: whole(300_000, 1, 86_400_000),
  KEEP_ALIVE_TIMEOUT_MS: whole(65_000, 1, 3_600_000),
  SOCKET_TIMEOUT_MS: whole(120_000, 1, 3_600_000),
  RATE_LIMIT: onOff(true),
  MCP: onOff(true),
  UPLOAD_STORAGE: oneOf(['local', 'gridfs', 's3'], 'local'),
  IMAGE_SIZES: checked<readonly number[]>(
    Joi.string().default(IMAGE_SIZES).custom(toSizes),
    'whole numbers of pixels from 1 to 4096, with commas between them',
  ),
  IMAGE_SIGNING_KEY: secret(Joi.string().min(16), 'a random text of at least 16 characters'),
  S3_BUCKET: optional(Joi.string(), 'the name of a bucket'),
  S3_REGION: text('us-east-1', Joi.string(), 'the name of a region'),
  S3_ENDPOINT: optional(url('http', 'https'), 'an http:// or https:// address'),
  S3_ACCESS_KEY_ID: secret(Joi.string(), 'an access key id'),
  S3_SECRET_ACCESS_KEY: secret(Joi.string(), 'a secret access key'),
  S3_FORCE_PATH_STYLE: onOff(false),
  S3_KEY_PREFIX: checked<string>(
    Joi.string()
      .default('')
      .max(200)
      .pattern(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*\/?$/)
      .custom((given: string) => (given.endsWith('/') ? given : `${given}/`)),
    'a prefix of keys such as quire/uploads, of letters, digits, _, -, . and /',
  ),
  S3_PUBLIC_URL: optional(url('http', 'https'), 'an http:// or https:// address'),
  SMTP_URL: secret(url('smtp', 'smtps'), 'an smtp:// or smtps:// address'),
  MAIL_FROM: text('Quire <no-reply@localhost>', Joi.string(), 'a mail address'),
  RESET_PASSWORD_URL: optional(page(), 'the http:// or https:// address of a page'),
  EMAIL_CONFIRMED_URL: optional(page(), 'the http:// or https:// address of a page'),
  WEBHOOK_ALLOW_HOSTS: checked<readonly string[]>(
    Joi.string().default([]).custom(toHosts),
    'hosts such as build.internal, 10.0.0.5:9000 or [::1], with commas between them',
  ),
  LOG_LEVEL: checked<LogLevel>(
    Joi.valid(...LOG_LEVELS).default('info'),
    `one of ${LOG_LEVELS.join(', ')}`,
  ),
  /** Default: `off` in production, otherwise `requests`. */
  MONITOR_COMMANDS: optionalOf(['off', 'totals', 'requests']),
  SLOW_REQUEST_MS: whole(500, 0, 3_600_000),
} as const satisfies Readonly<Record<string, Variable>>

/** For rules that convert values, because Joi does not know the result type. */
function checked<Value>(rule: Joi.Schema, expected: string): Variable<Value> {
  return { rule, expected }
}

function text(preset: string, rule: Joi.StringSchema, expected: string): Variable<string> {
  return { rule: rule.default(preset), expected }
}

function optional(rule: Joi.Schema, expected: string): Variable<string | undefined> {
  return { rule, expected }
}

function secret(rule: Joi.Schema, expected: string): Variable<string | undefined> {
  return { rule, expected, secret: true }
}

function oneOf<const Word extends string>(words: readonly Word[], preset: Word): Variable<Word> {
  return { rule: Joi.valid(...words).default(preset), expected: listed(words) }
}

function optionalOf<const Word extends string>(words: readonly Word[]): Variable<Word | undefined> {
  return { rule: Joi.valid(...words), expected: listed(words) }
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function whole<Preset extends number | undefined>(
  preset: Preset,
  min: number,
  max: number,
): Variable<number | Preset> {
  const rule = Joi.string()
    .pattern(/^\d{1,16}$/)
    .custom((digits: string, helpers) => {
      const number = Number(digits)
      return number >= min && number <= max ? number : helpers.error('any.invalid')
    })
  return {
    rule: preset === undefined ? rule : rule.default(preset),
    expected: `a whole number from ${min} to ${max}`,
  }
}

function onOff(preset: boolean): Variable<boolean> {
  const rule = Joi.string().custom((given: string, helpers) => {
    return SWITCH[given.toLowerCase()] ?? helpers.error('any.invalid')
  })
  return { rule: rule.default(preset), expected: 'on or off' }
}

function addresses(): Variable<readonly string[] | undefined> {
  return {
    rule: Joi.string().custom((given: string, helpers) => {
      const urls = given.split(',').map((one) => one.trim())
      const isAddress = (one: string): boolean => /^https?:\/\//.test(one) && URL.canParse(one)
      return urls.every(isAddress) ? Object.freeze(urls) : helpers.error('any.invalid')
    }),
    expected: 'http:// or https:// addresses, with commas between them',
  }
}

function url(...schemes: readonly string[]): Joi.StringSchema {
  return Joi.string().pattern(
    new RegExp(`^(${schemes.join('|').replaceAll('+', '\\+')})://[^\\s/]`),
  )
}

function page(): Joi.StringSchema {
  return Joi.string().uri({ scheme: ['http', 'https'] })
}

function toOrigins(given: string, helpers: Joi.CustomHelpers): unknown {
  if (given.trim() === '*') return '*'
  const origins = given.split(',').map((origin) => origin.trim())
  return origins.every(isOrigin) ? Object.freeze(origins) : helpers.error('any.invalid')
}

function isOrigin(given: string): boolean {
  return URL.canParse(given) && new URL(given).origin === given
}

/** In URL notation: lower case, IPv6 in brackets, optionally with a port. */
function toHosts(given: string, helpers: Joi.CustomHelpers): unknown {
  const hosts = given.split(',').map((host) => host.trim())
  return hosts.every(isHost) ? Object.freeze(hosts) : helpers.error('any.invalid')
}

function isHost(given: string): boolean {
  const url = `http://${given}`
  return given !== '' && URL.canParse(url) && new URL(url).host === given
}

function toNames(given: string, helpers: Joi.CustomHelpers): unknown {
  const names = given.split(',').map((name) => name.trim())
  const isName = (name: string): boolean => /^[A-Za-z]\w{0,254}$/.test(name)
  return names.every(isName) ? Object.freeze([...new Set(names)]) : helpers.error('any.invalid')
}

function toSizes(given: string, helpers: Joi.CustomHelpers): unknown {
  const sizes = given.split(',').map((size) => size.trim())
  const isSize = (size: string): boolean => /^[1-9]\d{0,3}$/.test(size) && Number(size) <= 4096
  return sizes.every(isSize)
    ? Object.freeze(sizes.map(Number).toSorted((one, other) => one - other))
    : helpers.error('any.invalid')
}

function toProxyCount(given: string, helpers: Joi.CustomHelpers): unknown {
  const word = SWITCH[given.toLowerCase()]
  if (word !== undefined) return word ? 1 : 0
  return /^([2-9]|10)$/.test(given) ? Number(given) : helpers.error('any.invalid')
}
