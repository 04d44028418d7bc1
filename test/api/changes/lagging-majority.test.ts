import { expect } from 'chai'
import { type LaggingMajority, startLaggingMajority } from '../../support/lagging-majority.ts'
import { until } from '../../support/until.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

describe('a server with writes that no majority has confirmed', () => {
  let replicas: LaggingMajority
  let server: TestServer

  before(async () => {
    replicas = await startLaggingMajority()
    server = await serve('majority', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      permitted: ['find', 'sync', 'create'].map((action) => `api::tag.tag.${action}`),
      uri: replicas.uri,
    })
  })
  after(async () => {
    await replicas.catchUp()
    await server.close()
    await replicas.stop()
  })
  afterEach(() => replicas.catchUp())

  /** Waits until the head counts all commits. */
  async function settled(): Promise<void> {
    const db = replicas.client.db(server.database)
    await until(async () => {
      if ((await db.collection('quire_commits').countDocuments({ pending: 1 })) > 0) return false
      const head = await db.collection('quire_heads').findOne({}, { readConcern: 'majority' })
      return head?.['assigning'] === null
    }, 20_000)
  }

  /** Renames a tag like another process: numbered and counted, on the primary alone. */
  async function renameUnconfirmed(from: string, name: string): Promise<void> {
    const db = replicas.client.db(server.database, { writeConcern: { w: 1 } })
    const commits = db.collection<{ _id: string; seq: number }>('quire_commits')
    const last = await commits.findOne({}, { sort: { seq: -1 } })
    if (last === null) throw new Error('nothing was committed')
    const seq = last.seq + 1
    await db
      .collection('tag_versions')
      .updateOne({ name: from }, { $set: { name, _revision: name } })
    await commits.insertOne({ ...last, _id: `${last._id}x`, seq })
    await db
      .collection('quire_heads')
      .updateOne({}, { $inc: { version: 1 }, $set: { seq, 'types.$[].seq': seq } })
  }

  async function follow(query: string): Promise<{ rows: Map<string, string>; next: string }> {
    const rows = new Map<string, string>()
    for (let asked = query; ;) {
      const { status, body, text } = await server.get(`/api/_sync?${asked}`)
      expect(status, text).to.equal(200)
      for (const item of body.items as readonly Json[]) {
        if (item.op === 'put') rows.set(item.documentId, item.data.name)
        else rows.delete(item.documentId)
      }
      if (!body.more) return { rows, next: body.next }
      asked = `token=${body.next}`
    }
  }

  async function create(name: string): Promise<void> {
    const { status, text } = await server.post('/api/tags', { name })
    expect(status, text).to.equal(201)
    await settled()
  }

  it('syncs a write only after the majority has it', async () => {
    await create('old')
    await replicas.hold()
    await renameUnconfirmed('old', 'new')
    const begun = await follow('types=tag')
    expect([...begun.rows.values()]).to.deep.equal(['old'])
    expect(await follow(`token=${begun.next}`)).to.deep.equal({ rows: new Map(), next: begun.next })
    await replicas.catchUp()
    const changed = await follow(`token=${begun.next}&wait=20`)
    expect([...changed.rows.values()]).to.deep.equal(['new'])
  })

  it('syncs no write that a failover rolls back, and misses none after it', async () => {
    await create('kept')
    await replicas.hold()
    await renameUnconfirmed('kept', 'lost')
    const { rows, next } = await follow('types=tag')
    const news = await follow(`token=${next}&wait=1`)
    expect([...rows.values(), ...news.rows.values()]).not.to.include('lost')
    await replicas.rollBack()
    await create('after')
    for (const [id, name] of (await follow(`token=${news.next}`)).rows) rows.set(id, name)
    expect([...rows.values()]).to.include('after')
    expect(rows).to.deep.equal((await follow('types=tag')).rows)
  })
})
