import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { openLocales } from '../../../src/content/locales/locales.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import {
  beginLocaleRename,
  putLocaleRename,
  readLocaleRename,
  takeLocaleRename,
} from '../../../src/mongo/conversions/locale-rename-row.ts'
import {
  finishLocaleRename,
  planLocaleRename,
  renameLocale,
  type RenamedLocale,
} from '../../../src/server/locale-rename/rename-locale.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { pauseAtEach } from '../../support/paused-process.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { type Dump, dumpDatabase, FROM, restoreDatabase, TO } from './renamed-world.ts'
import {
  beforeFirst,
  failureOf,
  interruptedAt,
  withoutTransactions,
} from '../../support/wrapped-database.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const TYPES = {
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: { code: { type: 'string', unique: true } },
  },
  thing: declare(
    'thing',
    {
      title: { type: 'string', ...LOCALIZED },
      part: { type: 'component', component: 'shared.part', ...LOCALIZED },
    },
    { localized: true, search: { title: 1 } },
  ),
}
const RENAME = { from: FROM, to: TO, name: null }

describe('the safety of a locale rename', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let filled: Dump

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('rename_safety')
    db = client.db(releases.database)
    const server = await releases.start(TYPES, { locales: [FROM] })
    for (const title of ['a', 'b']) {
      const data = { title, part: { code: title } }
      const made = await server.post(`/api/things?locale=${FROM}`, data)
      expect(made.status, made.text).to.equal(201)
    }
    await server.settled()
    await releases.stop()
    filled = await dumpDatabase(db)
  })
  afterEach(() => restoreDatabase(db, filled))
  after(async () => {
    await releases.end()
    await client.close()
  })

  function withBase<T>(work: (base: Base) => Promise<T>): Promise<T> {
    const options = { continues: 'locale rename' } as const
    return withTestBase({ database: releases.database, contentTypes: TYPES, options }, work)
  }

  const partsOf = ({ schema, documents }: Base, database: Database) => ({
    database,
    schema,
    locales: () => openLocales(database),
    now: documents.now,
    isKnown: true,
    maxWaitMs: 0,
  })

  const rename = (base: Base, database: Database): Promise<RenamedLocale> =>
    renameLocale(partsOf(base, database), RENAME)

  /** As after some time with a server: the older code is that of another locale, and derived rows are made again. */
  async function useOlderCode(): Promise<void> {
    const things = db.collection<{ _id: string; documentId: string; locale: string }>(
      'thing_versions',
    )
    const row = await things.findOne({})
    if (row === null) throw new Error('the entry is missing')
    await things.insertOne({
      ...row,
      _id: `later:${FROM}`,
      documentId: 'later',
      locale: FROM,
    })
    const derived = ['reservations', 'text_indexes', 'text_recent', 'text_drafts', 'admin_presence']
    for (const name of [...derived.map((one) => `quire_${one}`), 'quire_search_thing_versions']) {
      await db.collection<{ _id: string }>(name).insertOne({ _id: 'later' })
    }
  }

  async function contentOf(): Promise<Dump> {
    const dump = await dumpDatabase(db)
    const passing = ['quire_leases', 'quire_processes']
    return Object.fromEntries(
      Object.entries(dump).filter(([name, rows]) => !passing.includes(name) && rows.length > 0),
    )
  }

  it('stops a process that slept while a start finished the rename', async () => {
    const takeOver = async (base: Base): Promise<void> => {
      await finishLocaleRename(partsOf(base, base.database), () => undefined)
      expect(await readLocaleRename(base.database)).to.equal(null)
      await useOlderCode()
    }
    const restore = (): Promise<void> => restoreDatabase(db, filled)
    const pauses = await pauseAtEach({ db, restore, withBase, work: rename, takeOver, contentOf })
    expect(pauses).to.be.greaterThan(5)
  })

  it('stops a process that slept before it began', async () => {
    await withBase(async (base) => {
      const finish = async (): Promise<void> => {
        await db.collection('quire_leases').deleteMany({}) // it has expired
        await finishLocaleRename(partsOf(base, base.database), () => undefined)
      }
      const { wrapped } = interruptedAt(base.database, 'findOtherReleases', 1, finish)
      expect(await failureOf(rename(base, wrapped))).to.match(/another one has taken over/)
      const codes = (await (await openLocales(base.database)).current()).all.map(({ code }) => code)
      expect(codes).to.have.members(['en', FROM])
    })
  })

  it('finishes a rename that begins while a start cancels it', async () => {
    await withBase(async (base) => {
      const { database } = base
      const row = { _id: 'locale', run: 'late', step: 0, hasBegun: false, at: new Date() } as const
      await putLocaleRename(database, { ...row, ...RENAME })
      const wrapped = beforeFirst(database, ['quire_conversions', 'deleteOne'], () =>
        beginLocaleRename(database, 'late'),
      )
      await finishLocaleRename(partsOf(base, wrapped), () => undefined)
      expect(await readLocaleRename(database)).to.equal(null)
      const codes = (await (await openLocales(database)).current()).all.map(({ code }) => code)
      expect(codes).to.have.members(['en', TO])
    })
  })

  it('cancels a rename of an older version that has not begun', async () => {
    await withBase(async (base) => {
      const row = { _id: 'locale', ...RENAME, hasBegun: false, at: new Date() }
      await db.collection<{ _id: string }>('quire_conversions').insertOne(row)
      await finishLocaleRename(partsOf(base, base.database), () => undefined)
      expect(await readLocaleRename(base.database)).to.equal(null)
    })
  })

  it('stops a start if another process continues its rename', async () => {
    await withBase(async (base) => {
      const { database } = base
      const row = { _id: 'locale', run: 'killed', step: 0, hasBegun: true, at: new Date() } as const
      await putLocaleRename(database, { ...row, ...RENAME })
      const wrapped = beforeFirst(database, ['quire_conversions', 'deleteOne'], async () => {
        await takeLocaleRename(database, 'other')
      })
      const finished = finishLocaleRename(partsOf(base, wrapped), () => undefined)
      expect(await failureOf(finished)).to.match(/another one has taken over/)
      expect(await readLocaleRename(database)).to.include({ run: 'other' })
    })
  })

  it('refuses a database without transactions', async () => {
    await withBase(async (base) => {
      const before = await contentOf()
      const failure = await failureOf(rename(base, withoutTransactions(base.database)))
      expect(failure).to.match(/A locale can be renamed only on a replica set/)
      const parts = partsOf(base, withoutTransactions(base.database))
      expect(await failureOf(planLocaleRename(parts, RENAME))).to.equal(failure)
      expect(await contentOf()).to.deep.equal(before)
    })
  })
})
