import { explainDatabaseInPath } from './database-name.ts'
import type { Settings } from './variables.ts'

export interface CrossFault {
  readonly of: string
  readonly right: string
}

/** Skips rules with a variable that is invalid by itself. */
export function crossFaults(settings: Settings, wrong: ReadonlySet<string>): readonly CrossFault[] {
  return CROSS_RULES.filter(({ of }) => !of.some((name) => wrong.has(name)))
    .filter(({ broken }) => broken(settings))
    .map(({ of, right }) => ({ of: of[0], right: right(settings) }))
}

interface CrossRule {
  readonly of: readonly [keyof Settings, ...(keyof Settings)[]]
  readonly broken: (settings: Settings) => boolean
  readonly right: (settings: Settings) => string
}

const CROSS_RULES: readonly CrossRule[] = [
  {
    of: ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
    broken: ({ OIDC_CLIENT_ID, OIDC_ISSUER }) =>
      (OIDC_CLIENT_ID === undefined) !== (OIDC_ISSUER === undefined),
    right: () => 'and OIDC_ISSUER are given together',
  },
  {
    of: ['OIDC_ROLES', 'OIDC_ISSUER'],
    broken: ({ OIDC_ROLES, OIDC_ISSUER }) => OIDC_ISSUER !== undefined && OIDC_ROLES.length === 0,
    right: () => 'must be given with OIDC_ISSUER, or nobody could sign in',
  },
  {
    of: ['OIDC_ISSUER', 'OIDC_ALLOW_HTTP'],
    broken: ({ OIDC_ISSUER, OIDC_ALLOW_HTTP }) =>
      OIDC_ISSUER?.startsWith('http:') === true && !OIDC_ALLOW_HTTP,
    right: () => 'must be an https:// address; OIDC_ALLOW_HTTP=on allows http:// in development',
  },
  {
    of: ['OIDC_ALLOW_HTTP', 'NODE_ENV'],
    broken: ({ OIDC_ALLOW_HTTP, NODE_ENV }) => OIDC_ALLOW_HTTP && NODE_ENV === 'production',
    right: () => 'must be off when NODE_ENV is production',
  },
  {
    of: ['SIGN_IN_LINK_BY_EMAIL', 'EMAIL_CONFIRMATION'],
    broken: ({ SIGN_IN_LINK_BY_EMAIL, EMAIL_CONFIRMATION }) =>
      SIGN_IN_LINK_BY_EMAIL && !EMAIL_CONFIRMATION,
    right: () =>
      'needs EMAIL_CONFIRMATION=on, or an account with the address of another person could be linked',
  },
  {
    of: ['API_DEFAULT_LIMIT', 'API_MAX_LIMIT'],
    broken: ({ API_DEFAULT_LIMIT, API_MAX_LIMIT }) => Number(API_DEFAULT_LIMIT) > API_MAX_LIMIT,
    right: ({ API_DEFAULT_LIMIT, API_MAX_LIMIT }) =>
      `${Number(API_DEFAULT_LIMIT)} is more than API_MAX_LIMIT, which is ${API_MAX_LIMIT}`,
  },
  {
    of: ['COUNT_TIMEOUT_MS', 'QUERY_TIMEOUT_MS'],
    broken: ({ COUNT_TIMEOUT_MS, QUERY_TIMEOUT_MS }) =>
      Number(COUNT_TIMEOUT_MS) >= QUERY_TIMEOUT_MS,
    right: ({ COUNT_TIMEOUT_MS, QUERY_TIMEOUT_MS }) =>
      `${Number(COUNT_TIMEOUT_MS)} is not less than QUERY_TIMEOUT_MS, which is ${QUERY_TIMEOUT_MS}`,
  },
  {
    of: ['HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS'],
    broken: ({ HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS }) => HEADERS_TIMEOUT_MS > REQUEST_TIMEOUT_MS,
    right: ({ HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS }) =>
      `${HEADERS_TIMEOUT_MS} is more than REQUEST_TIMEOUT_MS, which is ${REQUEST_TIMEOUT_MS}`,
  },
  {
    of: ['MAX_READING_BYTES', 'MAX_BODY_BYTES'],
    broken: ({ MAX_READING_BYTES, MAX_BODY_BYTES }) => MAX_READING_BYTES < MAX_BODY_BYTES,
    right: ({ MAX_READING_BYTES, MAX_BODY_BYTES }) =>
      `${MAX_READING_BYTES} is less than MAX_BODY_BYTES, which is ${MAX_BODY_BYTES}`,
  },
  {
    of: ['JWT_SECRET', 'NODE_ENV'],
    broken: ({ JWT_SECRET, NODE_ENV }) => NODE_ENV === 'production' && JWT_SECRET === undefined,
    right: () =>
      'must be given when NODE_ENV is production; for instance the output of `openssl rand -hex 32`',
  },
  {
    // Pages of any origin on the same site send the cookie and could then read the JWT.
    of: ['CORS_ORIGIN', 'UP_SESSIONS_HTTPONLY', 'UP_JWT_MANAGEMENT', 'NODE_ENV'],
    broken: ({ CORS_ORIGIN, UP_SESSIONS_HTTPONLY, UP_JWT_MANAGEMENT, NODE_ENV }) =>
      NODE_ENV === 'production' &&
      UP_JWT_MANAGEMENT === 'refresh' &&
      UP_SESSIONS_HTTPONLY &&
      CORS_ORIGIN === '*',
    right: () =>
      'must list the origins of your sites when refresh tokens travel in cookies (UP_SESSIONS_HTTPONLY) and NODE_ENV is production',
  },
  {
    of: ['CDN_PURGE_URL', 'CDN_PURGE'],
    broken: ({ CDN_PURGE, CDN_PURGE_URL }) =>
      (CDN_PURGE === undefined) !== (CDN_PURGE_URL === undefined),
    right: () => 'CDN_PURGE and CDN_PURGE_URL are given together or not at all',
  },
  {
    of: ['CACHE_TAGS', 'CDN_PURGE'],
    broken: ({ CDN_PURGE, CACHE_TAGS }) => CDN_PURGE !== undefined && CACHE_TAGS === undefined,
    right: () => 'must be given when CDN_PURGE is: what has no tags cannot be purged by them',
  },
  {
    of: ['MONGODB_URI', 'QUIRE_DATABASE', 'NODE_ENV'],
    broken: ({ MONGODB_URI, QUIRE_DATABASE, NODE_ENV }) =>
      NODE_ENV === 'production' && MONGODB_URI === undefined && QUIRE_DATABASE === undefined,
    right: () =>
      'must be given when NODE_ENV is production; QUIRE_DATABASE=mongod runs a mongod on this machine, ' +
      'QUIRE_DATABASE=embedded the embedded engine',
  },
  {
    of: ['MONGODB_URI', 'QUIRE_DATABASE'],
    broken: ({ MONGODB_URI, QUIRE_DATABASE }) =>
      QUIRE_DATABASE === 'uri' && MONGODB_URI === undefined,
    right: () => 'must be given when QUIRE_DATABASE is uri',
  },
  {
    of: ['MONGODB_URI', 'MONGODB_DATABASE', 'QUIRE_DATABASE'],
    broken: (settings) => explainDatabaseInPath(settings) !== null,
    right: (settings) => explainDatabaseInPath(settings) ?? '',
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
