import { expect } from 'chai'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { openDatabaseProxy } from '../../support/database-proxy.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

describe('openIdAllocator', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('ids')
  })

  after(() => test.drop())

  it('reports a lost database and continues when it is back', async () => {
    const proxy = await openDatabaseProxy(test.uri)
    const database = await openDatabase({ uri: proxy.uri, name: test.name, queryTimeoutMs: 10_000 })
    try {
      const ids = openIdAllocator(database)
      proxy.shut()
      const failed = await ids.take('lost', 1).catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(ServiceUnavailableError)
      proxy.open()
      let taken: readonly number[] = []
      while (taken.length === 0) taken = await ids.take('lost', 1).catch(() => [])
      expect(taken).to.deep.equal([1])
    } finally {
      await database.close()
      await proxy.close()
    }
  })

  it('starts at 1 and counts up', async () => {
    const ids = openIdAllocator(test.database)
    expect(await ids.take('first', 3)).to.deep.equal([1, 2, 3])
    expect(await ids.take('first', 1)).to.deep.equal([4])
    expect(await ids.take('other', 1)).to.deep.equal([1])
    expect(await ids.take('first', 0)).to.deep.equal([])
  })

  it('gives unique ids to concurrent callers in several processes', async () => {
    const taken = await Promise.all(
      Array.from({ length: 4 }, () => openIdAllocator(test.database)).flatMap((ids) =>
        Array.from({ length: 50 }, (_, index) => ids.take('raced', (index % 7) + 1)),
      ),
    )
    for (const ids of taken) {
      expect(ids).to.deep.equal([...ids].sort((a, b) => a - b))
    }
    const all = taken.flat()
    expect(new Set(all).size).to.equal(all.length)
  })

  it('allocates more ids than a block and continues after them', async () => {
    const ids = openIdAllocator(test.database)
    const many = await ids.take('many', 250)
    expect(new Set(many).size).to.equal(250)
    expect(many.at(-1)).to.be.at.least(250)
    const [next] = await openIdAllocator(test.database).take('many', 1)
    expect(next).to.be.above(many.at(-1) ?? 0)
  })

  it('takes back only the last id', async () => {
    const ids = openIdAllocator(test.database)
    const [first = 0, second = 0] = await ids.take('returned', 2)
    ids.giveBack('returned', first)
    expect(await ids.take('returned', 1)).to.deep.equal([second + 1])
    ids.giveBack('returned', second + 1)
    expect(await ids.take('returned', 1)).to.deep.equal([second + 1])
    ids.giveBack('unknown', 7)
  })
})
