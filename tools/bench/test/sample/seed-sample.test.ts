import { expect } from 'chai'
import type { Document } from 'mongodb'
import { compileSample, SAMPLE_UIDS } from '../../src/sample/sample-parts.ts'
import { getMark } from '../../src/sample/sample-mark.ts'
import { seedSample } from '../../src/sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../../src/sample/show-progress.ts'
import { readSeedOptions, formatSeedSummary } from '../../src/sample/run-seed.ts'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { type Locales, openLocales } from '../../../../src/content/locales/locales.ts'
import { ConfigError } from '../../../../src/base/errors.ts'
import type { Schema } from '../../../../src/schema/plan.ts'
import { openGridFsStorage } from '../../../../src/media/storage/gridfs-storage.ts'
import type { MediaStorage } from '../../../../src/media/storage/storage.ts'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts'

describe('seedSample', () => {
  const sample = compileSample(300)
  const total = sample.parts.reduce((sum, { count }) => sum + count, 0)
  let test: TestDatabase
  let schema: Schema
  let locales: Locales
  let storage: MediaStorage

  before(async () => {
    schema = await loadSchema('content-types')
  })

  beforeEach(async () => {
    test = await openTestDatabase('seed')
    locales = await openLocales(test.database)
    storage = openGridFsStorage(test.database)
  })

  afterEach(() => test.drop())

  const services = () => ({ schema, database: test.database, locales, storage })
  const storedIn = (name: string) => test.database.collection(name).find().sort('_id').toArray()
  const countIn = (name: string) => test.database.collection(name).countDocuments()

  it('stores documents, locales and covers, and changes no data when repeated', async () => {
    const report = await seedSample(services(), sample, SILENT_OBSERVER)
    expect(report).to.include({ documents: total, added: total, complete: true })
    expect(await countIn('cities')).to.equal(300)
    expect(await countIn('countries')).to.equal(250 * 9)
    expect((await locales.current()).has('ja')).to.equal(true)
    const mark = await getMark(test.database)
    expect(mark).to.include({ ontoEmpty: true, openedAt: null })
    expect(mark?.completedAt).to.be.instanceOf(Date)
    const articles = await storedIn('articles')
    const files = await storedIn('files')
    await expectCovers(files)
    const covers = new Set(articles.map(({ cover }) => String(cover)))
    expect([...covers]).to.have.members(files.map(({ documentId }) => String(documentId)))

    const again = await seedSample(services(), sample, SILENT_OBSERVER)
    expect(again).to.include({ documents: total, added: 0, complete: true })
    expect(await storedIn('articles')).to.deep.equal(articles)
    expect(await storedIn('files')).to.deep.equal(files)
    await test.database.collection('files').deleteMany({})
    await seedSample(services(), sample, SILENT_OBSERVER)
    expect(await countIn('files')).to.equal(0)
  })

  async function expectCovers(files: readonly Document[]): Promise<void> {
    expect(files.map(({ name }) => String(name))).to.have.members(
      ['borders', 'maps', 'names'].map((key) => `quire-sample-${key}.png`),
    )
    for (const { hash, ext, mime, width, formats } of files) {
      expect([mime, width]).to.deep.equal(['image/png', 640])
      expect(formats).to.have.all.keys('thumbnail', 'small')
      for (const name of [hash, `thumbnail_${hash}`, `small_${hash}`]) {
        expect(await storage.get(`${name}${ext}`), name).not.to.equal(null)
      }
    }
  }

  it('continues after an interruption and remembers earlier content', async () => {
    await test.database.collection('cities').insertOne({ name: 'Atlantis' })
    const ended = new AbortController()
    const observer = {
      ...SILENT_OBSERVER,
      proceed: ({ documents }: { documents: number }) => {
        if (documents === 250) ended.abort()
      },
    }
    const first = await seedSample(services(), sample, observer, ended.signal)
    expect(first.complete).to.equal(false)
    expect((await getMark(test.database))?.completedAt).to.equal(null)
    const second = await seedSample(services(), sample, SILENT_OBSERVER)
    expect(second).to.include({ documents: total, complete: true })
    expect(first.added + second.added).to.equal(total)
    expect((await getMark(test.database))?.ontoEmpty).to.equal(false)
    expect(await countIn('countries')).to.equal(250 * 9)
  })

  it('lists missing content-types and stores no documents without them', async () => {
    const contentTypes = new Map(schema.contentTypes)
    contentTypes.delete('api::city.city')
    const failed = await seedSample(
      { ...services(), schema: { ...schema, contentTypes } },
      sample,
      SILENT_OBSERVER,
    ).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(ConfigError).with.property('message').that.includes('city.city')
    expect(await countIn('countries')).to.equal(0)
    expect(SAMPLE_UIDS).to.include('api::city.city')
  })
})

describe('compileSample', () => {
  it('returns all cities if more are requested', () => {
    const { parts, availableCities } = compileSample(138_000)
    expect(availableCities).to.equal(135_233)
    expect(parts.find(({ uid }) => uid === 'api::city.city')?.count).to.equal(135_233)
  })
})

describe('readSeedOptions', () => {
  for (const [args, expected] of [
    [[], { cities: 10_000, quiet: false, from: null, help: false }],
    [['--cities', '138000'], { cities: 138_000, quiet: false, from: null, help: false }],
    [['--help'], { cities: 10_000, quiet: false, from: null, help: true }],
    [['--cities=0', '--quiet'], { cities: 0, quiet: true, from: null, help: false }],
  ] as const) {
    it(`parses "${args.join(' ')}"`, () => {
      expect(readSeedOptions(args)).to.deep.equal(expected)
    })
  }

  for (const args of [['--cities', 'many'], ['--cities', '-5'], ['--citys', '5'], ['5']]) {
    it(`refuses "${args.join(' ')}"`, () => {
      expect(readSeedOptions(args)).to.be.instanceOf(Error)
    })
  }
})

describe('formatSeedSummary', () => {
  it('reports the stored documents, the rate, and how to continue', () => {
    expect(formatSeedSummary({ documents: 10, added: 10, complete: true, seconds: 0.5 })).to.equal(
      'Done: 10 documents stored, in 0.5 s, 20 documents/s.',
    )
    expect(formatSeedSummary({ documents: 10, added: 4, complete: false, seconds: 1 })).to.equal(
      'Stopped: 4 documents stored, 6 found and left as they are, in 1.0 s, 4 documents/s. The same command goes on where this one ended.',
    )
    expect(formatSeedSummary({ documents: 10, added: 0, complete: true, seconds: 1 })).to.equal(
      'Done: nothing new, 10 found and left as they are, in 1.0 s.',
    )
  })
})
