import type { MongoClient, TopologyDescription, TopologyDescriptionChangedEvent } from 'mongodb'
import { ConfigError, ServiceUnavailableError } from '../../errors.ts'
import { failureOf, failuresOf, START_SENTENCES } from './connection-failure.ts'

/** What a database that is being started may take, once it is known why it does not answer. */
const PATIENCE_MS = 500

/**
 * Connects, and gives up as soon as each server of the deployment is known to fail, long before the driver
 * does: whoever starts a server waits for the answer.
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
