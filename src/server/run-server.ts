import { findNearMisses } from '../base/config/near-misses.ts'
import { readConfig } from '../base/config/config.ts'
import type { Config, Environment, FileSettings } from '../base/config/config.ts'
import type { StudioBranding } from '../base/config/studio-settings.ts'
import type { Extension } from '../extensions/extension.ts'
import type { Configuration } from '../extensions/configuration/load-configuration.ts'
import type { Deployment } from './deployment/deployment.ts'
import { describeDatabase, writeServerNote } from './deployment/server-note.ts'
import { CmsError, ConfigError, ExtensionError, ServiceUnavailableError } from '../base/errors.ts'
import { SchemaError } from '../schema/schema-error.ts'
import { createLog } from '../base/log.ts'
import type { Log } from '../base/log.ts'
import { holdFreePort, serve } from './serve.ts'
import type { ServedApp } from './serve.ts'

export interface Parts {
  readonly env: Environment
  readonly configure?: () => Promise<Configuration>
  startDeployment(config: Config, log: Log): Promise<Deployment>
  createApp(dependencies: AppDependencies): Promise<ServedApp>
  onListening?(address: string, dependencies: AppDependencies): void
}

export interface AppDependencies {
  readonly config: Config
  readonly deployment: Deployment
  readonly log: Log
  readonly extensions?: readonly Extension[] | undefined
  readonly studio?: StudioBranding | null | undefined
}

/** Afterwards the process exits anyway. */
const CLOSE_MS = 40_000

interface Closer {
  readonly name: () => string
  readonly close: () => Promise<void>
}

interface Running {
  readonly closers: Closer[]
  log: Log | null
}

/** SIGINT and SIGTERM finish the running requests and exit with 0. A second signal exits immediately. */
export async function runServer(parts: Parts): Promise<void> {
  const running: Running = { closers: [], log: null }
  const ended = onSignals(running)
  try {
    await start(parts, running)
  } catch (error) {
    if (ended.aborted) return
    process.stderr.write(`quire: ${explain(error)}\n`)
    await closeAll(running.closers)
    process.exit(1)
  }
}

export interface StartedServer {
  /** Without a trailing slash: `http://127.0.0.1:1337`. */
  readonly address: string
  close(): Promise<void>
}

/** Starts a server that handles no signals. @throws the error of a failed start */
export async function startServer(parts: Parts): Promise<StartedServer> {
  const running: Running = { closers: [], log: null }
  const close = (): Promise<void> => closeAll(running.closers)
  try {
    return { address: await start(parts, running), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(parts: Parts, running: Running): Promise<string> {
  const { closers } = running
  const configuration = await parts.configure?.()
  const { config, release } = await readConfigWithPort(parts.env, configuration?.settings)
  const log = createLog(config)
  running.log = log
  for (const question of findNearMisses(parts.env)) log.warn(question)
  const deployment = await parts.startDeployment(config, log)
  closers.push({ name: () => 'the database', close: () => deployment.close() })
  const { extensions, studio } = configuration ?? {}
  const dependencies = { config, deployment, log, extensions, studio }
  const app = await createApp(parts, dependencies)
  closers.push({ name: () => 'background work', close: () => app.close() })
  await release()
  const server = await serve(app, config)
  const used = describeDatabase(deployment, config.database.name)
  const removeNote = await writeServerNote(config.dataDir, used)
  closers.push({
    name: () => `${server.openRequests()} open requests`,
    close: async () => {
      await server.stop()
      await removeNote()
    },
  })
  const docs = typeof app.docsPath === 'string' ? `; API: ${server.address}${app.docsPath}` : ''
  log.info(`Quire listens on ${server.address}; database: ${deployment.reason}${docs}`)
  const firstStart = await app.firstStartLink?.()
  if (firstStart)
    log.info(`No administrator yet: ${firstStart} creates the first, once and within an hour`)
  parts.onListening?.(server.address, dependencies)
  return server.address
}

/** With `PORT=0`, reserves a port until `release`, so that the configuration contains it. */
async function readConfigWithPort(
  env: Environment,
  file: FileSettings | undefined,
): Promise<{ readonly config: Config; readonly release: () => Promise<void> }> {
  const config = readConfig(env, file)
  if (config.http.port !== 0) return { config, release: () => Promise.resolve() }
  const { port, release } = await holdFreePort(config.http.host)
  return { config: readConfig({ ...env, PORT: String(port) }, file), release }
}

// The message may name the database, because it is not sent to a client.
async function createApp(parts: Parts, dependencies: AppDependencies): Promise<ServedApp> {
  try {
    return await parts.createApp(dependencies)
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError)) throw error
    const message = `${error.message}: ${dependencies.deployment.reason}`
    throw new ServiceUnavailableError(message, {}, { cause: error })
  }
}

function onSignals(running: Running): AbortSignal {
  const ended = new AbortController()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (ended.signal.aborted) process.exit(code)
      ended.abort()
      void stop(running, signal).then(() => process.exit(0))
    })
  }
  return ended.signal
}

async function stop({ closers, log }: Running, signal: NodeJS.Signals): Promise<void> {
  const began = performance.now()
  const names = closers.toReversed().map(({ name }) => name())
  log?.info(`${signal}: stopping; waits for ${names.join(', ') || 'the start'}`)
  await closeAll(closers)
  log?.info(`Stopped after ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function closeAll(closers: readonly Closer[]): Promise<void> {
  let current = ''
  const late = setTimeout(() => {
    process.stderr.write(`quire: closing ${current} took over ${CLOSE_MS / 1000} s\n`)
    process.exit(1)
  }, CLOSE_MS)
  for (const { name, close } of closers.toReversed()) {
    current = name()
    await close().catch((error: unknown) => {
      process.stderr.write(`quire: while closing ${current}: ${explain(error)}\n`)
    })
  }
  clearTimeout(late)
}

// Errors that the user can fix have a helpful message. Others are bugs and show their stack.
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const readable = [CmsError, ConfigError, ExtensionError, SchemaError].some(
    (kind) => error instanceof kind,
  )
  return readable ? error.message : (error.stack ?? error.message)
}
