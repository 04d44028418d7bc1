// The sections of the configuration, as `readConfig` makes them.

export interface WebhooksConfig {
  /** Hosts that may be reached although their addresses are inner ones. */
  readonly allowHosts: readonly string[]
}

export interface ObserveConfig {
  /** Which commands to the database are counted and timed: none, all together, or those of each request too. */
  readonly commands: 'off' | 'totals' | 'requests'
  /** Requests that take longer are logged; null: none are. */
  readonly slowRequestMs: number | null
}

export interface HttpConfig {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Without a slash at its end. */
  readonly publicUrl: string
  /** The suffix of the names of cookies; may be empty. */
  readonly cookieName: string
  readonly corsOrigin: '*' | readonly string[]
  /** How many proxies in front are believed; 0 believes no `X-Forwarded-` header. */
  readonly trustedProxies: number
  readonly rateLimit: boolean
  /** Whether agents are let in (docs/mcp.md). */
  readonly mcp: boolean
  readonly maxBodyBytes: number
  /** Of bodies that are still to come to their end, together. */
  readonly maxReadingBytes: number
  /** null: as many as the connections to the database can serve soon. */
  readonly maxInFlight: number | null
  /** Of large answers that clients have not read yet, together. */
  readonly maxUnsentBytes: number
  /** Streams of changes at a time. */
  readonly maxLive: number
  /** Of one address of the network. */
  readonly maxLivePerAddress: number
  /** Requests of one address that wait for changes at a time. */
  readonly maxWaitingPerAddress: number
  readonly connections: ConnectionLimits
}

/** What a client gets of the server before it is cut off. */
export interface ConnectionLimits {
  /** From its first byte, or the end of the request before, to the end of its headers. */
  readonly headersTimeoutMs: number
  /** To the end of its body. */
  readonly requestTimeoutMs: number
  /** Between two requests. */
  readonly keepAliveTimeoutMs: number
  /** Without a byte in either direction; also of who does not read the answer. */
  readonly silenceTimeoutMs: number
  readonly maxHeaderBytes: number
  /** Open ones at a time; more are closed as they come. */
  readonly maxConnections: number
}

export interface DatabaseConfig {
  /** null takes the first that can be had: the URI's, mongod, the embedded engine. */
  readonly kind: 'uri' | 'mongod' | 'embedded' | null
  readonly uri: string | null
  readonly name: string
  readonly allowStandalone: boolean
  readonly queryTimeoutMs: number
  /** How far a list is counted. */
  readonly countLimit: number
  readonly countTimeoutMs: number
  /** How long the commit log keeps what has changed. */
  readonly logRetentionDays: number
  readonly historyDays: number
  /** How long what was deleted can be restored; 0: it cannot. */
  readonly trashDays: number
  /** Connections, and how long a command waits for one; what the URI says itself goes first. */
  readonly maxPoolSize: number
  readonly waitQueueTimeoutMs: number
}

export interface ApiConfig {
  readonly defaultLimit: number
  readonly maxLimit: number
  /** Bounds of one answer. */
  readonly answer: { readonly maxEntries: number; readonly maxBytes: number }
  /** Whether unknown parameters and keys of bodies are refused. */
  readonly strictQuery: boolean
}

/** Of answers to reads. */
export interface CacheConfig {
  /** In memory; 0 keeps none. */
  readonly bytes: number
  /** How old the knowledge of what other processes have changed may be. */
  readonly staleMs: number
  /** `max-age` of answers to the public role. */
  readonly maxAgeSeconds: number
  /** The header with tags for a CDN; null sends none. */
  readonly tags: 'surrogate-key' | 'cache-tag' | 'xkey' | null
  /** The caches to purge after a change; null without any. */
  readonly purge: PurgeConfig | null
}

export interface PurgeConfig {
  readonly kind: 'fastly' | 'cloudflare' | 'varnish' | 'url'
  readonly urls: readonly string[]
  readonly token: string | null
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
  readonly images: {
    /** What a side of a picture may be asked for in, ascending. */
    readonly sizes: readonly number[]
    /** null: nothing needs to be signed. */
    readonly signingKey: string | null
  }
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
  /** Empty, or ends in a slash. */
  readonly keyPrefix: string
  /** Where clients fetch files, without a slash at its end; null: from this server. */
  readonly publicUrl: string | null
}

export interface EndUsersConfig {
  /** Whether who registers must confirm the address before signing in. */
  readonly emailConfirmation: boolean
  /** The attributes that a project adds to users and that a registration sets. */
  readonly registerFields: readonly string[]
  /** null: tokens live for 30 days, and are not refreshed. */
  readonly sessions: SessionsConfig | null
}

export interface SessionsConfig {
  readonly accessSeconds: number
  readonly idleSeconds: number
  readonly maxSeconds: number
  /** Whether refresh tokens travel in a cookie that no script reads, rather than in bodies. */
  readonly inCookie: boolean
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
