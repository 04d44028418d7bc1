import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import Joi from 'joi'
import { VARIABLES } from './config-variables.ts'
import type { LogLevel, Settings, Variable } from './config-variables.ts'
import { ConfigError } from './errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What the environment says about the server, checked and frozen. */
export interface Config {
  readonly production: boolean
  readonly logLevel: LogLevel
  readonly dataDir: string
  readonly contentTypesDir: string
  readonly http: HttpConfig
  readonly database: DatabaseConfig
  readonly api: ApiConfig
  readonly secrets: SecretsConfig
  readonly upload: UploadConfig
  readonly mail: MailConfig
}

export interface HttpConfig {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Without a slash at its end. */
  readonly publicUrl: string
  readonly corsOrigin: '*' | readonly string[]
  /** How many proxies in front are believed; 0 believes no `X-Forwarded-` header. */
  readonly trustedProxies: number
  readonly rateLimit: boolean
  readonly maxBodyBytes: number
}

export interface DatabaseConfig {
  /** null takes the first that can be had: the URI's, mongod, the embedded engine. */
  readonly kind: 'uri' | 'mongod' | 'embedded' | null
  readonly uri: string | null
  readonly name: string
  readonly allowStandalone: boolean
  readonly queryTimeoutMs: number
}

export interface ApiConfig {
  readonly defaultLimit: number
  readonly maxLimit: number
}

export interface SecretsConfig {
  readonly rootApiToken: string | null
  /** null outside production only: one is then made and kept in the data folder. */
  readonly jwtSecret: string | null
  readonly metricsToken: string | null
}

export interface UploadConfig {
  readonly storage: 'local' | 'gridfs' | 's3'
  readonly maxUploadBytes: number
  /** null unless the storage is `s3`. */
  readonly s3: S3Config | null
}

export interface S3Config {
  readonly bucket: string
  readonly region: string
  readonly endpoint: string | null
  /** null leaves them to the chain of the AWS SDK. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
  readonly forcePathStyle: boolean
  readonly publicUrl: string | null
}

export interface MailConfig {
  /** null: mails are logged. */
  readonly smtpUrl: string | null
  readonly from: string
  /** The page that takes the code of a lost password; null: mails have the code alone. */
  readonly resetPasswordUrl: string | null
  /** Where a browser goes once an address is confirmed; null: nowhere. */
  readonly confirmedUrl: string | null
}

/**
 * The configuration that an environment asks for; an empty variable counts as absent, one that is
 * not ours is ignored.
 * @throws ConfigError that lists every fault; the value of a secret is never in it.
 */
export function readConfig(env: Environment): Config {
  const given = onlyOurs(env)
  const checked = Joi.object(rules()).validate(given, { abortEarly: false })
  const wrong = new Set((checked.error?.details ?? []).map((detail) => String(detail.path[0])))
  const faults = [...wrong].map((name) => describeFault(name, given[name]))
  const settings = checked.value as Settings
  faults.push(...crossFaults(settings, wrong))
  if (faults.length > 0) throw new ConfigError(faults)
  return toConfig(settings)
}

/**
 * The environment with what a `.env` file adds to it; the environment wins, and a file that does
 * not exist adds nothing.
 */
export function withEnvFile(env: Environment, file = '.env'): Environment {
  return { ...parseEnv(readIfPresent(file)), ...env }
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
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
  return `${name}: ${what} is not ${variable.expected}`
}

// A rule between variables is left out where one of them is already at fault by itself.
function crossFaults(settings: Settings, wrong: ReadonlySet<string>): string[] {
  return CROSS_RULES.filter(({ of }) => !of.some((name) => wrong.has(name)))
    .filter(({ broken }) => broken(settings))
    .map(({ of, right }) => `${of[0]}: ${right(settings)}`)
}

interface CrossRule {
  readonly of: readonly [keyof Settings, ...(keyof Settings)[]]
  readonly broken: (settings: Settings) => boolean
  readonly right: (settings: Settings) => string
}

