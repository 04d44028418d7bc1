import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { convertStored } from '../../../src/mongo/conversions/convert-stored.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { type Base, SERVER_START } from '../../../src/server/services/open-base.ts'
import { comparedRows, dumpExactly } from '../../server/compaction/compared-rows.ts'
import { type Dump, restoreDatabase } from '../../server/locale-rename/renamed-world.ts'
import { beforeTransactions, pauseAtEach } from '../../support/paused-process.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'

type Types = Readonly<Record<string, object>>

const typesOf = (size: string, contact: object, first: object): Types => ({
  'components/shared/part': { info: { displayName: 'Part' }, attributes: { size: { type: size } } },
  note: declare('note', { contact }),
  thing: declare(
    'thing',
    { size: { type: size, unique: true }, contact, parts: PARTS, first },
    { draftAndPublish: true },
  ),
})
const PARTS = { type: 'component', component: 'shared.part', repeatable: true }
const OLDER = typesOf('integer', { type: 'string' }, { type: 'string' })
const NEWER = typesOf('decimal', { type: 'email', convert: 'null' }, { type: 'text' })

/** A paused process does not register itself again. */
const ASLEEP = { ...SERVER_START, processes: { beatMs: 3_600_000 } }

describe('convertStored', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let filled: Dump

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('convert_stored')
    db = client.db(releases.database)
    const server = await releases.start(OLDER)
    for (const size of [1, 2, 3]) {
      const contact = size === 1 ? 'no address' : `${size}@example.org`
      const data = { size, contact, parts: [{ size }], first: 'a' }
      const made = await server.post('/api/things?status=published', data)
      expect(made.status, made.text).to.equal(201)
      expect((await server.post('/api/notes', { contact })).status).to.equal(201)
      if (size === 3) await server.delete(`/api/things/${made.body.data.documentId}`)
    }
    await server.settled()
    await releases.stop()
    filled = await dumpExactly(db)
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  const start = <T>(contentTypes: Types, work: (base: Base) => Promise<T>): Promise<T> =>
    withTestBase({ database: releases.database, contentTypes, options: ASLEEP }, work)
  const convert = ({ schema, entered }: Base, database: Database): Promise<void> =>
    convertStored({
      database,
      schema,
      entered: entered.ledger,
      log: () => undefined,
      assertAlone: () => Promise.resolve(),
    })

  const isDecimal = { $type: 'decimal' }

  it('stops a process that slept while an older release converted the values back', async () => {
    const rollBack = (): Promise<void> =>
      start(OLDER, async (base) => {
        await convert(base, base.database)
        const change = { $set: { contact: 'free text' }, $inc: { size: 10 } }
        const { modifiedCount } = await db.collection('thing_versions').updateMany({}, change)
        expect(modifiedCount).to.be.greaterThan(0)
      })
    const pauses = await pauseAtEach({
      db,
      restore: () => restoreDatabase(db, filled),
      withBase: (work) => start(NEWER, work),
      work: convert,
      takeOver: rollBack,
      contentOf: async () => [
        comparedRows(await dumpExactly(db)),
        await db.collection('quire_schema').findOne({}),
      ],
    })
    expect(pauses).to.be.greaterThan(5)
  })

  it('converts at most 100 versions per transaction', async () => {
    await restoreDatabase(db, filled)
    const things = db.collection<{ readonly _id: string }>('thing_versions')
    const given = await things.findOne({})
    const more = Array.from({ length: 250 }, (_, at) => {
      return { ...given, _id: `${at}`, documentId: `${at}`, size: 10 + at }
    })
    await things.insertMany(more)
    const converted: number[] = []
    const count = async (): Promise<void> => {
      converted.push(await things.countDocuments({ size: isDecimal }))
    }
    await start(NEWER, (base) => convert(base, beforeTransactions(base.database, count)))
    await count()
    expect(converted.at(-1)).to.equal(await things.countDocuments({}))
    const steps = converted.map((after, at) => after - (converted[at - 1] ?? 0))
    expect(Math.max(...steps)).to.equal(100)
  })

  it('converts at most 100 deleted versions and 16 MB per transaction, also of one deletion', async () => {
    await restoreDatabase(db, filled)
    const rows = db.collection<{ readonly _id: string }>('quire_trash_versions')
    const given = await rows.findOne({ 'version.size': 3, status: 'draft' })
    const copies = Array.from({ length: 250 }, (_, at) => ({
      ...given,
      _id: `${given?._id}:${at}`,
    }))
    await rows.insertMany(copies)
    const large = 'x'.repeat(9 * 1024 * 1024)
    const isLarge = { _id: { $in: copies.slice(0, 2).map(({ _id }) => _id) } }
    await rows.updateMany(isLarge, { $set: { 'version.first': large } })

    const counts: { readonly all: number; readonly large: number }[] = []
    const count = async (): Promise<void> => {
      const converted = await rows
        .find({ 'version.size': isDecimal }, { projection: { _id: 1 } })
        .toArray()
      const large = converted.filter(({ _id }) => isLarge._id.$in.includes(_id)).length
      counts.push({ all: converted.length, large })
    }
    await start(NEWER, (base) => convert(base, beforeTransactions(base.database, count)))
    await count()
    expect(counts.at(-1)).to.deep.equal({ all: await rows.countDocuments({}), large: 2 })
    const most = (of: 'all' | 'large'): number =>
      Math.max(...counts.map((after, at) => after[of] - (counts[at - 1]?.[of] ?? 0)))
    expect(most('all')).to.be.within(90, 100)
    expect(most('large')).to.equal(1)
  })

  it('leaves the values to an older release that has entered its types', async () => {
    for (let at = 1; ; at += 1) {
      await restoreDatabase(db, filled)
      let pauses = 0
      const failure = await start(NEWER, async (base) => {
        const enter = async (): Promise<void> => {
          pauses += 1
          if (pauses !== at) return
          await db.collection('quire_processes').deleteMany({}) // it has expired
          await start(OLDER, () => Promise.resolve())
        }
        const error: unknown = await convert(base, beforeTransactions(base.database, enter)).catch(
          (reason: unknown) => reason,
        )
        return String(error)
      })
      if (pauses < at) break
      expect(failure, `transaction ${at}`).to.match(/another one has taken over/)
      await start(OLDER, (base) => convert(base, base.database))
      const later = { $or: [{ size: isDecimal }, { 'parts.size': isDecimal }] }
      expect(await db.collection('thing_versions').countDocuments(later)).to.equal(0)
      const deleted = { 'version.size': isDecimal }
      expect(await db.collection('quire_trash_versions').countDocuments(deleted)).to.equal(0)
      const ledger = await db.collection('quire_schema').findOne({})
      expect(JSON.stringify(ledger)).not.to.include('isConverting')
    }
  })
})
