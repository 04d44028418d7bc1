import { expect } from 'chai'
import { type Db, type Document, MongoClient } from 'mongodb'
import { examineConversion } from '../../../src/cli/doctor/examine-conversion.ts'
import {
  type CompactionRow,
  readCompaction,
} from '../../../src/mongo/conversions/compaction-row.ts'
import { readLedger, UNFINISHED_COMPACTION } from '../../../src/mongo/system/schema-ledger.ts'
import { compactContent } from '../../../src/server/services/compact-content.ts'
import {
  assertNotCompacted,
  type Compaction,
  compactSchema,
  finishCompaction,
} from '../../../src/server/compaction/compact-schema.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { Killed, killedAt } from '../../support/killed-database.ts'
import { type Dump, restoreDatabase } from '../locale-rename/renamed-world.ts'
import {
  answersOf,
  BETWEEN,
  type CompactedWorld,
  fillNewer,
  fillOlder,
  NEWER,
  OLDER,
  THING,
} from './compacted-world.ts'
import { comparedRows, dumpExactly, rowsWithOldNames } from './compared-rows.ts'

const ENVIRONMENT = { environment: { RATE_LIMIT: 'off' } }

describe('compactSchema', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let world: CompactedWorld
  let answers: Awaited<ReturnType<typeof answersOf>>
  let filled: Dump

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('compact_schema')
    db = client.db(releases.database)
    const older = await releases.start(OLDER, { ...ENVIRONMENT, locales: ['fr'] })
    await fillOlder(older)
    await releases.start(BETWEEN, ENVIRONMENT)
    const server = await releases.start(NEWER, ENVIRONMENT)
    world = await fillNewer(server)
    await server.indexed()
    answers = await answersOf(server, world)
    await releases.stop()
    await insertPassing()
    filled = await dumpExactly(db)
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  /** A creation that was interrupted after its transaction. */
  async function insertPassing(): Promise<void> {
    const thing = await db.collection('thing_versions').findOne({ status: 'published' })
    await db.collection<Document & { readonly _id: string }>('quire_idempotency_keys').insertOne({
      _id: 'k',
      type: THING,
      version: thing,
      expiresAt: new Date(Date.now() + 86_400_000),
    })
  }

  function withBase<T>(
    work: (base: Base) => Promise<T>,
    contentTypes: Readonly<Record<string, object>> = NEWER,
    continues: 'compaction' | null = 'compaction',
  ): Promise<T> {
    const options = continues === null ? {} : { continues }
    return withTestBase({ database: releases.database, contentTypes, options }, work)
  }

  const compact = (isPlan = false): Promise<Compaction> =>
    withBase(async (base) => {
      const { definitions } = await loadProject(base.config.contentTypesDir)
      return compactContent(base, definitions, { isPlan, maxWaitMs: 0 })
    })

  async function inRestored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      await releases.stop()
      await restoreDatabase(db, filled)
    }
  }

  it('moves all values, and shows the same as before', () =>
    inRestored(async () => {
      expect(rowsWithOldNames(filled).length).to.be.greaterThan(20)
      const planned = await compact(true)
      expect(comparedRows(await dumpExactly(db))).to.deep.equal(comparedRows(filled))
      expect(planned.rows).to.include({ thing_versions: 9, person_versions: 2 })
      expect(planned.rows).to.include({ quire_api_tokens: 1, quire_roles: 2 })
      expect(planned.rows).to.include({ quire_comments: 3, quire_idempotency_keys: 1 })
      expect(planned.rows).to.include.keys('quire_commits', 'quire_trash_versions')
      const { rows, moved } = await compact()
      expect({ rows, moved }).to.deep.equal(planned)
      expect(moved).to.deep.include({ uid: THING, from: 'left', to: 'right' })
      expect(moved).to.deep.include({ uid: THING, from: 'right', to: 'left' })
      expect(moved).to.deep.include({ uid: THING, from: 'reused', to: 'reused~2' })
      const after = await dumpExactly(db)
      expect(rowsWithOldNames(after).filter((row) => !row.includes('"reused~2"'))).to.deep.equal([])
      await withBase(async ({ database, schema }) => {
        const plans = [...schema.contentTypes.values(), ...schema.components.values()]
        for (const { attributes } of plans) {
          for (const { name, storedName } of attributes.values()) expect(storedName).to.equal(name)
        }
        const { columns } = (await readLedger(database)).holders[THING] ?? { columns: [] }
        const live = columns.filter(({ isLive }) => isLive)
        for (const { names, stored } of live) expect(names.at(-1)).to.equal(stored)
        expect(await readCompaction(database)).to.equal(null)
      })
      const indexes = (await db.collection('thing_versions').indexes()).map(({ name }) => name)
      expect(indexes).to.include.members(['quire_unique_title', 'quire_unique_slug'])
      expect(indexes.filter((name) => name?.includes('zq'))).to.deep.equal([])
      expect(await compact()).to.deep.equal({ rows: {}, moved: [] })

      const server = await releases.start(NEWER, ENVIRONMENT)
      await server.indexed()
      expect(await answersOf(server, world)).to.deep.equal(answers)
      const sync = await server.get(`/api/_sync?token=${encodeURIComponent(world.token)}`)
      expect(sync.status, sync.text).to.equal(200)
      expect(sync.body.items).to.deep.equal([])
      const taken = await server.post('/api/things?status=published', { title: 'a' })
      expect(taken.status, taken.text).to.equal(400)
      const code = await server.post('/api/things?status=published', { parts: [{ code: 'ca' }] })
      expect(code.status, code.text).to.equal(400)
      const replayed = await server.send('POST', '/api/persons', {
        body: { data: { pen: 'Grace' } },
        headers: { 'idempotency-key': 'once' },
      })
      expect(replayed.status, replayed.text).to.equal(201)
      expect(replayed.headers['idempotent-replayed'] ?? 'true').to.equal('true')
      const [deletion] = (await server.get('/admin/trash')).body.data
      const restored = await server.send(
        'POST',
        `/admin/trash/${THING}/${deletion.documentId}/restore`,
        { body: { data: {} } },
      )
      expect(restored.status, restored.text).to.be.within(200, 201)
      const path = `/api/things/${deletion.documentId}?status=draft&populate=parts`
      const { data } = (await server.get(path)).body
      expect(data).to.deep.include({ title: 'deleted', right: 7 })
      expect(data.parts[0].code).to.equal('lost')
    }))

  it('lets an older release start again', () =>
    inRestored(async () => {
      await compact()
      const server = await releases.start(OLDER, ENVIRONMENT)
      const shown = await server.get('/api/things?sort=zqtitle&populate=*')
      expect(shown.status, shown.text).to.equal(200)
      const [first, second] = shown.body.data
      expect(first).to.deep.include({ zqtitle: 'a', right: 'later', left: 10, reused: 'gone 0' })
      expect(second).to.deep.include({ zqfreed: 'kept 1', left: 1, right: 'r1' })
      expect(second.zqparts[0]).to.deep.include({ zqcode: 'cb', zqtitle: 1.5 })
      await releases.start(BETWEEN, ENVIRONMENT)
      const again = await releases.start(NEWER, ENVIRONMENT)
      await again.indexed()
      const { rows: _synced, ...others } = answers
      expect(await answersOf(again, world)).to.deep.include(others)
    }))

  it('completes the move after a kill in any write', async () => {
    let wanted: ReturnType<typeof comparedRows> = {}
    await inRestored(async () => {
      await compact()
      wanted = comparedRows(await dumpExactly(db))
    })
    let begun = 0
    await withBase(async (base) => {
      const { database, schema, entered, documents, extensions } = base
      for (let at = 1; ; at += 1) {
        await restoreDatabase(db, filled)
        const killed = killedAt(database, at)
        const { computed } = extensions
        const parts = { schema, computed, entered, now: documents.now, maxWaitMs: 0 }
        const error: unknown = await compactSchema({ ...parts, database: killed.database }).catch(
          (reason: unknown) => reason,
        )
        if (killed.writes() < at) break
        expect(error, `write ${at}`).to.be.instanceOf(Killed)
        await db.collection('quire_leases').deleteMany({}) // it expires
        const row = await readCompaction(database)
        if (row !== null && row.phase !== 'planned') {
          begun += 1
          if (at % 2 === 0) await finishCompaction(database, () => undefined)
          else await compactSchema({ ...parts, database })
        } else {
          await finishCompaction(database, () => undefined)
          const { compactions = 0 } = await readLedger(database)
          if (compactions === 0) {
            expect(comparedRows(await dumpExactly(db)), `write ${at}`).to.deep.equal(
              comparedRows(filled),
            )
            await compactSchema({ ...parts, database })
          }
        }
        expect(comparedRows(await dumpExactly(db)), `write ${at}`).to.deep.equal(wanted)
        expect((await readLedger(database)).compactions, `write ${at}`).to.equal(1)
        expect((await readCompaction(database))?.phase).to.equal('indexes')
      }
    })
    expect(begun).to.be.greaterThan(20)
    await restoreDatabase(db, filled)
  })

  it('is completed by a start of another release', () =>
    inRestored(async () => {
      await killAfterBegin(12)
      const { facts: _facts, ...attributes } = (NEWER['thing'] as never as Thing).attributes
      const notes = { type: 'json', from: 'facts' }
      const thing = { ...NEWER['thing'], attributes: { ...attributes, notes } }
      const server = await releases.start({ ...NEWER, thing }, ENVIRONMENT)
      const shown = await server.get('/api/things?sort=title&populate=parts')
      expect(shown.status, shown.text).to.equal(200)
      const [, second] = shown.body.data
      expect(second).to.deep.include({ title: 'b', right: 1, notes: { title: 5, zone: [1.5] } })
      expect(
        rowsWithOldNames(await dumpExactly(db)).filter((row) => !row.includes('"reused~2"')),
      ).to.deep.equal([])
    }))

  async function killAfterBegin(writes: number): Promise<void> {
    await withBase(async ({ database, schema, entered, documents, extensions }) => {
      const killed = killedAt(database, writes)
      const { computed } = extensions
      const parts = { schema, computed, entered, now: documents.now, maxWaitMs: 0 }
      await compactSchema({ ...parts, database: killed.database }).catch(() => undefined)
      await db.collection('quire_leases').deleteMany({})
      expect((await readCompaction(database))?.phase).to.equal('moving')
    })
  }

  it('refuses while a process is running, and for declarations that were not started last', () =>
    inRestored(async () => {
      await withBase(async (other) => {
        await other.database.announce('another')
        expect(await failureOf(compact())).to.match(/only while no server is running.*process \d+/)
      })
      expect(
        await db.collection<CompactionRow>('quire_conversions').findOne({ _id: 'compaction' }),
      ).to.equal(null)
      expect(comparedRows(await dumpExactly(db))).to.deep.equal(comparedRows(filled))
      const changed = {
        ...NEWER,
        more: { info: { singularName: 'more' }, attributes: { a: { type: 'string' } } },
      }
      const failure = await failureOf(
        withBase(async (base) => {
          const { definitions } = await loadProject(base.config.contentTypesDir)
          return compactContent(base, definitions, { isPlan: true })
        }, changed),
      )
      expect(failure).to.match(/No server was started with these content-types/)
      await db.collection('quire_idempotency_keys').updateMany({}, { $unset: { type: '' } })
      expect(await failureOf(compact())).to.match(/stored without their content-type/)
    }))

  it('refuses commands until an unfinished one is completed', () =>
    inRestored(async () => {
      await killAfterBegin(12)
      const refused = await failureOf(withBase(() => Promise.resolve(), NEWER, null))
      expect(refused).to.include(UNFINISHED_COMPACTION)
      const findings = await withBase(({ database }) => examineConversion(database))
      expect(findings).to.deep.include({
        check: 'schema',
        level: 'warning',
        what: UNFINISHED_COMPACTION,
      })
      expect((await compact(true)).moved.length).to.be.greaterThan(5)
    }))

  it('stops a start that has read the names before', () =>
    inRestored(async () => {
      const before = await withBase(({ entered }) => Promise.resolve(entered.ledger))
      await withBase(({ database }) => assertNotCompacted(database, before))
      await compact()
      await withBase(async ({ database }) => {
        expect(await failureOf(assertNotCompacted(database, before))).to.match(/Start again/)
      })
    }))
})

interface Thing {
  readonly attributes: Readonly<Record<string, object>>
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(Error)
  return (error as Error).message
}
