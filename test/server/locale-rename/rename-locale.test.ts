import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { examineConversion } from '../../../src/cli/doctor/examine-conversion.ts'
import { openLocales } from '../../../src/content/locales/locales.ts'
import {
  explainUnfinished,
  type LocaleRenameRow,
  putLocaleRename,
  readLocaleRename,
} from '../../../src/mongo/conversions/locale-rename-row.ts'
import {
  finishLocaleRename,
  planLocaleRename,
  renameLocale,
  type RenamingParts,
} from '../../../src/server/locale-rename/rename-locale.ts'
import { RENAMED_ROWS } from '../../../src/server/locale-rename/renamed-rows.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import type { Json } from '../../support/server.ts'
import { openTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { expectFresh, openDevice } from './device-copy.ts'
import { Killed, killedAt } from '../../support/killed-database.ts'
import {
  comparedRows,
  CONTENT_TYPES,
  type Dump,
  dumpDatabase,
  fillWorld,
  FROM,
  insertPassing,
  renamedText,
  restoreDatabase,
  type RenamedWorld,
  settleWorld,
  TO,
} from './renamed-world.ts'
import { failureOf } from '../../support/wrapped-database.ts'

const RENAME = { from: FROM, to: TO, name: null }

const SCOPES = ['', '&locale=en', '&locale=*', '&status=draft&locale=en,fr']

describe('renameLocale', function () {
  this.slow(20_000)
  let releases: Releases
  let client: MongoClient
  let db: Db
  let world: RenamedWorld
  let base: Base

  const { gone: _gone, ...KEPT } = CONTENT_TYPES

  before(async () => {
    client = await MongoClient.connect(await testUri())
    releases = openReleases('rename_locale')
    db = client.db(releases.database)
    const server = await releases.start(CONTENT_TYPES, {
      environment: { RATE_LIMIT: 'off', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
    })
    world = await fillWorld(server)
    await settleWorld(server, db)
    await releases.start(KEPT)
    await releases.stop()
    await insertPassing(db)
  })
  after(async () => {
    await releases.end()
    await client.close()
  })

  async function openParts(): Promise<RenamingParts> {
    base = await openTestBase({ database: releases.database, contentTypes: KEPT })
    const { database, schema, locales, documents, entered } = base
    return { database, schema, locales, now: documents.now, isKnown: entered.isKnown, maxWaitMs: 0 }
  }

  async function withParts<T>(work: (parts: RenamingParts) => Promise<T>): Promise<T> {
    const parts = await openParts()
    const { database } = base // `work` may open another one
    try {
      return await work(parts)
    } finally {
      await database.close()
    }
  }

  const wantedOf = (before: Dump): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries(
      Object.entries(comparedRows(before)).map(([name, rows]) => [
        name,
        rows.map(renamedText).toSorted(),
      ]),
    )

  it('changes the code in all rows, and no text', async () => {
    const before = await dumpDatabase(db)
    try {
      expect(
        await db.collection('quire_commits').countDocuments({ 'items.is.locale': FROM }),
      ).to.be.greaterThan(0)
      await withParts(async (parts) => {
        const planned = await planLocaleRename(parts, RENAME)
        expect(planned.rows).to.include.keys(RENAMED_ROWS.map(({ collection }) => collection))
        expect(planned.rows).to.include({ article_versions: 4, gone_versions: 1, quire_roles: 2 })
        expect(planned.rows).to.include({ quire_api_tokens: 1, quire_admin_views: 1 })
        expect(comparedRows(await dumpDatabase(db))).to.deep.equal(comparedRows(before))
        expect(await renameLocale(parts, RENAME)).to.deep.equal(planned)
      })
      const after = await dumpDatabase(db)
      expect(comparedRows(after)).to.deep.equal(wantedOf(before))
      const again = await failureOf(withParts((parts) => renameLocale(parts, RENAME)))
      expect(again).to.match(/There is no locale gsw/)
      expect(comparedRows(await dumpDatabase(db))).to.deep.equal(comparedRows(after))
    } finally {
      await restoreDatabase(db, before)
    }
  })

  it('completes the rename after a kill in any write', async () => {
    const before = await dumpDatabase(db)
    const wanted = wantedOf(before)
    let begun = 0
    let last = 0
    await withParts(async (parts) => {
      for (let at = 1; ; at += 1) {
        await restoreDatabase(db, before)
        const killed = killedAt(parts.database, at)
        const { database } = killed
        const locales = () => openLocales(database)
        const error: unknown = await renameLocale({ ...parts, database, locales }, RENAME).catch(
          (reason: unknown) => reason,
        )
        last = killed.writes()
        if (last < at) break
        expect(error, `write ${at}`).to.be.instanceOf(Killed)
        await db.collection('quire_leases').deleteMany({}) // it expires
        const row = await readLocaleRename(parts.database)
        const own = { ...parts, locales: () => openLocales(parts.database) }
        const isRenamed = (await codesOf(own)).includes(TO)
        if (row?.hasBegun === true) {
          begun += 1
          if (at % 2 === 0) await finishLocaleRename(own, () => undefined)
          else await renameLocale(own, RENAME)
        } else if (!isRenamed) {
          await finishLocaleRename(own, () => undefined)
          expect(comparedRows(await dumpDatabase(db)), `write ${at}`).to.deep.equal(
            comparedRows(before),
          )
          await renameLocale(own, RENAME)
        }
        expect(comparedRows(await dumpDatabase(db)), `write ${at}`).to.deep.equal(wanted)
        expect(await readLocaleRename(parts.database)).to.equal(null)
      }
    })
    expect(begun).to.be.greaterThan(30)
    expect(last).to.be.greaterThan(begun)
    await restoreDatabase(db, before)
  })

  it('refuses unknown and existing codes, and codes with content', async () => {
    const before = await dumpDatabase(db)
    await withParts(async (parts) => {
      const refused = (from: string, to: string): Promise<string> =>
        failureOf(renameLocale(parts, { from, to, name: null }))
      expect(await refused('nl', 'da')).to.equal('There is no locale nl')
      expect(await refused(FROM, 'fr')).to.match(/the locale fr exists already/)
      expect(await refused(FROM, 'de-ch')).to.match(/code must be written de-CH/)
      expect(await refused(FROM, 'no code')).to.match(/known BCP 47 language tag/)
      await (await parts.locales()).remove('fr')
      expect(await refused(FROM, 'fr')).to.match(/fr still has content in article_versions/)
      expect(await readLocaleRename(parts.database)).to.equal(null)
    })
    await restoreDatabase(db, before)
  })

  it('refuses while a server or another process is running', async () => {
    const before = await dumpDatabase(db)
    await withParts(async (parts) => {
      const other = await openParts()
      await other.database.announce()
      const message = await failureOf(renameLocale(parts, RENAME))
      expect(message).to.match(/only while no server is running.*process \d+\). Stop them first/)
      await other.database.close()
      expect(await readLocaleRename(parts.database)).to.equal(null)
      expect(comparedRows(await dumpDatabase(db))).to.deep.equal(comparedRows(before))
    })
  })

  it('refuses commands and another rename until an unfinished one is completed', async () => {
    const before = await dumpDatabase(db)
    await withParts(async (parts) => {
      await putLocaleRename(parts.database, {
        _id: 'locale',
        ...RENAME,
        run: 'killed',
        step: 0,
        hasBegun: true,
        at: new Date(),
      })
      expect(await failureOf(openParts())).to.match(/repeat `quire locale rename gsw de-CH`/)
      const other = { ...RENAME, to: 'de-AT' }
      expect(await failureOf(renameLocale(parts, other))).to.match(/gsw to de-CH is unfinished/)
      expect(await failureOf(planLocaleRename(parts, other))).to.match(/is unfinished/)
      expect(await examineConversion(parts.database)).to.deep.include({
        check: 'locales',
        level: 'warning',
        what: explainUnfinished(RENAME),
      })
    })
    await restoreDatabase(db, before)
  })

  it('serves the content under the new code', async () => {
    const before = await dumpDatabase(db)
    await putRenameRow()
    // The start finishes the rename.
    const server = await releases.start(KEPT, { environment: { RATE_LIMIT: 'off' } })
    const article = `/api/articles/${world.documentId}`
    const shown = await server.get(`${article}?locale=${TO}&populate=*&status=draft`)
    expect(shown.body.data).to.deep.include({ title: 'by Ada', slug: FROM, locale: TO, shared: 1 })
    expect(shown.body.data.part).to.include({ code: 'c', locale: FROM })
    expect(shown.body.data.localizations.map(({ locale }: Json) => locale)).to.have.members([
      'en',
      'fr',
    ])
    expect((await server.get(`${article}?locale=${FROM}`)).status).to.equal(404)
    const codes = (await server.get('/api/i18n/locales')).body.map(({ code }: Json) => code)
    expect(codes).to.have.members(['en', 'fr', TO])

    const sync = await server.get(`/api/_sync?token=${encodeURIComponent(world.token)}`)
    const rows = sync.body.items as readonly Json[]
    expect(rows).to.deep.include({ op: 'reset', type: 'article', reason: 'locale', locale: FROM })
    expect(rows.filter(({ locale, op }) => op === 'put' && locale === TO)).to.have.length(2)

    const taken = { title: 'x', part: { code: 'c' } }
    const refused = await server.post(`/api/articles?locale=${TO}`, taken)
    expect(refused.body.error.code ?? refused.status, refused.text).to.not.equal(201)
    expect(refused.status, refused.text).to.equal(400)
    await server.indexed()
    const found = await server.get(`/api/articles?locale=${TO}&search=once`)
    expect(found.body.data).to.have.length(1)
    const history = await server.get(
      `/admin/history/api::article.article/${world.documentId}?locale=${TO}`,
    )
    expect(history.body.data.length, history.text).to.be.greaterThan(2)
    const files = (await server.get('/api/upload/files')).body
    expect(files.map(({ translations }: Json) => Object.keys(translations))).to.deep.equal([
      ['fr', TO],
    ])
    const trash = (await server.get('/admin/trash')).body.data
    const deletion = trash.find(({ locales }: Json) => locales?.length === 2)
    expect(deletion.locales).to.have.members(['fr', TO])
    const restored = await server.send(
      'POST',
      `/admin/trash/api::article.article/${deletion.documentId}/restore`,
      { body: { data: {} } },
    )
    expect(restored.status, restored.text).to.be.within(200, 201)
    const deleted = `/api/articles/${deletion.documentId}?locale=${TO}&status=draft`
    expect((await server.get(deleted)).body.data.title).to.equal('deleted')
    const [schedule] = (await server.get('/admin/schedules')).body.data
    expect(schedule.locales).to.deep.equal([TO])

    // The content of a content-type that was not declared during the rename.
    const all = await releases.start(CONTENT_TYPES)
    expect((await all.get(`/api/gones?locale=${TO}`)).body.data).to.have.length(1)
    await releases.stop()
    await restoreDatabase(db, before)
  })

  it('resets a code that belongs to another locale now', async () => {
    const before = await dumpDatabase(db)
    const first = await releases.start(KEPT)
    const article = `/api/articles/${world.documentId}`
    const tag = String((await first.get(`${article}?locale=fr`)).headers.etag)
    const devices = await Promise.all(SCOPES.map((scope) => openDevice(first, scope)))
    await releases.stop()
    for (const [from, to] of [
      ['en', 'nl'],
      ['fr', 'en'],
      ['nl', 'fr'],
    ] as const) {
      await withParts((parts) => renameLocale(parts, { from, to, name: null }))
    }
    const swapped = await releases.start(KEPT)
    for (const device of devices) await expectFresh(swapped, device)
    expect((await swapped.get(`${article}?locale=en`)).headers.etag).to.not.equal(tag)
    const changed = await swapped.send('PUT', `${article}?locale=en`, {
      body: { data: { title: 'changed' } },
      headers: { 'if-match': tag },
    })
    expect(changed.status, changed.text).to.equal(200)
    await releases.stop()
    await withParts(async (parts) => {
      await renameLocale(parts, { from: 'en', to: 'nl', name: null })
      await (await parts.locales()).add({ code: 'en' })
    })
    const added = await releases.start(KEPT)
    await added.put(`${article}?locale=en`, {
      title: 'later',
      slug: 'later',
    })
    await added.settled()
    for (const device of devices) await expectFresh(added, device)
    await releases.stop()
    await restoreDatabase(db, before)
  })

  async function putRenameRow(): Promise<void> {
    await db.collection<LocaleRenameRow>('quire_conversions').insertOne({
      _id: 'locale',
      ...RENAME,
      run: 'killed',
      step: 0,
      hasBegun: true,
      at: new Date(),
    })
  }
})

async function codesOf({ locales }: RenamingParts): Promise<readonly string[]> {
  return (await (await locales()).current()).all.map(({ code }) => code)
}
