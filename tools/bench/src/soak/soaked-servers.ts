import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withEnvFile } from '../../../../src/base/config/env-file.ts'
import { type ChildServer, startChildServer } from '../bench/child-server.ts'
import { dropDatabase, writeTypes } from '../bench/prepare.ts'
import { readShipped } from '../bench/shipped.ts'
import { MIXED_TYPES } from '../mixed-load/content-types.ts'
import { type Figures, readFigures } from './sample.ts'

export const SOAK_TOKEN = 'root-token-of-a-soak-on-this-machine'

/** Quire as shipped, in separate processes on one database. */
export interface SoakedServers {
  readonly bases: readonly string[]
  readonly database: string
  figures(): Promise<Figures>
  stop(): Promise<void>
}

/** The shipped maximum age of cached responses. */
export const STALE_MS = 1_000

const COLLECTING = new URL('./collect-garbage.js', import.meta.url)
const MAIN = new URL('../../../../src/server/main.js', import.meta.url)

export interface SoakedOptions {
  readonly processes: number
  /** True to collect garbage before each measurement. */
  readonly collect: boolean
}

/**
 * Uses the deployment of `MONGODB_URI`, otherwise the embedded engine inside the server's process.
 * @throws Error for several processes without `MONGODB_URI`, because the embedded engine serves
 * only one
 */
export async function startSoakedServers(options: SoakedOptions): Promise<SoakedServers> {
  const uri = withEnvFile(process.env)['MONGODB_URI'] ?? ''
  if (uri === '' && options.processes > 1) throw new Error('--processes: set MONGODB_URI as well')
  const folder = mkdtempSync(join(tmpdir(), 'quire-soak-'))
  const name = `quire_soak_${process.pid}`
  const servers: ChildServer[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()))
    if (uri !== '') await dropDatabase(uri, name)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (let index = 0; index < options.processes; index += 1) {
      servers.push(await startOne({ ...options, folder, uri, name, index }))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return {
    bases: servers.map(({ base }) => base),
    database:
      uri === ''
        ? 'the embedded engine, which runs in the process of the server: its memory is in the figures'
        : `the deployment of MONGODB_URI; ${servers.length} processes: their memory together, the slowest event loop`,
    figures: async () =>
      together(await Promise.all(servers.map((server) => figuresOf(server, options.collect)))),
    stop,
  }
}

interface StartOptions extends SoakedOptions {
  readonly folder: string
  readonly uri: string
  readonly name: string
  readonly index: number
}

function startOne({ collect, processes, folder, uri, name, index }: StartOptions) {
  const types = join(folder, 'content-types')
  writeTypes(types, MIXED_TYPES)
  const shipped = readShipped()
  const collecting = collect ? ['--expose-gc', `--import=${COLLECTING.href}`] : []
  const env = {
    ...shipped.env,
    ...(uri === '' ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
    ...(processes > 1 && SHARED),
    MONGODB_DATABASE: name,
    QUIRE_DATA_DIR: join(folder, `data-${index}`),
    CONTENT_TYPES_DIR: types,
    ROOT_API_TOKEN: SOAK_TOKEN,
    CACHE_STALE_MS: String(STALE_MS),
    LOG_LEVEL: 'info',
  }
  return startChildServer(MAIN, env, [...shipped.options, ...collecting])
}

/** Processes do not share local folders. */
const SHARED = {
  JWT_SECRET: 'one-secret-for-all-processes-of-a-soak',
  UPLOAD_STORAGE: 'gridfs',
} as const

async function figuresOf(server: ChildServer, collects: boolean): Promise<Figures> {
  const figures = await readFigures(server.base)
  if (!collects) return figures
  return { ...figures, heapUsedBytes: Number(await server.ask('collect garbage')) }
}

function together(all: readonly Figures[]): Figures {
  const sum = (valueOf: (one: Figures) => number) =>
    all.reduce((total, one) => total + valueOf(one), 0)
  return {
    residentBytes: sum(({ residentBytes }) => residentBytes),
    heapUsedBytes: sum(({ heapUsedBytes }) => heapUsedBytes),
    lagMs: Math.max(...all.map(({ lagMs }) => lagMs)),
    keptAnswers: sum(({ keptAnswers }) => keptAnswers),
  }
}
