import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { readCompaction } from '../../../src/mongo/conversions/compaction-row.ts'
import { compactContent } from '../../../src/server/services/compact-content.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { beforeTransactions, pauseAtEach, type Pausing } from '../../support/paused-process.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { type Dump, restoreDatabase } from '../locale-rename/renamed-world.ts'
import { wrapMethods } from '../../support/wrapped-database.ts'
import { dumpExactly } from './compared-rows.ts'

const typesOf = (part: object, thing: object): Readonly<Record<string, object>> => ({
  'components/shared/part': { info: { displayName: 'Part' }, attributes: part },
  thing: {
    info: { singularName: 'thing' },
    attributes: { part: { type: 'component', component: 'shared.part' }, ...thing },
  },
})

const TEXT = { type: 'string' }
const UNIQUE = { type: 'string', unique: true }
const OLDER = typesOf({ code: UNIQUE }, { name: UNIQUE, left: TEXT })
const PART = { mark: { ...UNIQUE, from: 'code' } }
const NEWER = typesOf(PART, { title: { ...UNIQUE, from: 'name' }, left: TEXT })
/** Has other indexes. */
const NEXT = typesOf(PART, { title: { ...TEXT, from: 'name' }, left: UNIQUE })

describe('the indexes after schema compact', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let filled: Dump

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('compaction_indexes')
    db = client.db(releases.database)
    const older = await releases.start(OLDER)
    const made = await older.post('/api/things', { name: 'a', left: 'l', part: { code: 'c' } })
    expect(made.status, made.text).to.equal(201)
    await releases.start(NEWER)
    await releases.stop()
    filled = await dumpExactly(db)
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  function withBase<T>(work: (base: Base) => Promise<T>): Promise<T> {
    const options = { continues: 'compaction' } as const
    return withTestBase({ database: releases.database, contentTypes: NEWER, options }, work)
  }

  async function compact(base: Base, database: Database): Promise<void> {
    const { definitions } = await loadProject(base.config.contentTypesDir)
    await compactContent({ ...base, database }, definitions, { isPlan: false, maxWaitMs: 0 })
  }

  async function indexed(): Promise<unknown> {
    const indexes = (await db.collection('things').indexes()).map(({ name }) => name)
    const reservations = await db.collection('quire_reservations').find().sort({ _id: 1 }).toArray()
    const done = await db.collection('quire_settings').findOne({ _id: 'reservations' as never })
    return { indexes, reservations, done }
  }

  /** The start of another release runs in each pause in turn, while the command builds indexes and reservations. */
  function sleepAtEach(pausing: Pausing): Promise<number> {
    const isPaused = async ({ database }: Base): Promise<boolean> =>
      (await readCompaction(database))?.phase === 'indexes'
    const takeOver = async (): Promise<void> => {
      await releases.start(NEXT)
      await releases.stop()
    }
    const restore = (): Promise<void> => restoreDatabase(db, filled)
    const sleeping = { pausing, isPaused, takeOver, contentOf: indexed }
    return pauseAtEach({ db, restore, withBase, work: compact, ...sleeping })
  }

  it('stay those of a start while the command slept before a transaction', async () => {
    expect(await sleepAtEach(beforeTransactions)).to.be.greaterThan(1)
  })

  it('stay those of a start while the command slept before it changed indexes', async () => {
    const pausing: Pausing = (database, pause) => {
      const listed = (cursor: object): object =>
        wrapMethods(cursor, (name, own) =>
          name !== 'toArray'
            ? own
            : async () => {
                const found = await own()
                await pause()
                return found
              },
        )
      const collection = (name: string): unknown =>
        wrapMethods(database.collection(name), (method, own) =>
          method !== 'listIndexes'
            ? own
            : (...parts: readonly unknown[]) => listed(own(...parts) as object),
        )
      return wrapMethods(database, (name, own) => (name === 'collection' ? collection : own))
    }
    expect(await sleepAtEach(pausing)).to.be.greaterThan(1)
  })
})
