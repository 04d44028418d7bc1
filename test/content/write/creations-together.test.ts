import { expect } from 'chai'
import type { DocumentContext } from '../../../src/content/context.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { COMMITS, type PendingRow } from '../../../src/mongo/connection/commit-record.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { newDocumentId } from '../../../src/mongo/versions/document-id.ts'
import { COMMIT } from '../../../src/mongo/versions/version-fields.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const SOME = 12

describe('concurrent creations of documents', () => {
  let test: TestDatabase
  let context: DocumentContext
  let plan: ContentTypePlan
  let commands: string[]

  before(async () => {
    commands = []
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    test = await openTestDatabase('created_together', {}, { monitor })
    plan = planOf({
      draftAndPublish: true,
      attributes: {
        code: { type: 'string', unique: true },
        name: { type: 'string', maxLength: 9 },
        body: { type: 'text' },
      },
    })
    context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => {
        throw new Error(`nothing here is related to ${uid}`)
      },
      now: () => new Date(),
      newDocumentId,
      hashPassword: (password) => Promise.resolve(password),
    }
    const schema = { contentTypes: new Map([[plan.uid, plan]]), components: new Map() }
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    await create('first', 'nobody') // create the collections first
  })
  after(() => test.drop())

  const create = (code: string, author: string, data: object = {}) =>
    createDocument(
      context,
      {
        plan,
        documentId: newDocumentId(),
        key: { locale: '', status: 'published' },
        writer: { mayRead: () => true, locale: '' },
        origin: {
          authorship: { by: { kind: 'user', id: author, name: null }, requestId: `of ${author}` },
          caller: null,
        },
      },
      { code, ...data },
    )

  const failure = async (created: Promise<unknown>): Promise<CmsError> => {
    const error: unknown = await created.then(
      () => expect.fail('it went through'),
      (reason: unknown) => reason,
    )
    if (error instanceof CmsError) return error
    throw error
  }

  it('share a transaction but have separate log rows and authors', async () => {
    commands.length = 0
    const authors = Array.from({ length: SOME }, (_, index) => `author ${index}`)
    const created = await Promise.all(authors.map((author) => create(`one ${author}`, author)))
    const writes = commands.filter((name) => name !== 'find')
    const inserts = test.database.hasBulkWrite ? ['bulkWrite'] : ['insert', 'insert']
    expect(writes).to.deep.equal([...inserts, 'commitTransaction'])
    const stored = await versionsOf(test.database, plan).find({ code: /^one / }).toArray()
    expect(stored).to.have.length(2 * SOME)
    const rows = await test.database
      .collection<PendingRow>(COMMITS)
      .find({ requestId: /^of author/ })
      .sort({ _id: 1 })
      .toArray()
    expect(rows.map(({ by }) => by.id)).to.deep.equal(authors)
    for (const [index, { _id, items, requestId }] of rows.entries()) {
      const { documentId } = created[index] ?? {}
      expect(requestId).to.equal(`of ${authors[index]}`)
      expect(items.map((item) => [item.documentId, item.status, item.isNew])).to.deep.equal([
        [documentId, 'published', true],
        [documentId, 'draft', true],
      ])
      const own = stored.filter((version) => version['documentId'] === documentId)
      expect(own.map((version) => version[COMMIT] as unknown)).to.deep.equal([_id, _id])
    }
  })

  it('are refused individually and store one document per unique value', async () => {
    const codes = ['two a', 'two b', 'two b', 'first', 'two c', 'two b']
    const ended = await Promise.allSettled(codes.map((code) => create(code, code)))
    const stored = codes.filter((_, index) => ended[index]?.status === 'fulfilled')
    expect(stored).to.have.members(['two a', 'two b', 'two c'])
    const versions = await versionsOf(test.database, plan).find({ code: /^two / }).toArray()
    expect(versions).to.have.length(6)
    const rows = await test.database
      .collection<PendingRow>(COMMITS)
      .countDocuments({ requestId: { $in: codes.map((code) => `of ${code}`) } })
    expect(rows).to.equal(3)
    const errors = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    for (const error of errors as CmsError[]) {
      expect(error.status).to.equal(400)
      expect(error.errorCode).to.equal('value_not_unique')
    }
  })

  it('are validated individually', async () => {
    const wrong = failure(create('three a', 'a', { name: 'much too long' }))
    const right = create('three b', 'b', { name: 'short' })
    expect((await wrong).status).to.equal(400)
    expect((await right)['code']).to.equal('three b')
  })

  it('are stored one by one if they are too large for one command', async () => {
    const body = 'x'.repeat(900_000)
    const codes = Array.from({ length: SOME }, (_, index) => `large ${index}`)
    const created = await Promise.all(codes.map((code) => create(code, code, { body })))
    expect(created.map((version) => version['code'])).to.deep.equal(codes)
    const stored = await versionsOf(test.database, plan).countDocuments({ code: /^large / })
    expect(stored).to.equal(2 * SOME)
  })

  it('are all rejected if the database refuses the command', async () => {
    const { database } = test
    const usual = context
    const refuse = () => Promise.reject(new Error('refused'))
    context = { ...usual, database: { ...database, commandIn: refuse, writeCommit: refuse } }
    const ended = await Promise.allSettled(['four a', 'four b'].map((code) => create(code, code)))
    context = usual
    expect(ended.map((each) => each.status)).to.deep.equal(['rejected', 'rejected'])
    expect(await versionsOf(database, plan).countDocuments({ code: /^four / })).to.equal(0)
    await create('four a', 'later')
  })
})
