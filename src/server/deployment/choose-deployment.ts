import { readdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Deployment, DeploymentLog } from './deployment.ts'
import { hostsOf } from './server-note.ts'
import { pathExists } from './path-exists.ts'

export type DeploymentConfig = Pick<Config, 'dataDir' | 'database'>

export interface Starters {
  startMongod(directory: string, log: DeploymentLog): Promise<Started | Unavailable>
  startEmbedded(options: {
    directory: string
  }): Promise<{ uri: string; role: 'owner' | 'guest'; close(): Promise<void> }>
}

interface Started {
  readonly uri: string
  readonly what: string
  close(): Promise<void>
}

interface Unavailable {
  readonly unavailable: string
}

/**
 * The configured database, or the first available one of `MONGODB_URI`, mongod and the embedded engine. If only one of
 * the two data folders contains data, its database is used, so that content never seems lost. In production, the
 * configuration names the database.
 * @throws ConfigError if the database cannot start
 */
export async function chooseDeployment(
  config: DeploymentConfig,
  log: DeploymentLog,
  starters: Starters,
): Promise<Deployment> {
  const { kind, uri } = config.database
  if (uri !== null && (kind === null || kind === 'uri')) return givenDeployment(uri, kind)
  if (kind === 'mongod') return forcedMongod(config, log, starters)
  if (kind === 'embedded') return embedded(config, starters, 'QUIRE_DATABASE asks for it')
  return firstAvailable(config, log, starters)
}

function givenDeployment(uri: string, kind: 'uri' | null): Deployment {
  const why = kind === null ? '' : ', as QUIRE_DATABASE asks'
  return {
    kind: 'uri',
    uri,
    reason: `the deployment of MONGODB_URI (${hostsOf(uri)})${why}`,
    close: () => Promise.resolve(),
  }
}

async function forcedMongod(
  config: DeploymentConfig,
  log: DeploymentLog,
  starters: Starters,
): Promise<Deployment> {
  const directory = mongodFolder(config)
  const started = await starters.startMongod(directory, log)
  if ('unavailable' in started) {
    throw new ConfigError([`QUIRE_DATABASE: it asks for mongod, but ${started.unavailable}`])
  }
  return toDeployment(started, directory, ', as QUIRE_DATABASE asks')
}

async function firstAvailable(
  config: DeploymentConfig,
  log: DeploymentLog,
  starters: Starters,
): Promise<Deployment> {
  const directory = mongodFolder(config)
  const hasData = await pathExists(`${directory}.json`)
  if (!hasData && (await holdsFiles(embeddedFolder(config)))) {
    return embedded(
      config,
      starters,
      'its folder holds the data; QUIRE_DATABASE=mongod starts afresh on mongod',
    )
  }
  const started = await starters.startMongod(directory, log)
  if (!('unavailable' in started)) return toDeployment(started, directory, '')
  if (!hasData) return embedded(config, starters, started.unavailable)
  throw new ConfigError([
    `${shown(directory)} holds the data, but ${started.unavailable}; ` +
      'QUIRE_DATABASE=embedded starts without that data',
  ])
}

function toDeployment(started: Started, directory: string, why: string): Deployment {
  const { uri, what } = started
  const reason = `${what}, data in ${shown(directory)}${why}`
  return { kind: 'mongod', uri, reason, close: () => started.close() }
}

async function embedded(
  config: DeploymentConfig,
  starters: Starters,
  why: string,
): Promise<Deployment> {
  const directory = embeddedFolder(config)
  const engine = await starters.startEmbedded({ directory })
  const whose = engine.role === 'guest' ? ' of another process' : ''
  const reason =
    `the embedded engine${whose}, data in ${shown(directory)}, because ${why}; ` +
    'it is for development, tests and small installations'
  return { kind: 'embedded', uri: engine.uri, reason, close: () => engine.close() }
}

function mongodFolder({ dataDir }: DeploymentConfig): string {
  return resolve(dataDir, 'mongod')
}

function embeddedFolder({ dataDir }: DeploymentConfig): string {
  return resolve(dataDir, 'embedded')
}

function shown(directory: string): string {
  const inside = relative(process.cwd(), directory)
  return inside.startsWith('..') ? directory : join(inside)
}

async function holdsFiles(directory: string): Promise<boolean> {
  return readdir(directory).then(
    (names) => names.length > 0,
    () => false,
  )
}
