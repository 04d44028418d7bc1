import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type ClientOptions, createClient, QuireError, type ToMany } from '@quire/client'
import { expect } from 'chai'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { png } from '../media/sample-images.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      views: { type: 'integer' },
      cover: { type: 'media' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
    },
    { draftAndPublish: true, localized: true, search: { title: 1 } },
  ),
  tag: declare(
    'tag',
    { name: { type: 'string' }, code: { type: 'string', unique: true } },
    { search: { name: 1 } },
  ),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
  'queries/ranked': {
    type: 'tag',
    parameters: { names: { type: 'string', list: true } },
    filters: { name: { $in: { $param: 'names' } } },
    sort: 'name',
  },
  'queries/found': {
    type: 'tag',
    parameters: { text: { type: 'string', required: true } },
    rank: { query: { $param: 'text' } },
  },
  'queries/tag-by-name': {
    type: 'tag',
    single: true,
    parameters: { name: { type: 'string', required: true } },
    filters: { name: { $eq: { $param: 'name' } } },
  },
  'queries/tag-groups': {
    type: 'tag',
    filters: { name: { $startsWith: 'q' } },
    aggregate: { groupBy: ['createdAt:month'], count: true },
  },
}

const KINDS = { articles: 'collection', tags: 'collection', homepage: 'single' } as const

const USERS = 'plugin::users-permissions'
const SIGN_IN = ['callback', 'register', 'refresh', 'logout'].map((verb) => `${USERS}.auth.${verb}`)

/** A loosely typed content-type. client-types.test.ts checks the exact types. */
interface Loose {
  readonly kind: 'collection'
  readonly fields: { id: number; documentId: string; title: string; views: number; name: string }
  readonly filters: { title: object; views: object; name: object }
  readonly populate: { tags: { readonly many: Loose }; cover: { readonly one: Loose } }
  readonly searched: 'name'
  readonly create: object
  readonly update: {
    readonly title?: string
    readonly views?: number
    readonly name?: string
    readonly tags?: ToMany
  }
}
interface Types {
  readonly locales: string
  readonly queries: {
    readonly ranked: {
      readonly kind: 'list'
      readonly parameters: { readonly names?: readonly string[] }
      readonly entry: { readonly name: string | null }
    }
    readonly found: {
      readonly kind: 'list'
      readonly parameters: { readonly text: string }
      readonly entry: { readonly name: string | null }
    }
    readonly 'tag-by-name': {
      readonly kind: 'one'
      readonly parameters: { readonly name: string }
      readonly entry: { readonly name: string | null }
    }
    readonly 'tag-groups': {
      readonly kind: 'groups'
      readonly parameters: object
      readonly group: { readonly count: number }
    }
  }
  readonly singular: { readonly article: Loose; readonly tag: Loose }
  readonly types: {
    readonly articles: Loose
    readonly tags: Loose
    readonly homepage: Omit<Loose, 'kind'> & { readonly kind: 'single' }
  }
}

