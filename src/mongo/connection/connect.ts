import {
  MongoClient,
  type MongoClientOptions,
  type TopologyDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb'
import { ConfigError, ServiceUnavailableError } from '../../base/errors.ts'
import { patchActiveSets } from './driver-patches/active-sets.ts'
import type { CommandMonitor } from './command-monitor.ts'
import { failureOf, failuresOf, START_SENTENCES } from './connection-failure.ts'

export interface ClientOptions {
  readonly uri: string
  /** @default 50, and 2,000 for `waitQueueTimeoutMs`, unless the URI sets them */
  readonly maxPoolSize?: number
  readonly waitQueueTimeoutMs?: number
  readonly client?: MongoClientOptions
  readonly monitor?: CommandMonitor
}

/** Acknowledged by a majority of the members, so that a failover does not roll the write back. */
export const MAJORITY_WRITES = { w: 'majority' } as const

/** Driver 7.8 waits forever by default. Int64 is read as `bigint`, because only biginteger attributes store it. */
const CLIENT_OPTIONS: MongoClientOptions = {
  appName: 'quire',
  connectTimeoutMS: 3_000,
  heartbeatFrequencyMS: 2_000, // together with `connectTimeoutMS`: time until a silent server counts as lost
  serverSelectionTimeoutMS: 5_000,
  waitQueueTimeoutMS: 2_000,
  maxPoolSize: 50,
  minPoolSize: 2,
  maxIdleTimeMS: 120_000, // load balancers drop idle connections silently after four minutes or more
  writeConcern: MAJORITY_WRITES,
  useBigInt64: true,
}

/** In driver 7.8, options silently take precedence over the URI. */
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

/** @throws ConfigError for an invalid URI */
export function clientFor(options: ClientOptions): MongoClient {
  try {
    return createClient(options)
  } catch (error) {
    throw explainStart(error)
  }
}

/** Grace period for a database that is starting, even if it refuses connections. */
const MAX_WAIT_MS = 500

/** Fails as soon as all servers have reported errors, earlier than the driver. @throws ServiceUnavailableError */
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
  }, MAX_WAIT_MS)
  client.on('topologyDescriptionChanged', watch)
  const connecting = client.connect()
  connecting.catch(() => undefined) // avoids an unhandled rejection if `failed` settles first
  try {
    await Promise.race([connecting, failed])
  } finally {
    clearTimeout(timer)
    client.off('topologyDescriptionChanged', watch)
  }
}

export function explainStart(error: unknown): unknown {
  if (isWrongAddress(error)) return new ConfigError([`MONGODB_URI: ${error.message}`])
  const kind = failureOf(error)
  return kind === null ? error : unavailable(error, kind)
}

function unavailable(cause: unknown, kind: keyof typeof START_SENTENCES): Error {
  return new ServiceUnavailableError(START_SENTENCES[kind], {}, { cause })
}

/** Compares names, because `mongodb-connection-string-url` 7 has its own error class. */
function isWrongAddress(error: unknown): error is Error {
  return error instanceof Error && WRONG_ADDRESS.has(error.name)
}

const WRONG_ADDRESS: ReadonlySet<string> = new Set([
  'MongoParseError',
  'MongoInvalidArgumentError',
  'MongoMissingDependencyError',
])
