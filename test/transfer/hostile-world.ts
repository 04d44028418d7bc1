import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { CmsError } from '../../src/base/errors.ts'
import { openServices, type Services } from '../../src/server/services/open-services.ts'
import { declare } from '../support/server.ts'
import { testUri } from '../support/test-database.ts'

/** Services with their own database and folder, for hostile files. */
export interface HostileWorld {
  readonly services: Services
  readonly folder: string
  close(): Promise<void>
}

const MAX_RISE = 300 * 1_048_576
const DEEP = 100_000

/** JSON that is nested deeper than the call stack allows. */
export const DEEP_LIST = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`

export async function openHostileWorld(label: string): Promise<HostileWorld> {
  const uri = await testUri()
  const name = `quire_test_hostile_${label}_${process.pid}`
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-hostile-'))
  const types = path.join(folder, 'types')
  mkdirSync(types)
  const tag = declare('tag', {
    name: { type: 'string' },
    extra: { type: 'json' },
    text: { type: 'text' },
  })
  writeFileSync(path.join(types, 'tag.json'), JSON.stringify(tag))
  const services = await openServices({
    config: readConfig({
      CONTENT_TYPES_DIR: types,
      QUIRE_DATA_DIR: path.join(folder, 'data'),
      MONGODB_DATABASE: name,
      MONITOR_COMMANDS: 'off',
      QUERY_TIMEOUT_MS: '20000',
    }),
    deployment: { uri },
    log: pino({ level: 'silent' }),
  })
  return {
    services,
    folder,
    close: async () => {
      await services.close()
      const admin = await MongoClient.connect(uri)
      await admin.db(name).dropDatabase()
      await admin.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the message of the refusal. Fails for any other error and for high memory use. */
export async function refusal(work: () => Promise<unknown>): Promise<string> {
  const before = process.memoryUsage().rss
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 10)
  try {
    await work()
    return 'none'
  } catch (error) {
    expect(error, String((error as Error).stack)).to.be.instanceOf(CmsError)
    expect((error as Error).message.length).to.be.below(2_000)
    return (error as Error).message
  } finally {
    clearInterval(watch)
    expect(peak - before, 'memory').to.be.below(MAX_RISE)
  }
}