describe('@quire/client', () => {
  let server: TestServer
  before(async () => {
    server = await serve('quire_client', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off', UP_JWT_MANAGEMENT: 'refresh' },
      permitted: ['api::article.article.find', 'api::article.article.findOne', ...SIGN_IN],
    })
  })
  after(() => server.close())

  const open = (options: Partial<ClientOptions> = {}) =>
    createClient<Types>(KINDS, { url: `http://127.0.0.1:${server.port}/`, ...options })
  const root = (options: Partial<ClientOptions> = {}) => open({ token: ROOT_TOKEN, ...options })

  /** Records the requests of a client. */
  const watched = () => {
    const seen: { readonly url: string; readonly init: RequestInit; status: number }[] = []
    const watching: typeof fetch = async (input, init = {}) => {
      const answer = await fetch(input, init)
      seen.push({ url: input as string, init, status: answer.status })
      return answer
    }
    return { seen, fetch: watching }
  }

  const failure = async (work: Promise<unknown>): Promise<QuireError> => {
    try {
      await work
    } catch (error) {
      if (error instanceof QuireError) return error
      throw error
    }
    throw new Error('it was let through')
  }

  it('creates, finds, changes, publishes and deletes entries', async () => {
    const quire = root()
    const tag = await quire.tags.create({ name: 'Alps' })
    const made = await quire.articles.create(
      { title: 'Draft', views: 7, tags: [tag.documentId] },
      { status: 'draft' },
    )
    const drafts = await quire.articles.find({
      filters: { title: { $contains: 'Dra' }, views: { $between: [5, 9] } },
      populate: { tags: { fields: ['name'] } },
      fields: ['title'],
      status: 'draft',
      sort: 'title:desc',
    })
    expect(drafts.total).to.equal(1)
    expect(drafts.entries[0]?.tags[0]?.name).to.equal('Alps')
    await quire.articles.publish(made.documentId)
    const changed = await quire.articles.update(
      made.documentId,
      { title: 'Auf Deutsch' },
      { locale: 'de' },
    )
    expect(changed.title).to.equal('Auf Deutsch')
    expect((await quire.articles.get(made.documentId)).title).to.equal('Draft')
    await quire.articles.unpublish(made.documentId)
    expect((await failure(quire.articles.get(made.documentId))).status).to.equal(404)
    await quire.articles.delete(made.documentId, { locale: '*' })
    await quire.homepage.update({ title: 'Home' })
    expect((await quire.homepage.get()).title).to.equal('Home')
  })

  it('reads all entries page by page, including new ones', async () => {
    const quire = root()
    for (let n = 0; n < 7; n += 1) await quire.tags.create({ name: `all ${n}` })
    const names: string[] = []
    const wire = watched()
    const query = { filters: { name: { $startsWith: 'all' } }, pageSize: 3, sort: 'name' as const }
    for await (const tag of root(wire).tags.all(query)) {
      if (names.length === 1) await quire.tags.create({ name: 'all 9' })
      names.push(tag.name)
    }
    expect(names).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 9].map((n) => `all ${n}`))
    expect(wire.seen.length).to.equal(3)
  })

  it('finds entries by relevance, on a page and one page after another', async () => {
    const quire = root()
    await quire.tags.create({ name: 'Northern glaciers' })
    const rank = 'glacier'
    await until(async () => (await quire.tags.find({ rank })).total === 1, 20_000)
    const names: string[] = []
    for await (const { name } of quire.tags.all({ rank })) names.push(name)
    expect(names).to.deep.equal(['Northern glaciers'])
  })

  it('names the searched attributes, and returns the matches of a page', async () => {
    const quire = root()
    await quire.tags.create({ name: 'Southern fjords' })
    const rank = { query: 'fjord', fields: ['name'], highlights: ['name'] } as const
    await until(async () => (await quire.tags.find({ rank })).total === 1, 20_000)
    const facts = { terms: ['fjord'], highlights: [{ name: ['Southern ', 'fjords', ''] }] }
    expect((await quire.tags.find({ rank })).search).to.deep.equal(facts)
    expect((await quire.tags.find({ rank, cursor: '' })).search).to.deep.equal(facts)
    expect(await quire.tags.find()).to.not.have.property('search')
    const found = await quire.$query('found', { text: 'fjord' })
    expect(found.search).to.deep.equal({ terms: ['fjord'] })
    const unknown = { query: 'fjord', fields: ['code'] } as unknown as typeof rank
    expect((await failure(quire.tags.find({ rank: unknown }))).status).to.equal(400)
  })

  it('searches several content-types', async () => {
    const quire = root()
    await quire.tags.create({ name: 'Volcano' })
    await quire.articles.create({ title: 'Volcanoes' })
    const search = () => quire.$search('volcano')
    await until(async () => (await search()).length === 2, 20_000)
    const groups = await search()
    expect(groups.map(({ type, total }) => [type, total])).to.have.deep.members([
      ['article', 1],
      ['tag', 1],
    ])
    expect(groups.map(({ search: { terms } }) => terms)).to.deep.equal([['volcano'], ['volcano']])
    const [only, ...others] = await quire.$search('volcano', { types: ['tag'], limit: 1 })
    expect([only?.entries.map(({ name }) => name), others]).to.deep.equal([['Volcano'], []])
    expect(await quire.$search('volcano', { types: ['article'], locale: 'de' })).to.deep.equal([])
    expect(await quire.$search('absent')).to.deep.equal([])
    expect((await failure(open().$search('volcano', { types: ['tag'] }))).status).to.equal(400)
  })

  it('finds one page after another by cursor', async () => {
    const quire = root()
    for (let n = 0; n < 5; n += 1) await quire.tags.create({ name: `cursor ${n}` })
    const query = {
      filters: { name: { $startsWith: 'cursor' } },
      pageSize: 2,
      sort: 'name' as const,
    }
    const pages: string[][] = []
    for (let cursor = ''; ;) {
      const { entries, total, nextCursor } = await quire.tags.find({ ...query, cursor })
      pages.push(entries.map(({ name }) => name))
      expect(total).to.equal(5)
      if (nextCursor === null) break
      cursor = nextCursor
    }
    expect(pages).to.deep.equal([['cursor 0', 'cursor 1'], ['cursor 2', 'cursor 3'], ['cursor 4']])
    const first = await quire.tags.find(query)
    expect(first).to.include({ total: 5, page: 1, pageCount: 3 }).and.to.not.have.key('nextCursor')
    const error = await failure(quire.tags.find({ ...query, cursor: 'x' }))
    expect(error.status).to.equal(400)
  })

  describe('$bulk', () => {
    it('returns the result of each line', async () => {
      const quire = root()
      const tag = { op: 'upsert', type: 'tag', key: { code: 'B1' } } as const
      const documentId = 'a'.repeat(24)
      const results = await quire.$bulk([
        { ...tag, data: { name: 'bulk one' } },
        { ...tag, data: { name: 'bulk one' } },
        { op: 'delete', type: 'tag', documentId: 'invalid' },
        {
          op: 'upsert',
          type: 'article',
          documentId,
          data: { title: 'Bulk', tags: [{ key: { code: 'B1' } }] },
        },
      ])
      expect(results.map(({ result }) => result)).to.deep.equal([
        'created',
        'unchanged',
        'failed',
        'created',
      ])
      expect(results[2]).to.deep.include({ status: 400, code: 'invalid_payload' })
      const article = await quire.articles.get(documentId, { populate: ['tags'] })
      expect(article.tags.map(({ name }) => name)).to.deep.equal(['bulk one'])
    })

    it('sends many lines in several requests', async () => {
      const wire = watched()
      const lines = Array.from({ length: 1_001 }, (_, index) => ({
        op: 'delete' as const,
        type: 'tag' as const,
        documentId: `c${String(index).padStart(23, '0')}`,
      }))
      const results = await root(wire).$bulk(lines)
      expect(results.length).to.equal(1_001)
      expect(new Set(results.map(({ result }) => result))).to.deep.equal(new Set(['unchanged']))
      expect(wire.seen.length).to.equal(2)
      expect(await root(wire).$bulk([])).to.deep.equal([])
      expect(wire.seen.length).to.equal(2)
    })

    it('writes no line of an atomic request that fails', async () => {
      const quire = root()
      const error = await failure(
        quire.$bulk(
          [
            { op: 'upsert', type: 'tag', key: { code: 'B2' }, data: { name: 'atomic' } },
            { op: 'delete', type: 'tag', documentId: 'invalid' },
          ],
          { atomic: true },
        ),
      )
      expect(error.status).to.equal(400)
      expect(error.details).to.include({ line: 2 })
      const { total } = await quire.tags.find({ filters: { name: { $eq: 'atomic' } } })
      expect(total).to.equal(0)
    })

    it('marks the lines that the server did not process', async () => {
      const error = { status: 401, name: 'UnauthorizedError', message: 'The token was deleted' }
      const last = { line: null, status: 401, code: 'invalid_credentials', error }
      const answers = [{ line: 1, status: 200, result: 'unchanged', documentId: 'x' }, last]
      let requests = 0
      const ending: typeof fetch = () => {
        requests += 1
        const body = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('')
        const headers = { 'Content-Type': 'application/x-ndjson' }
        return Promise.resolve(new Response(body, { headers }))
      }
      const line = { op: 'delete', type: 'tag', documentId: 'x' } as const
      const results = await root({ fetch: ending }).$bulk(Array.from({ length: 1_002 }, () => line))
      expect(requests).to.equal(1)
      expect(results.map(({ result }) => result)).to.deep.equal([
        'unchanged',
        ...Array.from({ length: 1_001 }, () => 'unprocessed'),
      ])
      expect(results[1]).to.include({ status: 401, code: 'invalid_credentials' })
    })

    it('rejects a response that ends in the middle of a line', async () => {
      const cut: typeof fetch = () =>
        Promise.resolve(
          new Response('{ "line": 1, "sta', {
            headers: { 'Content-Type': 'application/x-ndjson' },
          }),
        )
      const line = { op: 'delete', type: 'tag', documentId: 'x' } as const
      const error: unknown = await root({ fetch: cut })
        .$bulk([line])
        .catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(TypeError)
    })
  })

  it('throws an error with the code, the request id and the invalid paths', async () => {
    const error = await failure(root().articles.create({ title: 5 }))
    expect(error).to.include({ status: 400, name: 'ValidationError' })
    expect(error.code).to.be.a('string')
    expect(error.requestId).to.be.a('string')
    expect((error.details as { errors: { path: string[] }[] }).errors[0]?.path).to.deep.equal([
      'title',
    ])
    expect((await failure(open().tags.find())).status).to.equal(403)
  })

  it('refuses to overwrite a newer version', async () => {
    const quire = root()
    const mine = await quire.tags.create({ name: 'mine' })
    await quire.tags.update(mine.documentId, { name: 'theirs' })
    expect((await failure(quire.tags.update(mine, { name: 'mine again' }))).status).to.equal(412)
    const fresh = await quire.tags.get(mine.documentId)
    expect((await quire.tags.update(fresh, { name: 'both' })).name).to.equal('both')
  })

  it('revalidates known entries, and returns a new object to each caller', async () => {
    const wire = watched()
    const quire = root(wire)
    const { documentId } = await quire.tags.create({ name: 'known' })
    const first = await quire.tags.get(documentId)
    first.name = 'changed by the caller'
    expect((await quire.tags.get(documentId)).name).to.equal('known')
    expect(wire.seen.map(({ status }) => status)).to.deep.equal([201, 200, 304])
  })

  it('creates one entry, even if the response was lost', async () => {
    let lost = 0
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (init?.method !== 'POST' || lost > 0) return answer
      lost += 1
      throw new TypeError('fetch failed')
    }
    const made = await root({ fetch: losing }).tags.create({ name: 'once' })
    expect(lost).to.equal(1)
    const found = await root().tags.find({ filters: { name: { $eq: 'once' } } })
    expect(found.entries.map(({ documentId }) => documentId)).to.deep.equal([made.documentId])
  })

  describe('a busy server', () => {
    let busy: Server
    let answers: (readonly [status: number, headers?: Record<string, string>])[]
    let asked: number
    before(async () => {
      busy = createServer((_, response) => {
        const [status, headers = {}] = answers[asked] ?? [200]
        asked += 1
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify({ data: [], meta: { pagination: { total: 0 } } }))
      })
      busy.listen(0, '127.0.0.1')
      await once(busy, 'listening')
    })
    beforeEach(() => {
      asked = 0
    })
    after(() => busy.close())
    const quire = (options: Partial<ClientOptions> = {}) =>
      open({ url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`, ...options })

    it('is retried after Retry-After, up to the configured number of times', async () => {
      answers = [
        [503, { 'Retry-After': '0' }],
        [429, { 'Retry-After': '0' }],
      ]
      await quire().tags.find()
      expect(asked).to.equal(3)
      asked = 0
      answers = [
        [503, { 'Retry-After': '0' }],
        [503, { 'Retry-After': '0' }],
      ]
      expect((await failure(quire({ retries: 1 }).tags.find())).status).to.equal(503)
      expect(asked).to.equal(2)
    })

    it('gets no retry of a request that could run twice', async () => {
      answers = [[503, { 'Retry-After': '0' }]]
      expect((await failure(quire().articles.publish('x'))).status).to.equal(503)
      expect(asked).to.equal(1)
    })

    it('stops the wait for a retry when the signal aborts', async () => {
      answers = [[503, { 'Retry-After': '20' }]]
      const stop = new AbortController()
      const answered = once(busy, 'request')
      const work = quire().tags.find({}, { signal: stop.signal })
      await answered
      stop.abort(new Error('enough'))
      expect(await work.catch((error: unknown) => (error as Error).message)).to.equal('enough')
    })
  })

  describe('sign-in', () => {
    const account = { username: 'marie', email: 'marie@example.org', password: 'correct horse' }

    it('acts as the user until the sign-out', async () => {
      const quire = open()
      expect((await quire.$auth.register(account))?.username).to.equal('marie')
      expect(await quire.$auth.isSignedIn()).to.equal(true)
      await quire.$auth.signOut()
      expect(await quire.$auth.isSignedIn()).to.equal(false)
      const { username } = await quire.$auth.signIn({
        identifier: 'marie',
        password: account.password,
      })
      expect(username).to.equal('marie')
      const credentials = { identifier: 'marie', password: 'wrong' }
      expect((await failure(quire.$auth.signIn(credentials))).status).to.equal(400)
    })

    it('refreshes an expired session once for all pending requests', async () => {
      const wire = watched()
      let session: { jwt: string; refreshToken?: string } | null = null
      const storage = {
        get: () => session,
        set: (given: typeof session) => void (session = given),
      }
      const quire = open({ ...wire, storage })
      await quire.$auth.signIn({ identifier: 'marie', password: account.password })
      const before = session as { jwt: string; refreshToken?: string } | null
      session = { ...before, jwt: `${before?.jwt.slice(0, -4)}AAAA` }
      wire.seen.length = 0
      const permissions = ['api::article.article.find']
      await server.send('PUT', '/admin/roles/authenticated', { body: { permissions } })
      await Promise.all([1, 2, 3].map(() => quire.articles.find()))
      const refreshes = wire.seen.filter(({ url }) => url.endsWith('/api/auth/refresh'))
      expect(refreshes.map(({ status }) => status)).to.deep.equal([200])
      expect(session).to.not.deep.equal(before)
    })

    it('reports a session that it cannot refresh', async () => {
      let ended = 0
      const storage = {
        get: () => ({ jwt: 'a.b.c', refreshToken: 'used up' }),
        set: () => undefined,
      }
      const quire = open({ storage, onSignedOut: () => void (ended += 1) })
      expect((await failure(quire.articles.find())).status).to.equal(401)
      expect(ended).to.equal(1)
    })
  })

  it('uploads and deletes files', async () => {
    const quire = root()
    const bytes = await png(8, 8)
    const told: (readonly [number, number])[] = []
    const file = await quire.$files.upload(
      new Blob([new Uint8Array(bytes)], { type: 'image/png' }),
      {
        name: 'dot.png',
        alternativeText: 'a dot',
        onProgress: (sent, total) => told.push([sent, total]),
      },
    )
    expect(file).to.include({ name: 'dot.png', width: 8, alternativeText: 'a dot' })
    expect(told.at(-1)).to.deep.equal([bytes.length, bytes.length])
    const article = await quire.articles.create({ title: 'Pictured', cover: file.id })
    const shown = await quire.articles.get(article.documentId, { populate: ['cover'] })
    expect(shown.cover?.documentId).to.equal(file.documentId)
    await quire.$files.delete(file.id)
  })

  it('uploads files of React Native by their uri', async () => {
    const bytes = await png(8, 8)
    const read: string[] = []
    /** React Native reads the file itself. */
    class NativeFormData extends FormData {
      override append(field: string, value: unknown, name?: string): void {
        if (typeof value === 'object' && value !== null && 'uri' in value) {
          const { uri, type, name: own } = value as Readonly<Record<string, string>>
          read.push(uri ?? '')
          super.append(field, new Blob([new Uint8Array(bytes)], { type: type ?? '' }), own)
        } else if (typeof value === 'string') super.append(field, value)
        else super.append(field, value, name)
      }
    }
    const { FormData: usual } = globalThis
    globalThis.FormData = NativeFormData
    try {
      const { $files: files } = root()
      const photo = { uri: 'file:///photo.png', name: 'photo.png', type: 'image/png' }
      expect(await files.upload(photo)).to.include({ name: 'photo.png', width: 8 })
      const named = await files.upload(photo, { name: 'other.png', private: true })
      expect(named.name).to.equal('other.png')
      expect(named.url).to.include('signature=')
      expect(read).to.deep.equal([photo.uri, photo.uri])
    } finally {
      globalThis.FormData = usual
    }
  })

  it('runs named queries', async () => {
    const quire = root()
    for (const name of ['q1', 'q2', 'q3']) await quire.tags.create({ name })
    const { entries, total, nextCursor } = await quire.$query('ranked', { names: ['q3', 'q1'] })
    expect(entries.map(({ name }) => name)).to.deep.equal(['q1', 'q3'])
    expect([total, nextCursor]).to.deep.equal([2, null])
    expect((await quire.$query('tag-by-name', { name: 'q2' })).name).to.equal('q2')
    const { groups, capped } = await quire.$query('tag-groups')
    expect([groups.reduce((sum, { count }) => sum + count, 0), capped]).to.deep.equal([3, false])
    const missing = await failure(quire.$query('tag-by-name', { name: 'q4' }))
    expect(missing.status).to.equal(404)
    const refused = await failure(open().$query('ranked'))
    expect(refused.status).to.equal(403)
  })

  it('waits in reads for its newest write, if it is causal', async () => {
    const { seen, fetch } = watched()
    const sent = (): readonly (string | null)[] =>
      seen.splice(0).map(({ init }) => new Headers(init.headers).get('Quire-After'))
    const quire = root({ fetch, causal: true })
    await quire.tags.find()
    const { documentId } = await quire.tags.create({ name: 'causal' })
    expect((await quire.tags.get(documentId)).name).to.equal('causal')
    await quire.tags.update(documentId, { name: 'causal again' })
    await quire.tags.get(documentId)
    const [before, creation, first, update, second] = sent()
    expect([before, creation, update]).to.deep.equal([null, null, null])
    const hasTime = first !== null // DocumentDB has no cluster time
    if (hasTime) expect(String(second) > String(first)).to.equal(true)
    const others = root({ fetch })
    await others.tags.update(documentId, { name: 'others' })
    await others.tags.get(documentId)
    expect(sent()).to.deep.equal([null, null])
  })

  it('keeps the later time of concurrent writes, and none after a refusal', async () => {
    const sent: (string | null)[] = []
    const replies = [
      ['0000000009.0000000001', 200],
      ['0000000008.4294967295', 200],
      [null, 200],
      [null, 400],
      [null, 200],
    ] as const
    const quire = root({
      causal: true,
      fetch: (_, init) => {
        sent.push(new Headers(init?.headers).get('Quire-After'))
        const [time, status] = replies[sent.length - 1] ?? [null, 200]
        const headers = new Headers(status === 400 ? { 'Error-Code': 'invalid_header' } : {})
        if (time !== null) headers.set('Quire-After', time)
        return Promise.resolve(new Response('{"data":{},"meta":{}}', { status, headers }))
      },
    })
    await quire.homepage.update({ title: 'a' })
    await quire.homepage.update({ title: 'b' })
    await quire.homepage.get()
    await failure(quire.homepage.get())
    await quire.homepage.get()
    const later = '0000000009.0000000001'
    expect(sent).to.deep.equal([null, null, later, later, null])
  })

  it('has at most 8 kB compressed, with comments', () => {
    const folder = new URL('../../../packages/client/dist/src/', import.meta.url)
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const whole = scripts.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n')
    expect(scripts.length).to.be.above(5)
    expect(whole).to.not.match(/^import .* from '(?!\.)/m)
    expect(gzipSync(whole, { level: 9 }).length).to.be.at.most(8_192)
  })
})
