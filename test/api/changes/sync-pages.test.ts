import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTES = 300
const ANYONE = { token: null }

describe('pages of GET /api/_sync', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    const permitted = ['note', 'tag', 'page'].flatMap((name) =>
      ['find', 'sync'].map((action) => `api::${name}.${name}.${action}`),
    )
    server = await serve('sync_pages', {
      contentTypes: {
        note: declare('note', { text: { type: 'text' } }),
        tag: declare('tag', { name: { type: 'string' } }),
        page: declare('page', { text: { type: 'text' } }),
      },
      permitted,
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const sync = (query: string, sent: object = {}) => server.get(`/api/_sync?${query}`, sent)

  /** Waits until all commits are numbered. */
  const settled = (): Promise<void> => server.settled()

  async function create(path: string, data: object): Promise<string> {
    const { status, body, text } = await server.post(path, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  interface Followed {
    readonly items: readonly Json[]
    readonly tokens: readonly string[]
    readonly bytes: number
  }

  /** Follows to the end. Returns the items, the tokens and the number of bytes. */
  async function follow(query: string): Promise<Followed> {
    const items: Json[] = []
    const tokens: string[] = []
    let bytes = 0
    for (let asked = query; ;) {
      const { status, body, text } = await sync(asked)
      expect(status, text).to.equal(200)
      items.push(...body.items)
      tokens.push(body.next)
      bytes += Buffer.byteLength(text)
      if (!body.more) return { items, tokens, bytes }
      asked = `token=${body.next}`
    }
  }

  const last = ({ tokens }: Followed): string => String(tokens.at(-1))

  /** The number of commands of a response, without the refresh of the process once per second. */
  async function commandsOf(query: string): Promise<number> {
    let least = Infinity
    for (let round = 0; round < 5; round += 1) {
      const timing = String((await sync(query)).headers['server-timing'])
      least = Math.min(least, Number(/desc="(\d+) command/.exec(timing)?.[1]))
    }
    return least
  }

  it('converges to the same pages for clients that started at different times', async () => {
    const early = last(await follow('types=note'))
    await create('/api/notes', { text: 'a' })
    await settled()
    const late = last(await follow('types=note'))
    expect(late).not.to.equal(early)
    for (let made = 1; made < NOTES; made += 10) {
      const some = Array.from({ length: Math.min(10, NOTES - made) }, () =>
        create('/api/notes', { text: 'of some length '.repeat(15) }),
      )
      await Promise.all(some)
    }
    await settled()
    const [one, other] = [await follow(`token=${early}`), await follow(`token=${late}`)]
    expect([one.items.length, other.items.length]).to.deep.equal([NOTES, NOTES - 1])
    expect(one.tokens.length).to.be.at.least(2)
    expect(one.tokens).to.deep.equal(other.tokens)
  })

  it('sends at most 2 % of the bytes after a change of 1 % of the entries', async () => {
    const whole = await follow('types=note')
    expect(whole.items).to.have.lengthOf(NOTES)
    for (const { documentId } of whole.items.slice(0, NOTES / 100)) {
      await server.put(`/api/notes/${documentId}`, { text: 'of some length again '.repeat(10) })
    }
    await settled()
    const changed = await follow(`token=${last(whole)}`)
    expect(changed.items).to.have.lengthOf(NOTES / 100)
    expect(changed.bytes / whole.bytes).to.be.below(0.02)
  })

  it('reads the head, the log and one query per changed type', async () => {
    await create('/api/tags', { name: 'first' })
    await settled()
    const { tokens } = await follow('types=note,tag')
    expect(await commandsOf('types=note,tag')).to.be.at.most(3)
    await create('/api/notes', { text: 'b' })
    for (const name of ['second', 'third']) await create('/api/tags', { name })
    await settled()
    expect((await sync(`token=${tokens.at(-1)}`)).body.items).to.have.lengthOf(3)
    expect(await commandsOf(`token=${tokens.at(-1)}`)).to.be.at.most(4)
  })

  it('allows caches to keep a public page with a successor for long, and none for a credential', async () => {
    const full = await sync('types=note&limit=10', ANYONE)
    expect(full.body.more).to.equal(true)
    expect(full.headers['cache-control']).to.equal('public, max-age=300')
    const own = await sync('types=note&limit=10')
    expect(own.headers['cache-control']).to.equal('private, no-cache')
    const tip = await sync('types=tag', ANYONE)
    expect([tip.body.more, tip.headers['cache-control']]).to.deep.equal([
      false,
      'public, max-age=1',
    ])
  })

  it('limits a page to 1 MiB of rows, but sends at least one row', async () => {
    const text = 'x'.repeat(300_000)
    for (let made = 0; made < 5; made += 1) await create('/api/pages', { text })
    await settled()
    const sizes: number[] = []
    for (let asked = 'types=page'; ;) {
      const { body } = await sync(asked)
      sizes.push(body.items.length)
      if (!body.more) break
      asked = `token=${body.next}`
    }
    expect(sizes).to.deep.equal([3, 2])
  })

  it('limits the wait to 25 seconds', async () => {
    const { tokens } = await follow('types=tag')
    for (const wait of ['26', '-1', '1.5', '1e1', '']) {
      const { status } = await sync(`token=${tokens.at(-1)}&wait=${wait}`)
      expect(status, `wait=${wait}`).to.equal(400)
    }
  })
})
