import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withEnvFile } from '../../src/config/env-file.ts'
import { type ChildServer, startServer } from '../bench/child-server.ts'
import { dropDatabase, writeTypes } from '../bench/prepare.ts'
import { readShipped } from '../bench/shipped.ts'
import { MIXED_TYPES } from '../mixed-load/content-types.ts'
import { type Figures, readFigures } from './sample.ts'

export const SOAK_TOKEN = 'root-token-of-a-soak-on-this-machine'

/** Quire as it is shipped, in a process of its own. */
export interface SoakedServer {
  readonly base: string
  /** What the figures are about, for people. */
  readonly database: string
  figures(): Promise<Figures>
  /** Ends the server and removes its database and files. */
  stop(): Promise<void>
}

const COLLECTING = new URL('./collect-garbage.js', import.meta.url)
const MAIN = new URL('../../src/main.js', import.meta.url)

/**
 * On the deployment of `MONGODB_URI`, else on the embedded engine, which runs in the server's process.
 * If it `collects`, its figures are those of a heap without garbage.
 */
export async function startSoakedServer(collects: boolean): Promise<SoakedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-soak-'))
  const types = join(folder, 'content-types')
  writeTypes(types, MIXED_TYPES)
  const uri = withEnvFile(process.env)['MONGODB_URI'] ?? ''
  const name = `quire_soak_${process.pid}`
  const shipped = readShipped()
  const collecting = collects ? ['--expose-gc', `--import=${COLLECTING.href}`] : []
  const env = {
    ...shipped.env,
    ...(uri === '' ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
    MONGODB_DATABASE: name,
    QUIRE_DATA_DIR: join(folder, 'data'),
    CONTENT_TYPES_DIR: types,
    ROOT_API_TOKEN: SOAK_TOKEN,
    LOG_LEVEL: 'info',
  }
  const remove = async (): Promise<void> => {
    if (uri !== '') await dropDatabase(uri, name)
    rmSync(folder, { recursive: true, force: true })
  }
  let server: ChildServer
  try {
    server = await startServer(MAIN, env, [...shipped.options, ...collecting])
  } catch (error) {
    await remove()
    throw error
  }
  return {
    base: server.base,
    database:
      uri === ''
        ? 'the embedded engine, which runs in the process of the server: its memory is in the figures'
        : 'the deployment of MONGODB_URI',
    figures: async () => {
      const figures = await readFigures(server.base)
      if (!collects) return figures
      return { ...figures, heapUsedBytes: Number(await server.ask('collect garbage')) }
    },
    stop: async () => {
      await server.stop()
      await remove()
    },
  }
}