const CROSS_RULES: readonly CrossRule[] = [
  {
    of: ['API_DEFAULT_LIMIT', 'API_MAX_LIMIT'],
    broken: ({ API_DEFAULT_LIMIT, API_MAX_LIMIT }) => Number(API_DEFAULT_LIMIT) > API_MAX_LIMIT,
    right: ({ API_DEFAULT_LIMIT, API_MAX_LIMIT }) =>
      `${Number(API_DEFAULT_LIMIT)} is more than API_MAX_LIMIT, which is ${API_MAX_LIMIT}`,
  },
  {
    of: ['JWT_SECRET', 'NODE_ENV'],
    broken: ({ JWT_SECRET, NODE_ENV }) => NODE_ENV === 'production' && JWT_SECRET === undefined,
    right: () =>
      'must be given when NODE_ENV is production; for instance what `openssl rand -hex 32` prints',
  },
  {
    of: ['MONGODB_URI', 'QUIRE_DATABASE'],
    broken: ({ MONGODB_URI, QUIRE_DATABASE }) =>
      QUIRE_DATABASE === 'uri' && MONGODB_URI === undefined,
    right: () => 'must be given when QUIRE_DATABASE is uri',
  },
  {
    of: ['S3_BUCKET', 'UPLOAD_STORAGE'],
    broken: ({ S3_BUCKET, UPLOAD_STORAGE }) => UPLOAD_STORAGE === 's3' && S3_BUCKET === undefined,
    right: () => 'must be given when UPLOAD_STORAGE is s3',
  },
  {
    of: ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    broken: ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) =>
      (S3_ACCESS_KEY_ID === undefined) !== (S3_SECRET_ACCESS_KEY === undefined),
    right: () => 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are given together or not at all',
  },
]

function toConfig(settings: Settings): Config {
  return Object.freeze({
    production: settings.NODE_ENV === 'production',
    logLevel: settings.LOG_LEVEL,
    dataDir: settings.QUIRE_DATA_DIR,
    contentTypesDir: settings.CONTENT_TYPES_DIR,
    http: toHttp(settings),
    database: toDatabase(settings),
    api: Object.freeze({
      defaultLimit: settings.API_DEFAULT_LIMIT ?? Math.min(25, settings.API_MAX_LIMIT),
      maxLimit: settings.API_MAX_LIMIT,
    }),
    secrets: Object.freeze({
      rootApiToken: settings.ROOT_API_TOKEN ?? null,
      jwtSecret: settings.JWT_SECRET ?? null,
      metricsToken: settings.METRICS_TOKEN ?? null,
    }),
    upload: Object.freeze({
      storage: settings.UPLOAD_STORAGE,
      maxUploadBytes: settings.MAX_UPLOAD_BYTES,
      s3: toS3(settings),
    }),
    mail: toMail(settings),
  })
}

function toHttp(settings: Settings): HttpConfig {
  const given = settings.PUBLIC_URL?.replace(/\/+$/, '')
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: given ?? localAddress(settings.HOST, settings.PORT),
    corsOrigin: settings.CORS_ORIGIN,
    trustedProxies: settings.TRUST_PROXY,
    rateLimit: settings.RATE_LIMIT,
    maxBodyBytes: settings.MAX_BODY_BYTES,
  })
}

/** The address under which a server on this host and port is reached from the same machine. */
export function localAddress(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${anywhere ? 'localhost' : name}:${port}`
}

function toDatabase(settings: Settings): DatabaseConfig {
  return Object.freeze({
    kind: settings.QUIRE_DATABASE ?? null,
    uri: settings.MONGODB_URI ?? null,
    name: settings.MONGODB_DATABASE,
    allowStandalone: settings.QUIRE_ALLOW_STANDALONE,
    queryTimeoutMs: settings.QUERY_TIMEOUT_MS,
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
    publicUrl: settings.S3_PUBLIC_URL ?? null,
  })
}
