import { expect } from 'chai'
import { type Db, type Document, MongoClient } from 'mongodb'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { putCompaction, readCompaction } from '../../../src/mongo/conversions/compaction-row.ts'
import {
  endLocaleRename,
  putLocaleRename,
} from '../../../src/mongo/conversions/locale-rename-row.ts'
import {
  readLedger,
  replaceLedger,
  UNFINISHED_COMPACTION,
} from '../../../src/mongo/system/schema-ledger.ts'
import {
  assertNotCompacted,
  type Compaction,
  compactSchema,
  finishCompaction,
} from '../../../src/server/compaction/compact-schema.ts'
import { compactContent } from '../../../src/server/services/compact-content.ts'
import { enterSchema } from '../../../src/server/services/enter-schema.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { pauseAtEach } from '../../support/paused-process.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import type { TestServer } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { type Dump, restoreDatabase } from '../locale-rename/renamed-world.ts'
import {
  beforeFirst,
  failureOf,
  interruptedAt,
  withoutTransactions,
  wrapMethods,
} from '../../support/wrapped-database.ts'
import { comparedRows, dumpExactly } from './compared-rows.ts'

type Types = Readonly<Record<string, object>>

const typesOf = (part: object, thing: object): Types => ({
  'components/shared/part': { info: { displayName: 'Part' }, attributes: part },
  thing: {
    info: { singularName: 'thing' },
    options: { draftAndPublish: true },
    attributes: {
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      ...thing,
    },
  },
})

const TEXT = { type: 'string' }
const OLDER = typesOf(
  { code: TEXT },
  { name: { type: 'string', unique: true }, left: TEXT, right: TEXT },
)
const PART = { mark: { type: 'string', from: 'code' } }
const THING = {
  title: { type: 'string', unique: true, from: 'name' },
  left: { type: 'string', from: 'right' },
  right: { type: 'string', from: 'left' },
}
const NEWER = typesOf(PART, THING)
const UID = 'api::thing.thing'

