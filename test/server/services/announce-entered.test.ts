import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { announceEntered } from '../../../src/server/services/announce-entered.ts'
import { fitContent } from '../../../src/server/services/fit-content.ts'
import { type Base, SERVER_START } from '../../../src/server/services/open-base.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, serve } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const typesOf = (size: string) => ({ thing: declare('thing', { size: { type: size } }) })
const OLDER = typesOf('integer')
const NEWER = typesOf('decimal')

const silent = { info: () => undefined, debug: () => undefined, warn: () => undefined }

/** No beats, and no time in which a process can be sure that others have not counted it as killed. */
const ASLEEP = { ...SERVER_START, processes: { beatMs: 3_600_000, lostMs: 0 } }

describe('a process that slept while another release converted values', function () {
  this.slow(10_000)
  let releases: Releases
  let client: MongoClient
  let db: Db

  before(async () => {
    client = await MongoClient.connect(await testUri())
  })
  beforeEach(async () => {
    releases = openReleases('slept')
    db = client.db(releases.database)
    const server = await releases.start(OLDER)
    expect((await server.post('/api/things', { size: 1 })).status).to.equal(201)
    await server.settled()
    await releases.stop()
  })
  afterEach(() => releases.end())
  after(() => client.close())

  const forgetProcesses = () => db.collection('quire_processes').deleteMany({})
  const rollBack = (): Promise<void> =>
    withTestBase(
      { database: releases.database, contentTypes: OLDER, options: SERVER_START },
      (base) => fitContent(base, silent),
    )
  const asNewer = <T>(work: (base: Base, errors: readonly unknown[]) => Promise<T>): Promise<T> =>
    withTestBase(
      { database: releases.database, contentTypes: NEWER, options: ASLEEP },
      async (base) => {
        const errors: unknown[] = []
        const log = { error: (facts: unknown) => void errors.push(facts) }
        await fitContent(base, silent)
        await announceEntered(base, log)
        return work(base, errors)
      },
    )
  const write = ({ database }: Base): Promise<string> =>
    database
      .transact((session) =>
        database
          .table<{ readonly _id: string }>('notes')
          .insertOne({ _id: 'a' }, { session })
          .then(() => ''),
      )
      .catch((error: unknown) => String(error))

  it('commits no transaction, and logs the reason once', async () => {
    await asNewer(async (base, errors) => {
      await forgetProcesses()
      await rollBack()
      for (let time = 0; time < 2; time += 1) {
        expect(await write(base)).to.match(/another release has rewritten the stored values/)
      }
      await base.database.confirm()?.then(
        () => expect.fail('the process is outdated'),
        (error: unknown) => expect(error).to.include({ errorCode: 'older_release', status: 503 }),
      )
      expect(errors).to.have.length(1)
    })
    expect(await db.collection('notes').countDocuments()).to.equal(0)
  })

  it('commits none if it sleeps within a transaction', async () => {
    await asNewer(async ({ database }) => {
      const attempt = database.transact(async (session) => {
        await forgetProcesses()
        await rollBack()
        await database.table<{ readonly _id: string }>('notes').insertOne({ _id: 'a' }, { session })
      })
      expect(String(await attempt.catch((error: unknown) => error))).to.match(
        /rewritten the stored/,
      )
    })
    expect(await db.collection('notes').countDocuments()).to.equal(0)
  })

  it('continues if all stored values are still its own', async () => {
    await asNewer(async (base, errors) => {
      await forgetProcesses()
      expect(await write(base)).to.equal('')
      expect(await db.collection('quire_processes').countDocuments()).to.equal(1)
      expect(errors).to.deep.equal([])
    })
    expect(await db.collection('notes').countDocuments()).to.equal(1)
  })

  it('does not listen', async () => {
    const start = async (): Promise<void> => {
      let isDone = false
      const done = rollBack().finally(() => (isDone = true))
      // The sleeping process would not register again.
      await until(async () => {
        await forgetProcesses()
        return isDone
      }, 60_000)
      await done
    }
    const environment = { MONGODB_DATABASE: releases.database }
    const extensions = [{ name: 'slow', start }]
    const failure: unknown = await serve('slept', { contentTypes: NEWER, environment, extensions })
      .then((server) => server.close())
      .catch((error: unknown) => error)
    expect(String(failure)).to.match(/another release has rewritten the stored values/)
    const older = await releases.start(OLDER)
    expect((await older.get('/api/things')).body.data[0].size).to.equal(1)
  })

  it('responds with 503, and is not ready', async () => {
    const newer = await releases.start(NEWER)
    const { status } = await newer.get('/api/things')
    expect(status).to.equal(200)
    await forgetProcesses()
    // The ledger as after a roll-back, because this process is awake and would be waited for.
    const ledger = await db.collection('quire_schema').findOne({})
    const later = JSON.stringify(ledger).replaceAll(/"convertedAt":\d+/g, '"convertedAt":99')
    const { _id: _same, ...changed } = JSON.parse(later)
    await db.collection('quire_schema').replaceOne({}, changed)
    expect(later).to.include('99')
    await until(async () => (await newer.get('/api/things')).status === 503, 30_000)
    const refused = await newer.get('/api/things')
    expect(refused.headers).to.include({ 'error-code': 'older_release', 'retry-after': '1' })
    expect((await newer.post('/api/things', { size: 2 })).headers['error-code']).to.equal(
      'older_release',
    )
    expect((await newer.send('GET', '/_ready')).status).to.equal(503)
    expect((await newer.send('GET', '/_health')).status).to.equal(204)
    const logged = newer.takeLog().filter(({ msg }) => /no content is served/.test(String(msg)))
    expect(logged).to.have.length(1)
  })
})
