import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { until } from '../../support/until.ts'
import { behindCache } from '../../support/kept-first-page.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

interface Copy {
  pull(options?: { readonly wait?: number }): Promise<boolean>
  follow(signal: AbortSignal, onChange?: () => void): Promise<void>
}

interface Store {
  readonly rows: ReadonlyMap<string, Json>
}

interface Client {
  memoryStore(): Store
  openCopy(options: object): Copy
}

const FILE = new URL('../../../../docs/sync/client.mjs', import.meta.url)

describe('docs/sync/client.mjs', () => {
  let server: TestServer
  let client: Client

  before(async () => {
    server = await serve('sync_client', {
      contentTypes: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
      },
    })
    client = (await import(FILE.href)) as Client
  })
  after(() => server.close())

  const open = (store: Store, more: object = {}): Copy =>
    client.openCopy({
      url: `http://127.0.0.1:${server.port}`,
      token: ROOT_TOKEN,
      scope: { types: 'note', limit: '3' },
      store,
      ...more,
    })
  const textsOf = ({ rows }: Store): readonly string[] =>
    [...rows.values()].map(({ data }) => String(data.text)).sort()
  const create = async (text: string): Promise<string> =>
    (await server.post('/api/notes', { text })).body.data.documentId

  it('has at most 150 lines', () => {
    expect(readFileSync(FILE, 'utf8').split('\n').length).to.be.at.most(150)
  })

  it('copies all rows despite lost responses, and starts again when required', async () => {
    const ids: string[] = []
    for (let each = 0; each < 8; each += 1) ids.push(await create(`n${each}`))
    const store = client.memoryStore()
    let requests = 0
    const flaky = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init)
      requests += 1
      if (requests % 2 === 0) throw new TypeError('the answer was lost')
      return response
    }
    const copy = open(store, { fetch: flaky })
    const patiently = async (): Promise<void> => {
      for (let tries = 0; tries < 50; tries += 1) {
        try {
          await copy.pull()
          return
        } catch (error) {
          if (!(error instanceof TypeError)) throw error
        }
      }
      expect.fail('never through')
    }
    await until(async () => {
      await patiently()
      return textsOf(store).length === 8
    }, 10_000)
    await server.put(`/api/notes/${ids[0]}`, { text: 'changed' })
    await server.delete(`/api/notes/${ids[1]}`)
    await until(async () => {
      await patiently()
      return textsOf(store).includes('changed') && textsOf(store).length === 7
    }, 10_000)
    const mongo = await MongoClient.connect(server.uri)
    const heads = mongo.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    await heads.updateOne({ _id: 'main' }, { $set: { log: 'restored' }, $inc: { version: 1 } })
    await mongo.close()
    await until(async () => {
      await patiently()
      return textsOf(store).length === 7
    }, 10_000)
    const { body } = await server.get('/api/notes?pagination[pageSize]=100')
    expect(textsOf(store)).to.deep.equal(body.data.map(({ text }: Json) => text).sort())
  })

  it('pauses while a cache serves the first page of an outdated log', async () => {
    await create('one')
    const cache = behindCache()
    const store = client.memoryStore()
    const copy = open(store, { fetch: cache.fetch })
    await copy.pull()
    const mongo = await MongoClient.connect(server.uri)
    const heads = mongo.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    await heads.updateOne({ _id: 'main' }, { $set: { log: 'another' }, $inc: { version: 1 } })
    await mongo.close()
    await until(async () => {
      const failure = await copy.pull().catch((error: unknown) => error)
      return (failure as { readonly status?: number }).status === 410
    }, 10_000)
    const stop = new AbortController()
    const following = copy.follow(stop.signal)
    cache.forget()
    await until(() => textsOf(store).includes('one'), 10_000)
    stop.abort()
    await following.catch((error: unknown) => expect((error as Error).name).to.equal('AbortError'))
  })

  it('follows changes until it is stopped', async () => {
    const store = client.memoryStore()
    const stop = new AbortController()
    let changes = 0
    const following = open(store).follow(stop.signal, () => {
      changes += 1
    })
    await until(() => changes > 0, 10_000)
    await create('while it follows')
    await until(() => textsOf(store).includes('while it follows'), 10_000)
    stop.abort()
    await following.catch((error: unknown) => expect((error as Error).name).to.equal('AbortError'))
  })
})
