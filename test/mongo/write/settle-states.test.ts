import { expect } from 'chai'
import { findEntries } from '../../../src/content/read/find-entries.ts'
import { GatewayTimeoutError } from '../../../src/base/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import {
  commitId,
  COMMITS,
  type NotedItem,
  rowsOf,
} from '../../../src/mongo/connection/commit-record.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { repairStates } from '../../../src/mongo/write/repair-states.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { syncStates } from '../../../src/mongo/indexes/sync-states.ts'
import { settleStates } from '../../../src/mongo/write/settle-states.ts'
import { STATE_FIELD } from '../../../src/mongo/versions/version-fields.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { ENTRY_STATES } from '../../../src/query/query.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

/** More than one batch. */
const STORED = 700

describe('draft states that are not stored yet', () => {
  const plan = planOf({ draftAndPublish: true })
  const narrower = planOf({ draftAndPublish: true, attributes: { text: { type: 'text' } } })
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('settle_states')
    await syncIndexes(test.database, [
      ...compileCollections({ contentTypes: new Map([[plan.uid, plan]]) }).values(),
    ])
  })
  after(() => test.drop())

  /** A third has no published version, a third is unchanged and a third has changes. */
  beforeEach(async () => {
    const collection = test.database.collection<{ _id: string }>(plan.collectionName)
    await collection.deleteMany({})
    const rows = Array.from({ length: STORED }, (_, index) => {
      const documentId = `d${String(index).padStart(23, '0')}`
      const row = (status: string, string: string) => ({
        _id: `${documentId}::${status}`,
        id: index,
        documentId,
        locale: '',
        status,
        string,
        text: 'the same',
      })
      const draft = row('draft', index % 3 === 2 ? 'changed' : 'a')
      return index % 3 === 0 ? [draft] : [draft, row('published', 'a')]
    })
    await collection.insertMany(rows.flat())
  })

  const totals = (of: ContentTypePlan, database: Database = test.database) =>
    Promise.all(
      ENTRY_STATES.map(async (state) => {
        const query = parseQuery({ status: 'draft', fields: 'id' }, of, rulesWith('en'))
        return (await findEntries(database, { ...query, publication: [state] })).total
      }),
    )

  it('are computed before the first list', async () => {
    expect(await totals(plan)).to.deep.equal([234, 233, 233])
    const collection = test.database.collection(plan.collectionName)
    expect(await collection.countDocuments({ [STATE_FIELD]: { $nin: [1, 2, 4] } })).to.equal(0)
  })

  it('need no join afterwards', async () => {
    await totals(plan)
    const commands: string[] = []
    const readAtOnce: Database['readAtOnce'] = (command) => {
      commands.push(JSON.stringify(command))
      return test.database.readAtOnce(command)
    }
    await totals(plan, { ...test.database, readAtOnce })
    expect(commands).to.have.length.above(0)
    expect(commands.filter((command) => command.includes('$lookup'))).to.deep.equal([])
  })

  it('are kept if they were computed before a timeout', async () => {
    const limits = { deadline: performance.now() }
    let failures = 0
    for (;;) {
      const error: unknown = await settleStates(test.database, plan, [''], limits).then(
        () => null,
        (caught: unknown) => caught,
      )
      if (error === null) break
      expect(error).to.be.instanceOf(GatewayTimeoutError)
      failures += 1
    }
    expect(failures).to.be.within(1, STORED)
    expect(await totals(plan)).to.deep.equal([234, 233, 233])
  })

  it('are recomputed after an attribute is removed or added', async () => {
    await syncStates(test.database, [plan])
    expect(await totals(plan)).to.deep.equal([234, 233, 233])
    await syncStates(test.database, [narrower])
    expect(await totals(narrower)).to.deep.equal([234, 466, 0])
    await syncStates(test.database, [plan])
    expect(await totals(plan)).to.deep.equal([234, 233, 233])
  })

  it('are recomputed after a write of an earlier server version', async () => {
    const documentId = 'd'.padEnd(24, '1')
    const locale = ''
    const writer = { mayRead: () => true, locale }
    const key = { locale, status: 'published' as const }
    const context = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: () => plan,
      now: () => new Date(),
      newDocumentId: () => documentId,
      hashPassword: (password: string) => Promise.resolve(password),
    }
    const target = { plan, documentId, key, writer, origin: SYSTEM }
    await createDocument(context, target, { string: 'a' })
    expect(await totals(plan)).to.deep.equal([234, 234, 233])
    await repairStates(test.database, [plan])
    // An earlier version changes neither the state nor marks its commit.
    await test.database
      .collection<{ _id: string }>(plan.collectionName)
      .updateOne({ _id: `${documentId}::draft` }, { $set: { string: 'b', _revision: 'r' } })
    const item = { type: plan.uid, documentId, locale, status: 'draft', op: 'put', revision: 'r' }
    const [row] = rowsOf({ id: commitId(null), ...SYSTEM.authorship }, [item as NotedItem])
    const { states: _, ...unmarked } = { ...row }
    await test.database.collection(COMMITS).insertOne(unmarked as never)
    expect(await totals(plan)).to.deep.equal([234, 234, 233])
    await repairStates(test.database, [plan])
    expect(await totals(plan)).to.deep.equal([234, 233, 234])
    // Commits before the margin are not looked at again.
    const later = new Date(Date.now() + 86_400_000)
    await repairStates(test.database, [plan], later)
    expect(await repairStates(test.database, [plan], later)).to.equal(false)
  })

  it('are recomputed after a start without transactions', async () => {
    await syncStates(test.database, [plan])
    await totals(plan)
    await syncStates({ ...test.database, hasTransactions: false }, [plan])
    const collection = test.database.collection(plan.collectionName)
    await collection.updateMany({ string: 'changed' }, { $set: { string: 'a' } })
    expect(await totals(plan, { ...test.database, hasTransactions: false })).to.deep.equal([
      234, 466, 0,
    ])
    await syncStates(test.database, [plan])
    expect(await totals(plan)).to.deep.equal([234, 466, 0])
  })
})
