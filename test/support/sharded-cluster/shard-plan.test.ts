import { expect } from 'chai'
import { MongoClient, MongoServerError } from 'mongodb'
import { planShards, makeShardCommands } from './shard-plan.ts'
import { readCollections, retryWhileBusy } from './shard-database.ts'
import { declare, serve, type TestServer } from '../server.ts'

describe('planShards', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('shard_plan', {
      contentTypes: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
        page: declare('page', { path: { type: 'uid' } }, { sharded: true }),
        tag: declare('tag', { slug: { type: 'uid' }, code: { type: 'string', unique: true } }),
      },
      environment: { UPLOAD_STORAGE: 'gridfs' },
    })
    client = await MongoClient.connect(server.uri)
    const upload = client.db(server.database).collection('quire_uploads.chunks')
    await upload.createIndex({ files_id: 1, n: 1 }, { unique: true })
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  it('shards only reservations, file chunks and content without unique indexes', async () => {
    const plan = planShards(await readCollections(client, server.database))
    const keys = Object.fromEntries(plan.keys)
    expect(keys).to.deep.include({
      note_versions: { _id: 1 },
      page_versions: { _id: 1 },
      quire_reservations: { _id: 1 },
      'quire_uploads.chunks': { files_id: 1, n: 1 },
    })
    expect(
      Object.keys(keys).filter((name) => /^quire_(?!uploads\.chunks|reservations)/.test(name)),
    ).to.deep.equal([])
    expect(plan.kept.get('tag_versions')).to.have.members([
      'quire_unique_slug',
      'quire_unique_code',
    ])
    expect(keys).not.to.have.property('tag_versions')
    expect(keys).not.to.have.property('up_users')
  })

  it('moves half of the content to the other shard', () => {
    const plan = {
      keys: new Map([
        ['note_versions', { _id: 1 } as const],
        ['quire_reservations', { _id: 1 } as const],
      ]),
      kept: new Map(),
    }
    expect(makeShardCommands('cms', plan, 'shard2')).to.deep.equal([
      { enableSharding: 'cms' },
      { shardCollection: 'cms.note_versions', key: { _id: 1 } },
      { split: 'cms.note_versions', middle: { _id: 'n' } },
      { moveChunk: 'cms.note_versions', find: { _id: 'n' }, to: 'shard2' },
      { shardCollection: 'cms.quire_reservations', key: { _id: 1 } },
    ])
  })
})

describe('retryWhileBusy', () => {
  const refused = (code: number): MongoServerError => new MongoServerError({ message: 'x', code })
  const failing = (...codes: readonly number[]) => {
    const left = [...codes]
    return () => {
      const code = left.shift()
      return code === undefined ? Promise.resolve('done') : Promise.reject(refused(code))
    }
  }

  it('retries while another chunk moves, for a limited time', async () => {
    const options = { patienceMs: 10_000, pauseMs: 1 }
    expect(await retryWhileBusy(failing(117, 46, 117), options)).to.equal('done')
    for (const [run, patienceMs] of [
      [failing(117, 13), 10_000],
      [() => Promise.reject(refused(117)), 20],
    ] as const) {
      const error: unknown = await retryWhileBusy(run, { ...options, patienceMs }).catch(
        (reason: unknown) => reason,
      )
      expect(error).to.be.instanceOf(MongoServerError)
    }
  })
})
