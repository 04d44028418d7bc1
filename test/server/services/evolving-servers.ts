import { expect } from 'chai'
import type { Db, MongoClient } from 'mongodb'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { REWRITE_LEASE } from '../../../src/mongo/system/assert-alone.ts'
import { compactContent } from '../../../src/server/services/compact-content.ts'
import { fitContent } from '../../../src/server/services/fit-content.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import { type Base, type openBase, SERVER_START } from '../../../src/server/services/open-base.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { killedAt } from '../../support/killed-database.ts'
import type { ModelRelease } from './evolving-content.ts'
import { declareHolder } from './evolving-holder.ts'

export interface RunningRelease {
  readonly server: TestServer
  readonly release: ModelRelease
}

const silent = { info: () => undefined, debug: () => undefined, warn: () => undefined }

type Declarations = Readonly<Record<string, object>>

/** `number` makes each release another one than all before, because equal declarations are a roll-back. */
function typesOf({ thing, part, number }: ModelRelease): Declarations {
  const attributes = { label: { type: 'string' }, ...declareHolder(thing) }
  return {
    thing: declare('thing', attributes, { draftAndPublish: true }),
    // Without an attribute, a component is refused.
    'components/shared/part': {
      info: { displayName: `Part ${number}` },
      attributes: { own: { type: 'string' }, ...declareHolder(part) },
    },
  }
}

/** Server processes of one or two releases on one database, and kills of starts and compactions. */
export class EvolvingServers {
  readonly database: string
  readonly #client: MongoClient
  #running: readonly RunningRelease[] = []

  constructor(client: MongoClient, database: string) {
    this.#client = client
    this.database = database
  }

  get running(): readonly RunningRelease[] {
    return this.#running
  }

  get db(): Db {
    return this.#client.db(this.database)
  }

  /** The older of two processes stops. @throws SchemaError */
  async start(release: ModelRelease): Promise<void> {
    const [older, ...others] = this.#running
    if (others.length > 0) await older?.server.close()
    const kept = others.length > 0 ? others : this.#running
    this.#running = kept
    const server = await serve('evolution', {
      contentTypes: typesOf(release),
      environment: { MONGODB_DATABASE: this.database },
    })
    this.#running = [...kept, { server, release }]
  }

  async stop(): Promise<void> {
    const servers = this.#running
    this.#running = []
    for (const { server } of servers) await server.close()
  }

  /** A start that is killed in its n-th write after it has entered the ledger. Returns whether it lived as long. */
  async killStart(release: ModelRelease, at: number): Promise<boolean> {
    return this.#withBase(release, SERVER_START, (base) =>
      this.#kill(base, at, (database) => fitContent({ ...base, database }, silent)),
    )
  }

  async killCompaction(release: ModelRelease, at: number): Promise<boolean> {
    return this.#withBase(release, { continues: 'compaction' }, (base) =>
      this.#kill(base, at, (database) => this.#compact({ ...base, database })),
    )
  }

  /** Some values may have the form of an older release. */
  async isConverting(): Promise<boolean> {
    const rows = this.db.collection<{ _id: string }>('quire_conversions')
    return (await rows.findOne({ _id: 'conversion', endedAt: null })) !== null
  }

  async compact(release: ModelRelease): Promise<void> {
    await this.#withBase(release, { continues: 'compaction' }, (base) => this.#compact(base))
  }

  async end(): Promise<void> {
    await this.stop()
    await this.db.dropDatabase()
  }

  async #compact(base: Base): Promise<void> {
    const { definitions } = await loadProject(base.config.contentTypesDir)
    await compactContent(base, definitions, { isPlan: false, maxWaitMs: 0 })
  }

  async #kill(
    base: Base,
    at: number,
    work: (database: Database) => Promise<void>,
  ): Promise<boolean> {
    const { database, writes } = killedAt(base.database, at)
    const isKilled = (): boolean => writes() >= at
    await work(database).catch((error: unknown) => {
      if (!isKilled()) throw error
    })
    // They expire. Other processes keep theirs.
    const own = [REWRITE_LEASE, 'convert', 'indexes', 'reservations']
    await this.db.collection<{ _id: string }>('quire_leases').deleteMany({ _id: { $in: own } })
    return isKilled()
  }

  #withBase<T>(
    release: ModelRelease,
    options: Parameters<typeof openBase>[2],
    work: (base: Base) => Promise<T>,
  ): Promise<T> {
    return withTestBase({ database: this.database, contentTypes: typesOf(release), options }, work)
  }
}

export async function sendOk(
  { server }: RunningRelease,
  method: string,
  path: string,
  data?: object,
) {
  const sent = data === undefined ? {} : { data }
  const hasBody = method === 'POST' || method === 'PUT'
  const { status, text, body } = await server.send(method, path, hasBody ? { body: sent } : {})
  expect(status, `${method} ${path}: ${text}`).to.be.within(200, 204)
  return body
}
