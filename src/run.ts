import { findNearMisses } from './config/near-misses.ts'
import { readConfig } from './config/config.ts'
import type { Config, Environment } from './config/config.ts'
import type { Deployment } from './deployment/deployment.ts'
import { CmsError, ConfigError, SchemaError, ServiceUnavailableError } from './errors.ts'
import { createLog } from './log.ts'
import type { Log } from './log.ts'
import { serve } from './serve.ts'
import type { App } from './serve.ts'

/** What a server is made of; the process entry gives the real ones. */
export interface Parts {
  readonly env: Environment
  startDeployment(config: Config, log: Log): Promise<Deployment>
  createApp(dependencies: AppDependencies): Promise<App>
  /** Called with the address of the server, after the start-up line. */
  onListening?(address: string, dependencies: AppDependencies): void
}

export interface AppDependencies {
  readonly config: Config
  readonly deployment: Deployment
  readonly log: Log
}

/** For everything together; what is not closed by then is left to the operating system. */
const CLOSE_MS = 40_000

/** Closed in the opposite order of their start. */
type Closers = (() => Promise<void>)[]

/**
 * Runs a server in this process until SIGINT or SIGTERM: that finishes what is in flight, closes
 * the database and exits with 0; a second one exits at once. A start that fails says why in one
 * message and exits with 1.
 */
export async function run(parts: Parts): Promise<void> {
  const closers: Closers = []
  const ended = onSignals(closers)
  try {
    await start(parts, closers)
  } catch (error) {
    if (ended.aborted) return
    process.stderr.write(`quire: ${explain(error)}\n`)
    await closeAll(closers)
    process.exit(1)
  }
}

async function start(parts: Parts, closers: Closers): Promise<void> {
  const config = readConfig(parts.env)
  const log = createLog(config)
  for (const question of findNearMisses(parts.env)) log.warn(question)
  const deployment = await parts.startDeployment(config, log)
  closers.push(() => deployment.close())
  const dependencies = { config, deployment, log }
  const app = await createApp(parts, dependencies)
  closers.push(() => app.close())
  const server = await serve(app, config)
  closers.push(() => server.stop())
  const docs = typeof app.docsPath === 'string' ? `; API: ${server.address}${app.docsPath}` : ''
  log.info(`Quire listens on ${server.address}; database: ${deployment.reason}${docs}`)
  const firstStart = await app.firstStartLink?.()
  if (firstStart)
    log.info(`No administrator yet: ${firstStart} creates the first, once and within an hour`)
  parts.onListening?.(server.address, dependencies)
}

// At the start, unlike in an answer to a client, the error may say which database it is about.
async function createApp(parts: Parts, dependencies: AppDependencies): Promise<App> {
  try {
    return await parts.createApp(dependencies)
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError)) throw error
    const message = `${error.message}: ${dependencies.deployment.reason}`
    throw new ServiceUnavailableError(message, {}, { cause: error })
  }
}

function onSignals(closers: Closers): AbortSignal {
  const ended = new AbortController()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (ended.signal.aborted) process.exit(code)
      ended.abort()
      void closeAll(closers).then(() => process.exit(0))
    })
  }
  return ended.signal
}

async function closeAll(closers: Closers): Promise<void> {
  const late = setTimeout(() => {
    process.stderr.write(`quire: not everything was closed within ${CLOSE_MS / 1000} s\n`)
    process.exit(1)
  }, CLOSE_MS)
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => {
      process.stderr.write(`quire: while closing: ${explain(error)}\n`)
    })
  }
  clearTimeout(late)
}

// What its user can put right has a message that says so; anything else is a bug and shows its stack.
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const readable = [CmsError, ConfigError, SchemaError].some((kind) => error instanceof kind)
  return readable ? error.message : (error.stack ?? error.message)
}
