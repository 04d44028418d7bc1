import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { declare, serve, type TestServer } from '../../../support/server.ts'
import { ServiceUnavailableError } from '../../../../src/base/errors.ts'
import { asCmsErrors } from '../../../../src/mongo/connection/database-error.ts'
import type { Database } from '../../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../../src/mongo/connection/open-database.ts'
import { type FaultProxy, openFaultProxy, type WireFault } from '../../../faults/fault-proxy.ts'
import { testUri } from '../../../support/test-database.ts'

const KILLED: WireFault = {
  fate: 'aborted',
  answer: () => ({
    ok: 0,
    code: 175,
    codeName: 'QueryPlanKilled',
    errmsg: 'index became multikey',
  }),
}
const READS = new Set(['find', 'aggregate', 'count', 'distinct'])
const isRead = (command: Document): boolean => READS.has(Object.keys(command)[0] ?? '')

describe('a read with a killed plan', () => {
  let proxy: FaultProxy
  let database: Database

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    const name = `quire_test_killed_${randomBytes(4).toString('hex')}`
    database = await openDatabase({ uri: proxy.uri, name, queryTimeoutMs: 10_000 })
    await database.collection('rows').insertMany([{ a: 1 }, { a: 2 }])
    await database.announce()
  })
  afterEach(() => void proxy.disarm())
  after(async () => {
    await database.command({ dropDatabase: 1 })
    await database.close()
    await proxy.close()
  })

  const rows = () => database.collection('rows')
  const kill = (times: number): void => {
    let killed = 0
    proxy.arm((command) => {
      if (!isRead(command) || killed === times) return null
      killed += 1
      return KILLED
    })
  }
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    find: () => rows().find({}).toArray(),
    findOne: () => rows().findOne({ a: 2 }),
    aggregate: () =>
      rows()
        .aggregate([{ $match: { a: 1 } }])
        .toArray(),
    countDocuments: () => rows().countDocuments({ a: 1 }),
    estimatedDocumentCount: () => rows().estimatedDocumentCount(),
    distinct: () => rows().distinct('a'),
    'find in a snapshot or by majority': () =>
      database.readMoment(({ database: read, session }) =>
        read
          .collection('rows')
          .find({}, session === undefined ? {} : { session })
          .toArray(),
      ),
    'find in a transaction': () =>
      database.transact((session) => rows().find({}, { session }).toArray()),
  }
  for (const [name, read] of Object.entries(reads)) {
    it(`is retried once: ${name}`, async () => {
      const expected = await read()
      kill(1)
      expect(await read()).to.deep.equal(expected)
      kill(Infinity)
      const error = await asCmsErrors(read).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ServiceUnavailableError)
      expect(proxy.disarm().filter(isRead)).to.have.lengthOf(2)
    })
  }
})

describe('a request with killed reads', () => {
  let proxy: FaultProxy
  let server: TestServer

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    const relation = { type: 'relation', relation: 'manyToOne', target: 'api::note.note' }
    server = await serve('killed_reads', {
      uri: proxy.uri,
      contentTypes: {
        note: declare(
          'note',
          {
            text: { type: 'string', pluginOptions: { i18n: { localized: true } } },
            parent: { ...relation, inversedBy: 'children' },
            children: { ...relation, relation: 'oneToMany', mappedBy: 'parent' },
          },
          { draftAndPublish: true, localized: true },
        ),
      },
      locales: ['fr'],
    })
    const { body } = await server.post('/api/notes', { text: 'one' })
    await server.post('/api/notes', { text: 'two', parent: body.data.documentId })
  })
  afterEach(() => void proxy.disarm())
  after(async () => {
    await server.close()
    await proxy.close()
  })

  const QUERIES = [
    'sort=text&pagination[withCount]=true',
    'sort=parent.text',
    'sort=children.text',
    'filters[parent][text]=one&populate=parent',
    'filters[children][text][$contains]=w&populate=children',
    'fallbackLocale=en&locale=fr',
    'hasPublishedVersion=true&status=draft',
  ]
  for (const query of QUERIES) {
    it(`responds normally to ?${query} if one read is killed and with 503 if all are`, async () => {
      const path = `/api/notes?${query}`
      // A new filter value each time, to bypass the answer cache.
      let asked = 0
      const get = () => server.get(`${path}&filters[$not][text]=${(asked += 1)}`)
      proxy.arm(() => null)
      const { status, body } = await get()
      expect(status).to.equal(200)
      const { length } = proxy.disarm().filter(isRead)
      expect(length).to.be.above(0)
      for (let at = 1; at <= length; at += 1) {
        let position = 0
        proxy.arm((command) => (isRead(command) && (position += 1) === at ? KILLED : null))
        const answer = await get()
        expect([answer.status, answer.body], `read ${at}`).to.deep.equal([200, body])
      }
      proxy.arm((command) => (isRead(command) ? KILLED : null))
      expect((await get()).status).to.equal(503)
    })
  }
})