describe('the safety of schema compact', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let filled: Dump

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('compaction_safety')
    db = client.db(releases.database)
    const older = await releases.start(OLDER)
    for (const one of ['a', 'b']) {
      const data = { name: one, left: `l${one}`, right: `r${one}`, parts: [{ code: `c${one}` }] }
      const made = await older.post('/api/things?status=published', data)
      expect(made.status, made.text).to.equal(201)
    }
    await releases.start(NEWER)
    await releases.stop()
    filled = await dumpExactly(db)
  })
  afterEach(async () => {
    await releases.stop()
    await restoreDatabase(db, filled)
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  function withBase<T>(
    work: (base: Base) => Promise<T>,
    contentTypes = NEWER,
    continues: 'compaction' | null = 'compaction',
  ): Promise<T> {
    const options = continues === null ? {} : { continues }
    return withTestBase({ database: releases.database, contentTypes, options }, work)
  }

  const move = (
    { schema, entered, documents, extensions: { computed } }: Base,
    database: Database,
  ): Promise<Compaction> =>
    compactSchema({ database, schema, computed, entered, now: documents.now, maxWaitMs: 0 })

  const compact = (): Promise<Compaction> =>
    withBase(async (base) => {
      const { definitions } = await loadProject(base.config.contentTypesDir)
      return compactContent(base, definitions, { isPlan: false, maxWaitMs: 0 })
    })

  const things = (): Promise<Document[]> =>
    db.collection('things').find({ status: 'published' }).sort({ documentId: 1 }).toArray()

  const startNewer = (): Promise<TestServer> => releases.start(NEWER)

  it('stops a process that slept while a start finished the move', async () => {
    const takeOver = async (base: Base): Promise<void> => {
      await finishCompaction(base.database, () => undefined)
      await db
        .collection('things')
        .updateOne({ status: 'published' }, { $set: { left: 'newer', title: 'newer' } })
    }
    const pauses = await pauseAtEach({
      db,
      restore: () => restoreDatabase(db, filled),
      withBase,
      work: move,
      takeOver,
      contentOf: async () => comparedRows(await dumpExactly(db)),
    })
    expect(pauses).to.be.greaterThan(5)
  })

  it('refuses a database without transactions', async () => {
    const failure = await withBase((base) =>
      failureOf(move(base, withoutTransactions(base.database))),
    )
    expect(failure).to.match(/only on a replica set/)
    expect(comparedRows(await dumpExactly(db))).to.deep.equal(comparedRows(filled))
  })

  it('plans again if a start enters the ledger in between', async () => {
    const more = typesOf(PART, { ...THING, name: { type: 'string' } })
    let looks = 0
    const moved = await withBase((base) => {
      const database = wrapMethods(base.database, (name, own) =>
        name !== 'findOtherReleases'
          ? own
          : async (...parts: readonly unknown[]) => {
              looks += 1
              if (looks === 1) await withBase(enter, more)
              return own(...parts)
            },
      )
      return move(base, database)
    })
    expect(looks).to.equal(2)
    expect(moved.moved).to.deep.include({ uid: UID, from: 'name', to: 'title' })
    await withBase(async ({ database }) => {
      const { holders, compacting } = await readLedger(database)
      const stored = (holders[UID]?.columns ?? []).map((one) => one.stored)
      expect(new Set(stored).size).to.equal(stored.length)
      expect(compacting).to.equal(undefined)
    })
  })

  const enter = async ({ database, config }: Base): Promise<void> => {
    const { definitions } = await loadProject(config.contentTypesDir)
    await enterSchema(database, definitions)
  }

  it('lets no other process change the ledger while values move', async () => {
    await stopAfterBegin()
    const more = typesOf(PART, { ...THING, more: TEXT })
    const failure = await withBase((base) => failureOf(enter(base)), more)
    expect(failure).to.include(UNFINISHED_COMPACTION)
    await withBase(async ({ database }) => {
      const ledger = await readLedger(database)
      const { compacting: _mark, ...unmarked } = ledger
      const stale = { ...unmarked, version: ledger.version - 1 }
      expect(await replaceLedger(database, stale, stale)).to.equal(false)
    })
  })

  /** The move is begun, and its process is killed before the first row. */
  async function stopAfterBegin(): Promise<void> {
    await withBase(async (base) => {
      const kill = (): Promise<void> => Promise.reject(new Error('killed'))
      const { wrapped } = interruptedAt(base.database, 'transact', 2, kill)
      expect(await failureOf(move(base, wrapped))).to.equal('killed')
      expect((await readCompaction(base.database))?.phase).to.equal('moving')
      await db.collection('quire_leases').deleteMany({}) // it expires
    })
  }

  it('finishes a move that begins while a start cancels it', async () => {
    await stopAfterBegin()
    const rows = db.collection('quire_conversions')
    await rows.updateOne({}, { $set: { phase: 'planned' } })
    await withBase(async ({ database }) => {
      const begin = () => rows.updateOne({}, { $set: { phase: 'moving' } })
      const wrapped = beforeFirst(database, ['quire_conversions', 'deleteOne'], begin)
      await finishCompaction(wrapped, () => undefined)
      expect((await readCompaction(database))?.phase).to.equal('indexes')
    })
  })

  it('leaves a planned move to its command', async () => {
    await withBase(async ({ database, entered }) => {
      const run = { _id: 'compaction', run: 'command', step: 0, phase: 'planned' } as const
      const row = { ...run, at: new Date(), compactions: 0, pass: 0, holders: [] }
      const majority = beforeFirst(database.majority, ['quire_schema', 'findOne'], () =>
        putCompaction(database, row),
      )
      const wrapped = Object.create(database, { majority: { value: majority } }) as Database
      await assertNotCompacted(wrapped, entered.ledger)
      expect(await readCompaction(database)).to.include({ run: 'command', phase: 'planned' })
    })
  })

  it('keeps values of no attribute under a name that is free', async () => {
    const versions = db.collection('things')
    await versions.updateMany({}, { $set: { title: 'stray', 'parts.$[].mark': 'stray part' } })
    await versions.updateOne({ 'parts.code': 'cb', status: 'published' }, { $unset: { name: '' } })
    await compact()
    await withBase((base) => move(base, base.database))
    const [first, second] = await things()
    const rows = first?.['left'] === 'ra' ? [first, second] : [second, first]
    expect(rows[0]).to.deep.include({ title: 'a', 'title~c1': 'stray', left: 'ra', right: 'la' })
    expect(rows[0]?.['parts'][0]).to.deep.include({ mark: 'ca', 'mark~c1': 'stray part' })
    expect(rows[1]).to.deep.include({ 'title~c1': 'stray' })
    expect(rows[1]).not.to.have.property('title')
    const server = await startNewer()
    const { body, text } = await server.get('/api/things?populate=*&sort=left')
    expect(text).not.to.include('stray')
    expect(body.data[0]).to.deep.include({ title: 'a', left: 'ra', right: 'la' })
    expect(body.data[0].parts[0].mark).to.equal('ca')
  })

  it('sees commands from their start, and commands see a planned move', async () => {
    const failure = await withBase(() => failureOf(compact()), NEWER, null)
    expect(failure).to.match(/only while no server is running.*process \d+/)
    await withBase(async (base) => {
      let seen = ''
      const database = wrapMethods(base.database, (name, own) =>
        name !== 'findOtherReleases'
          ? own
          : async (...parts: readonly unknown[]) => {
              const others = await own(...parts)
              seen = await failureOf(withBase(() => Promise.resolve(), NEWER, null))
              return others
            },
      )
      await move(base, database)
      expect(seen).to.include(UNFINISHED_COMPACTION)
    })
  })

  it('refuses during the rename of a locale', async () => {
    await withBase(async (base) => {
      const codes = { from: 'en', to: 'en-GB', name: null }
      const run = { _id: 'locale', run: 'killed', step: 0 } as const
      const row = { ...run, ...codes, hasBegun: true, at: new Date() }
      await putLocaleRename(base.database, row)
      expect(await failureOf(move(base, base.database))).to.match(/rename of the locale en/)
      await endLocaleRename(base.database, 'killed')
    })
  })

  it('refuses if rows of a removed content-type cannot be found', async () => {
    const gone = { stored: 'api::gone.gone', type: 'holder', names: ['api::gone.gone'], since: 0 }
    const columns = [
      { stored: 'part', type: 'component', members: ['shared.part'], names: ['part'], since: 0 },
    ]
    const ledger = await db.collection('quire_schema').findOne({})
    const holders = { ...ledger?.['holders'], 'api::gone.gone': { version: 1, columns } }
    const types = ledger?.['types']
    const withGone = { ...types, columns: [...types.columns, { ...gone, isLive: false }] }
    await db.collection('quire_schema').replaceOne({}, { ...ledger, holders, types: withGone })
    expect(await failureOf(compact())).to.match(/collections of api::gone\.gone/)
  })

  it('refuses rules that would not fit', async () => {
    const where = JSON.stringify({ title: 'a' }) // the name of no column
    const rules = [{ action: `${UID}.find`, where }]
    await db.collection('quire_roles').updateOne({}, { $set: { rules } })
    expect(await failureOf(compact())).to.match(/stored rule of quire_roles .*title/)
    expect(
      await db.collection('quire_conversions').findOne({ _id: 'compaction' as never }),
    ).to.equal(null)
  })

  it('keeps its row until a start has built the indexes', async () => {
    await stopAfterBegin()
    await withBase(({ database }) => finishCompaction(database, () => undefined))
    const names = async (): Promise<readonly unknown[]> =>
      (await db.collection('things').indexes()).map(({ name }) => name)
    expect(await names()).not.to.include('quire_unique_title')
    expect(await failureOf(withBase(() => Promise.resolve(), NEWER, null))).to.include(
      UNFINISHED_COMPACTION,
    )
    await startNewer()
    expect(await names()).to.include('quire_unique_title')
    await releases.stop()
    await withBase(
      async ({ database }) => {
        expect(await readCompaction(database)).to.equal(null)
      },
      NEWER,
      null,
    )
  })
})
