import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { type FaultProxy, openFaultProxy, type WireFault } from '../../faults/fault-proxy.ts'
import { testUri } from '../../support/test-database.ts'

const CODES = ['a', 'b', 'c', 'd']
const WRITERS = 4
const WRITES = 20

/** In turn: a lost reply, a lost commit, and a commit that only a minority confirmed. */
const FAULTS: readonly WireFault[] = [
  { fate: 'carried out', answer: () => null },
  { fate: 'refused', answer: () => null },
  {
    fate: 'carried out',
    answer: (_, said) => ({
      ...said,
      writeConcernError: { code: 91, errmsg: 'shutting down' },
      errorLabels: ['UnknownTransactionCommitResult'],
    }),
  },
]

describe('reservations', function () {
  this.slow(10_000)
  let proxy: FaultProxy
  let server: TestServer
  let client: MongoClient

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    server = await serve('kept_reservations', {
      uri: proxy.uri,
      contentTypes: {
        post: declare(
          'post',
          {
            code: { type: 'string', unique: true, pluginOptions: { i18n: { localized: true } } },
            number: { type: 'integer', unique: true },
          },
          { draftAndPublish: true, localized: true, sharded: true },
        ),
      },
      locales: ['fr'],
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
    await proxy.close()
  })

  /** The holders of all reservations and published values in one snapshot. */
  const findHolders = () =>
    client.withSession((session) =>
      session.withTransaction(
        async () => {
          const db = client.db(server.database)
          const find = (name: string, filter: Document) =>
            db.collection(name).find(filter, { session }).toArray()
          const published = await find('post_versions', { status: 'published' })
          const rows = await find('quire_reservations', {})
          return {
            published: published
              .flatMap(({ documentId, code = null, number = null }) =>
                [code, number]
                  .filter((value) => value !== null)
                  .map(() => `post_versions:${documentId}`),
              )
              .toSorted(),
            reserved: rows.map(({ holder }) => String(holder)).toSorted(),
          }
        },
        { readConcern: { level: 'snapshot' } },
      ),
    )

  it('match the published versions regardless of failed commits', async () => {
    let commits = 0
    proxy.arm((command) => {
      if (!('commitTransaction' in command)) return null
      commits += 1
      return commits % 3 === 0 ? (FAULTS[(commits / 3) % FAULTS.length] ?? null) : null
    })
    const ids: string[] = []
    const statuses = new Set<number>()
    const write = async (turn: number): Promise<void> => {
      const code = CODES[turn % CODES.length]
      const id = ids[(turn * 7) % Math.max(ids.length, 1)]
      const locale = turn % 3 === 0 ? 'fr' : 'en'
      const send = [
        () => server.post('/api/posts', { code, number: turn }),
        () => server.put(`/api/posts/${id}?locale=${locale}`, { code, number: turn % 5 }),
        () => server.send('POST', `/api/posts/${id}/actions/unpublish?locale=${locale}`),
        () => server.send('POST', `/api/posts/${id}/actions/publish?locale=${locale}`),
        () => server.delete(`/api/posts/${id}?locale=${turn % 2 === 0 ? '*' : locale}`),
      ][id === undefined ? 0 : turn % 5]
      const answer = await send?.()
      statuses.add(answer?.status ?? 0)
      if (answer?.status === 201) ids.push(answer.body.data.documentId)
    }
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let at = 0; at < WRITES; at += 1) await write(at * WRITERS + writer)
      }),
    )
    proxy.disarm()
    expect([...statuses]).to.include.members([200, 201, 204, 400])
    expect(commits).to.be.above(FAULTS.length * 3)
    expect((await server.post('/api/posts', { code: 'last', number: -1 })).status).to.equal(201)
    const { published, reserved } = await findHolders()
    expect(reserved.length).to.be.at.least(2)
    expect(reserved).to.deep.equal(published)
  })
})
