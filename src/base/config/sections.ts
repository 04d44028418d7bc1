import type { SignInProviders } from './sign-in-providers.ts'

export interface WebhooksConfig {
  /** Hosts that may be called although their addresses are inner ones. */
  readonly allowHosts: readonly string[]
}

export interface ObserveConfig {
  readonly commands: 'off' | 'totals' | 'requests'
  /** Threshold of the log for slow requests, or null for no log. */
  readonly slowRequestMs: number | null
}

export interface HttpConfig {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  readonly publicUrl: string
  /** Suffix of cookie names, may be empty. */
  readonly cookieName: string
  readonly corsOrigin: '*' | readonly string[]
  /** Number of trusted proxies. 0 ignores `X-Forwarded-` headers. */
  readonly trustedProxies: number
  readonly rateLimit: boolean
  readonly mcp: boolean
  readonly maxBodyBytes: number
  /** Maximum size of all incomplete request bodies together. */
  readonly maxReadingBytes: number
  /** Null: derived from the number of database connections. */
  readonly maxInFlight: number | null
  /** Maximum size of all large unread responses together. */
  readonly maxUnsentBytes: number
  readonly maxLive: number
  readonly maxLivePerAddress: number
  /** Concurrent long polls per network address. */
  readonly maxWaitingPerAddress: number
  readonly connections: ConnectionLimits
}

export interface ConnectionLimits {
  /** Maximum time from the first byte, or from the end of the previous request, to the end of the headers. */
  readonly headersTimeoutMs: number
  /** Maximum time until the end of the body. */
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** Without a byte in either direction, including a response that is not read. */
  readonly silenceTimeoutMs: number
  readonly maxHeaderBytes: number
  readonly maxConnections: number
}

export interface DatabaseConfig {
  /** Null chooses the first available: URI, mongod, embedded engine. */
  readonly kind: 'uri' | 'mongod' | 'embedded' | null
  readonly uri: string | null
  readonly name: string
  readonly allowStandalone: boolean
  readonly queryTimeoutMs: number
  /** How far a list is counted. Higher totals are reported as capped. */
  readonly countLimit: number
  readonly countTimeoutMs: number
  readonly logRetentionDays: number
  readonly historyDays: number
  /** How long a silent client of `_push` is known. */
  readonly pushClientDays: number
  /** 0 disables restoring. */
  readonly trashDays: number
  /** Limit and wait timeout of connections. Options in the URI take precedence. */
  readonly maxPoolSize: number
  readonly waitQueueTimeoutMs: number
}

export interface ApiConfig {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly answer: { readonly maxEntries: number; readonly maxBytes: number }
  readonly strictQuery: boolean
}

export interface CacheConfig {
  readonly bytes: number
  /** Maximum staleness of changes by other processes. */
  readonly staleMs: number
  /** `max-age` of responses to the public role. */
  readonly maxAgeSeconds: number
  readonly tags: 'surrogate-key' | 'cache-tag' | 'xkey' | null
  readonly purge: PurgeConfig | null
}

export interface PurgeConfig {
  readonly kind: 'fastly' | 'cloudflare' | 'varnish' | 'url'
  readonly urls: readonly string[]
  readonly token: string | null
}

export interface SecretsConfig {
  readonly rootApiToken: string | null
  /** Null only outside production: a secret is then generated and kept in the data folder. */
  readonly jwtSecret: string | null
  readonly metricsToken: string | null
}

export interface UploadConfig {
  readonly storage: 'local' | 'gridfs' | 's3'
  readonly maxUploadBytes: number
  readonly images: {
    /** Allowed image widths and heights, ascending. */
    readonly sizes: readonly number[]
    /** Null: no signature is required. */
    readonly signingKey: string | null
  }
  readonly s3: S3Config | null
}

export interface S3Config {
  readonly bucket: string
  readonly region: string
  readonly endpoint: string | null
  /** Null uses the credential chain of the AWS SDK. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
  readonly forcePathStyle: boolean
  /** Empty, or with a trailing slash. */
  readonly keyPrefix: string
  /** Base URL of files without a trailing slash, or null for this server. */
  readonly publicUrl: string | null
}

/** Administrators that need a second factor: none, all, or those with one of these roles. */
export type SecondFactorPolicy = 'off' | 'required' | readonly string[]

export interface EndUsersConfig {
  readonly emailConfirmation: boolean
  readonly signInProviders: SignInProviders
  /** Whether an identity with a verified address signs in the account with that address. */
  readonly linkByEmail: boolean
  readonly registerFields: readonly string[]
  /** Null: anonymous users are off. */
  readonly anonymous: AnonymousConfig | null
  /** Null: tokens are valid for 30 days without refresh. */
  readonly sessions: SessionsConfig | null
}

export interface AnonymousConfig {
  /** New users of one network in a day. */
  readonly perNetwork: number
  readonly max: number
  /** Users without activity for this time are deleted. */
  readonly days: number
}

export interface SessionsConfig {
  readonly accessSeconds: number
  readonly idleSeconds: number
  readonly maxSeconds: number
  /** Sends refresh tokens in an HttpOnly cookie instead of bodies. */
  readonly inCookie: boolean
}

export interface MailConfig {
  /** Null: mails are logged. */
  readonly smtpUrl: string | null
  readonly from: string
  /** The page that accepts a reset code. Null: mails contain only the code. */
  readonly resetPasswordUrl: string | null
  readonly confirmedUrl: string | null
}
