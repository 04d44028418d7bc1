import { MongoServerError, MongoServerSelectionError, type TopologyDescription } from 'mongodb'

export type FailureKind =
  | 'refused'
  | 'unknownHost'
  | 'tls'
  | 'notPermitted'
  | 'credentials'
  | 'unauthorized'
  | 'closed'
  | 'silent'
  | 'noPrimary'

/** Messages for the operator. The hosts are reported separately. */
export const START_SENTENCES: Readonly<Record<FailureKind, string>> = {
  refused: 'The database refuses the connection: nothing listens at its host and port',
  unknownHost: 'The host of the database is unknown: its name does not resolve',
  tls: 'TLS with the database fails: its certificate or its protocol is not accepted',
  notPermitted:
    'The database breaks off TLS, as MongoDB Atlas does for an address that its access list does not permit',
  credentials: 'The database refuses the user name or the password of MONGODB_URI',
  unauthorized: 'The user of MONGODB_URI is not permitted to use this database',
  closed:
    'The database closes the connection at once: it may ask for TLS (tls=true), or not permit this address',
  silent:
    'The database does not answer: a firewall or an access list may not permit this address, or TLS is asked of a server without it',
  noPrimary:
    'The database has no primary: its replica set is not initiated, or has lost its majority',
}

/** Messages for clients. They name no host. */
export const CLIENT_SENTENCES: Partial<Readonly<Record<FailureKind, string>>> = {
  unknownHost: 'The host of the database is unknown',
  tls: 'TLS with the database fails',
  notPermitted: 'The database refuses this server',
  credentials: 'The database refuses the credentials of this server',
  unauthorized: 'The database refuses this server',
  noPrimary: 'The database has no primary',
}

const CODES: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknownHost',
  EAI_AGAIN: 'unknownHost',
  EAI_NODATA: 'unknownHost',
  ENODATA: 'unknownHost',
  ESERVFAIL: 'unknownHost',
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'notPermitted',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  ETIMEDOUT: 'silent',
  ETIMEOUT: 'silent',
  EHOSTUNREACH: 'silent',
  ENETUNREACH: 'silent',
}

const TLS_CODE = /^(?:ERR_SSL_|ERR_TLS_|CERT_)/

/** https://www.mongodb.com/docs/manual/reference/error-codes/; 8000 is specific to Atlas. */
const AUTHENTICATION_FAILED: ReadonlySet<unknown> = new Set([18, 8000])
const UNAUTHORIZED = 13
const COMMAND_NOT_FOUND = 59

const MAX_CAUSES = 8

export function failureOf(error: unknown): FailureKind | null {
  if (error instanceof MongoServerSelectionError) return failureOfTopology(error)
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    const kind = kindOf(cause)
    if (kind !== null) return kind
    cause = cause.cause
  }
  return null
}

function failureOfTopology({ reason, cause }: MongoServerSelectionError): FailureKind | null {
  const found = reason === undefined ? [] : failuresOf(reason)
  const kind = found.find((one) => one !== null) ?? failureOf(cause)
  if (kind !== null) return kind
  return reason?.type === 'ReplicaSetNoPrimary' ? 'noPrimary' : 'silent'
}

/** Returns the failure of each known server; null for a server without a known error. */
export function failuresOf(topology: TopologyDescription): readonly (FailureKind | null)[] {
  return [...topology.servers.values()].map(({ error }) => failureOf(error))
}

function kindOfRefusal({ code, message }: MongoServerError): FailureKind | null {
  if (AUTHENTICATION_FAILED.has(code)) return 'credentials'
  // The embedded engine without users does not know the SASL commands that a user name triggers.
  if (code === COMMAND_NOT_FOUND && message.includes('sasl')) return 'credentials'
  return code === UNAUTHORIZED ? 'unauthorized' : null
}

function kindOf(error: Error): FailureKind | null {
  if (error instanceof MongoServerError) return kindOfRefusal(error)
  const code = 'code' in error ? String(error.code) : ''
  const known = CODES[code]
  if (known !== undefined) return known
  if (TLS_CODE.test(code)) return 'tls'
  if (error.name === 'MongoNetworkTimeoutError') return 'silent'
  const isClosed = error.name === 'MongoNetworkError' && /closed/.test(error.message)
  return isClosed && error.cause === undefined ? 'closed' : null
}
