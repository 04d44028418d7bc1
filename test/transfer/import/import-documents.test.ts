import { expect } from 'chai'
import { documentIdFor } from '../../../src/mongo/versions/document-id.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { importDocuments } from '../../../src/transfer/import/import-documents.ts'
import type { ImportedDocument } from '../../../src/transfer/import/import-documents.ts'
import { ValidationError } from '../../../src/base/errors.ts'
import { STATE_UNKNOWN } from '../../../src/mongo/versions/version-fields.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { planOf } from '../../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const PLAIN = planOf({
  collectionName: 'plain_things',
  attributes: {
    name: { type: 'string', required: true, unique: true },
    size: { type: 'integer', default: 7 },
    note: { type: 'text' },
  },
})
const TEXTS = planOf({
  uid: 'api::text.text',
  collectionName: 'texts',
  draftAndPublish: true,
  localized: true,
  attributes: { title: { type: 'string', required: true } },
})

function things(count: number): ImportedDocument[] {
  return Array.from({ length: count }, (_, index) => ({
    documentId: documentIdFor(`thing:${index}`),
    versions: [{ locale: '', status: 'published', data: { name: `thing ${index}` } }],
  }))
}

describe('importDocuments', () => {
  let test: TestDatabase
  let at: Date

  const context = () => ({
    database: test.database,
    ids: openIdAllocator(test.database),
    now: () => at,
    contentType: (uid: string) => expect.fail(`an import looks up no ${uid}`),
    newDocumentId: () => expect.fail('an import brings its documentIds'),
    hashPassword: (password: string) => Promise.resolve(password),
  })
  const storedIn = (plan: ContentTypePlan) =>
    test.database.collection(plan.collectionName).find().sort({ id: 1 }).toArray()

  beforeEach(async () => {
    test = await openTestDatabase('import')
    at = new Date('2026-01-01T00:00:00Z')
    for (const plan of [PLAIN, TEXTS]) {
      const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
      await syncIndexes(test.database, [...compileCollections(schema).values()])
    }
  })

  afterEach(() => test.drop())

  it('reserves unique values of a sharded type', async () => {
    const sharded = planOf({
      collectionName: 'sharded_things',
      sharded: true,
      attributes: { name: { type: 'string', unique: true } },
    })
    const reserved = () => test.database.collection('quire_reservations').countDocuments({})
    for (const added of [3, 0]) {
      const report = await importDocuments(context(), sharded, things(3))
      expect(report).to.deep.equal({ documents: 3, added, complete: true })
      expect(await reserved()).to.equal(3)
    }
    const rival: ImportedDocument = {
      documentId: documentIdFor('rival'),
      versions: [{ locale: '', status: 'published', data: { name: 'thing 1' } }],
    }
    const error = await importDocuments(context(), sharded, [rival]).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ValidationError)
    expect([(await storedIn(sharded)).length, await reserved()]).to.deep.equal([3, 3])
  })

  it('stores a draft equal to the published version, including components and revision', async () => {
    const component = {
      uid: 'tale.part',
      file: 'components/tale/part.json',
      displayName: 'Part',
      attributes: { text: { type: 'string' } },
    } as const
    const plain = { localized: false, draftAndPublish: true }
    const schema = compileSchema({
      contentTypes: [
        contentType('tale', plain, {
          parts: { type: 'component', component: 'tale.part', repeatable: true },
        }),
      ],
      components: [component],
    })
    const [plan] = [...schema.contentTypes.values()]
    if (plan === undefined) throw new Error('the tale was not compiled')
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    const data = { parts: [{ text: 'one' }, { text: 'two' }] }
    const documentId = documentIdFor('tale')
    const versions = [{ locale: '', status: 'published', data }] as const
    await importDocuments(context(), plan, [{ documentId, versions }])
    const [draft, published] = await storedIn(plan)
    expect(draft?.['parts']).to.have.length(2)
    expect(draft?.['parts']).to.deep.equal(published?.['parts'])
    expect(draft?.['_revision']).to.be.a('string').and.equal(published?.['_revision'])
  })

  it('stores complete versions with defaults', async () => {
    const report = await importDocuments(context(), PLAIN, things(3))
    expect(report).to.deep.equal({ documents: 3, added: 3, complete: true })
    const [first] = await storedIn(PLAIN)
    expect(first?.['_revision']).to.match(/^[0-9a-f]{16}$/)
    expect(first?.['_commit']).to.match(/^[0-9a-f]{24}$/)
    expect({ ...first, _revision: 'any', _commit: 'any' }).to.deep.equal({
      _revision: 'any',
      _commit: 'any',
      _state: STATE_UNKNOWN,
      _id: `${documentIdFor('thing:0')}::published`,
      id: 1,
      documentId: documentIdFor('thing:0'),
      locale: '',
      status: 'published',
      name: 'thing 0',
      size: 7,
      note: null,
      createdAt: at,
      updatedAt: at,
      publishedAt: at,
    })
  })

  it('adds a draft to a published version and keeps an existing draft', async () => {
    await importDocuments(context(), TEXTS, [
      {
        documentId: documentIdFor('text:1'),
        versions: [
          { locale: 'en', status: 'published', data: { title: 'One' } },
          { locale: 'fr', status: 'draft', data: {} },
        ],
      },
    ])
    const stored = await storedIn(TEXTS)
    expect(stored.map(({ locale, status, title }) => [locale, status, title])).to.have.deep.members(
      [
        ['en', 'published', 'One'],
        ['en', 'draft', 'One'],
        ['fr', 'draft', null],
      ],
    )
    expect(new Set(stored.map(({ id }) => id as number)).size).to.equal(3)
  })

  it('stores relations and components, including relations to later documents', async () => {
    const schema = await loadSchema('content-types')
    const [city, country] = ['api::city.city', 'api::country.country'].map((uid) =>
      schema.contentTypes.get(uid),
    )
    if (city === undefined || country === undefined) throw new Error('the sample has both')
    const places = ['Basel', 'Bern'].map((name): ImportedDocument => {
      const location = { latitude: 47, longitude: 7 }
      const data = { name, location, country: documentIdFor('country:CHE') }
      const versions = [{ locale: '', status: 'published' as const, data }]
      return { documentId: documentIdFor(name), versions }
    })
    await importDocuments(context(), city, places)
    const stored = await storedIn(city)
    expect(stored.map(({ country }) => country as string)).to.deep.equal([
      documentIdFor('country:CHE'),
      documentIdFor('country:CHE'),
    ])
    expect(stored.map(({ location }) => location as object)).to.deep.equal([
      { type: 'Point', coordinates: [7, 47] },
      { type: 'Point', coordinates: [7, 47] },
    ])

    const data = { name: 'Switzerland', cca2: 'CH', cca3: 'CHE', region: 'Europe', cities: ['x'] }
    const failed = await importDocuments(context(), country, [
      {
        documentId: documentIdFor('country:CHE'),
        versions: [{ locale: 'en', status: 'published', data }],
      },
    ]).catch((error: unknown) => error)
    expect(failed)
      .to.be.instanceOf(ValidationError)
      .with.property('message')
      .that.includes('cities')
  })

  it('leaves documents and id counters unchanged when it runs again', async () => {
    await importDocuments(context(), PLAIN, things(20))
    const before = await storedIn(PLAIN)
    const counters = () => test.database.collection('quire_counters').find().toArray()
    const counted = await counters()
    at = new Date('2026-02-02T00:00:00Z')
    const report = await importDocuments(context(), PLAIN, things(20))
    expect(report).to.deep.equal({ documents: 20, added: 0, complete: true })
    expect(await storedIn(PLAIN)).to.deep.equal(before)
    expect(await counters()).to.deep.equal(counted)
  })

  it('resumes after a failure and stores each document once', async () => {
    const failing = context()
    let batches = 0
    const ids = {
      ...failing.ids,
      take: (sequence: string, count: number) => {
        batches += 1
        if (batches === 3) throw new Error('the power is gone')
        return failing.ids.take(sequence, count)
      },
    }
    const failed = await importDocuments({ ...failing, ids }, PLAIN, things(50), {
      batchSize: 10,
    }).catch((error: unknown) => error)
    expect(failed).to.have.property('message', 'the power is gone')
    expect(await storedIn(PLAIN)).to.have.lengthOf(20)

    const report = await importDocuments(context(), PLAIN, things(50), { batchSize: 10 })
    expect(report).to.deep.equal({ documents: 50, added: 30, complete: true })
    const names = (await storedIn(PLAIN)).map(({ name }) => name as string)
    expect(names).to.have.members(things(50).map(({ versions }) => versions[0]?.data['name']))
  })

  it('adds versions that an interrupted batch left out', async () => {
    const document: ImportedDocument = {
      documentId: documentIdFor('text:2'),
      versions: [
        { locale: 'en', status: 'published', data: { title: 'Two' } },
        { locale: 'de', status: 'published', data: { title: 'Zwei' } },
      ],
    }
    await importDocuments(context(), TEXTS, [document])
    await test.database.collection(TEXTS.collectionName).deleteMany({ status: 'draft' })
    await importDocuments(context(), TEXTS, [document])
    expect(await storedIn(TEXTS)).to.have.lengthOf(4)
  })

  it('finishes the batch in flight and stops when it is aborted', async () => {
    const ended = new AbortController()
    const report = await importDocuments(context(), PLAIN, things(50), {
      batchSize: 10,
      signal: ended.signal,
      onBatch: ({ documents }) => {
        if (documents === 20) ended.abort()
      },
    })
    expect(report).to.deep.equal({ documents: 20, added: 20, complete: false })
    expect(await storedIn(PLAIN)).to.have.lengthOf(20)
  })

  it('stores each document once when processes import concurrently', async () => {
    const reports = await Promise.all(
      [1, 2, 3].map(() => importDocuments(context(), PLAIN, things(200), { batchSize: 20 })),
    )
    expect(reports.every(({ complete }) => complete)).to.equal(true)
    expect(await storedIn(PLAIN)).to.have.lengthOf(200)
  })

  it('names the invalid document and its errors', async () => {
    const documentId = documentIdFor('thing:x')
    const failed = await importDocuments(context(), PLAIN, [
      { documentId, versions: [{ locale: '', status: 'published', data: { size: 1 } }] },
    ]).catch((error: unknown) => error)
    expect(failed)
      .to.be.instanceOf(ValidationError)
      .with.property('message')
      .that.includes(documentId)
      .and.includes('name must be defined')
  })

  it('names the attribute if its value is taken by another document', async () => {
    await importDocuments(context(), PLAIN, things(1))
    const failed = await importDocuments(context(), PLAIN, [
      {
        documentId: documentIdFor('thing:other'),
        versions: [{ locale: '', status: 'published', data: { name: 'thing 0' } }],
      },
    ]).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(ValidationError)
    expect(failed).to.have.nested.property('details.errors[0].path').that.deep.equals(['name'])
  })
})
