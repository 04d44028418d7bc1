import {
  MongoClient,
  type MongoClientOptions,
  type TopologyDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb'
import { ConfigError, ServiceUnavailableError } from '../../errors.ts'
import { patchActiveSets } from './active-sets.ts'
import type { CommandMonitor } from './command-monitor.ts'
import { failureOf, failuresOf, START_SENTENCES } from './connection-failure.ts'

export interface ClientOptions {
  readonly uri: string
  /** @default 50 and 2,000, or what the URI says */
  readonly maxPoolSize?: number
  readonly waitQueueTimeoutMs?: number
  readonly client?: MongoClientOptions
  readonly monitor?: CommandMonitor
}

/** Acknowledged by a majority of the members, and so kept by a failover. */
export const MAJORITY_WRITES = { w: 'majority' } as const

/**
 * Waiting for a connection and for a server is bounded (the driver 7.8 waits for ever by default), so
 * that a lost database is an answer and not a hang. Int64 values are read as `bigint`: only biginteger
 * attributes are stored as such.
 */
const CLIENT_OPTIONS: MongoClientOptions = {
  appName: 'quire',
  connectTimeoutMS: 3_000,
  heartbeatFrequencyMS: 2_000, // with the above: how long a silent server is believed in
  serverSelectionTimeoutMS: 5_000,
  waitQueueTimeoutMS: 2_000,
  maxPoolSize: 50,
  minPoolSize: 2,
  writeConcern: MAJORITY_WRITES,
  useBigInt64: true,
}

/** The options that the URI does not set; the driver 7.8 would let options overrule it in silence. */
function defaultsFor(options: ClientOptions): MongoClientOptions {
  const { uri, maxPoolSize, waitQueueTimeoutMs } = options
  const [, query = ''] = uri.split('?')
  const said = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()))
  const isSaid = (name: string): boolean =>
    said.has(name.toLowerCase()) || (name === 'writeConcern' && said.has('w'))
  const wanted = {
    ...CLIENT_OPTIONS,
    ...(maxPoolSize !== undefined && { maxPoolSize }),
    ...(waitQueueTimeoutMs !== undefined && { waitQueueTimeoutMS: waitQueueTimeoutMs }),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !isSaid(name)))
}

function createClient(options: ClientOptions): MongoClient {
  const client = new MongoClient(options.uri, {
    ...defaultsFor(options),
    monitorCommands: options.monitor !== undefined && options.monitor.mode !== 'off',
    ...options.client,
  })
  patchActiveSets(client)
  options.monitor?.watch(client)
  return client
}

/** A client that is not connected yet. @throws ConfigError for an invalid URI */
export function clientFor(options: ClientOptions): MongoClient {
  try {
    return createClient(options)
  } catch (error) {
    throw explainStart(error)
  }
}

/** What a database that is being started may take, once it is known why it does not answer. */
const PATIENCE_MS = 500

/**
 * Connects, and gives up as soon as each server of the deployment is known to fail, long before the driver
 * does: the operator waits for the result of a start.
 * @throws ServiceUnavailableError that says why, as far as it is known
 */
export async function connect(client: MongoClient): Promise<void> {
  let topology: TopologyDescription | null = null
  let isPatient = true
  let giveUp: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  const judge = (): void => {
    const failures = topology === null ? [] : failuresOf(topology)
    const [first = null] = failures
    if (isPatient || first === null || failures.includes(null)) return
    giveUp(unavailable(new Error('no server of the deployment answers'), first))
  }
  const watch = (event: TopologyDescriptionChangedEvent): void => {
    topology = event.newDescription
    judge()
  }
  const timer = setTimeout(() => {
    isPatient = false
    judge()
  }, PATIENCE_MS)
  client.on('topologyDescriptionChanged', watch)
  const connecting = client.connect()
  connecting.catch(() => undefined) // where `failed` was first
  try {
    await Promise.race([connecting, failed])
  } finally {
    clearTimeout(timer)
    client.off('topologyDescriptionChanged', watch)
  }
}

/** An error of the start as what its user can put right; anything else as it is. */
export function explainStart(error: unknown): unknown {
  if (isWrongAddress(error)) return new ConfigError([`MONGODB_URI: ${error.message}`])
  const kind = failureOf(error)
  return kind === null ? error : unavailable(error, kind)
}

function unavailable(cause: unknown, kind: keyof typeof START_SENTENCES): Error {
  return new ServiceUnavailableError(START_SENTENCES[kind], {}, { cause })
}

/** By name: the parser of connection strings (`mongodb-connection-string-url` 7) has a class of its own. */
function isWrongAddress(error: unknown): error is Error {
  return error instanceof Error && WRONG_ADDRESS.has(error.name)
}

const WRONG_ADDRESS: ReadonlySet<string> = new Set([
  'MongoParseError',
  'MongoInvalidArgumentError',
  'MongoMissingDependencyError',
])
