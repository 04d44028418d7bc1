import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { declare, type Json } from '../support/server.ts'
import { MULTIPART, multipart } from '../support/uploads.ts'
import {
  type Answer,
  ask,
  patiently,
  PROCESSES,
  type Processes,
  startProcesses,
} from './processes.ts'

/** Writers per process. */
const WRITERS = Number(process.env['QUIRE_TEST_WRITERS'] ?? 2)
const EACH = Number(process.env['QUIRE_TEST_WRITES'] ?? 4)
const ALL = PROCESSES * WRITERS

const TYPES = {
  article: declare(
    'article',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
  counter: declare('counter', { count: { type: 'integer' } }, { draftAndPublish: true }),
  form: declare(
    'form',
    Object.fromEntries(
      Array.from({ length: ALL }, (_, index) => [`a${index}`, { type: 'integer' }]),
    ),
    { draftAndPublish: true },
  ),
  shelf: declare('shelf', {
    books: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::book.book',
      mappedBy: 'shelf',
    },
  }),
  book: declare('book', {
    name: { type: 'string', unique: true },
    shelf: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::shelf.shelf',
      inversedBy: 'books',
    },
  }),
  seat: declare('seat', { name: { type: 'string', unique: true } }, { sharded: true }),
  list: declare('list', {
    books: { type: 'relation', relation: 'manyToMany', target: 'api::book.book' },
  }),
}

describe('writes of four processes', () => {
  let processes: Processes

  before(async () => {
    processes = await startProcesses('writes', TYPES)
  })
  after(async () => {
    await processes.close()
  })

  const everyone = async <T>(
    work: (server: ServerProcess, writer: number) => Promise<T>,
  ): Promise<readonly T[]> =>
    Promise.all(
      Array.from({ length: ALL }, (_, writer) => {
        const server = processes.servers[writer % PROCESSES]
        if (server === undefined) throw new Error('a process is missing')
        return work(server, writer)
      }),
    )
  const first = (): ServerProcess => processes.servers[0] ?? expect.fail('no process')
  /** The response of a request that must succeed. */
  const done = async (request: () => Promise<Answer>): Promise<Json> => {
    const { status, body } = await patiently(request)
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201])
    return body
  }
  const create = async (server: ServerProcess, path: string, data: object): Promise<Json> =>
    (await done(() => ask(server, 'POST', path, { body: { data } }))).data

  it('repeats no id and no documentId across content, files and users', async () => {
    await everyone(async (server, writer) => {
      for (let round = 0; round < EACH; round += 1) {
        const name = `${writer}-${round}`
        await create(server, '/api/articles', { title: name })
        await create(server, '/api/books', { name })
      }
      const files = [{ name: `${writer}.txt`, content: `of ${writer}` }]
      const upload = await fetch(`${server.base}/api/upload`, {
        method: 'POST',
        headers: { ...MULTIPART, authorization: `Bearer ${ROOT_TOKEN}` },
        body: new Uint8Array(multipart({ files })),
      })
      expect(upload.status, await upload.text()).to.equal(201)
      const body = {
        username: `user${writer}`,
        email: `u${writer}@example.org`,
        password: 'secret of it',
      }
      await done(() => ask(server, 'POST', '/api/users', { body: { ...body, role: 1 } }))
    })
    const expected = { articles: 2 * ALL * EACH, books: ALL * EACH, files: ALL, users: ALL }
    for (const [name, count] of Object.entries(expected)) {
      const rows = await versionsOf(name)
      expect(rows, name).to.have.lengthOf(count)
      expect(new Set(rows.map(({ id }) => Number(id))).size, name).to.equal(count)
      const documents = name === 'articles' ? count / 2 : count
      expect(new Set(rows.map(({ documentId }) => String(documentId))).size, name).to.equal(
        documents,
      )
    }
  })
  const versionsOf = (name: string): Promise<readonly Document[]> => {
    const collections: Readonly<Record<string, string>> = {
      articles: 'article_versions',
      books: 'book_versions',
      files: 'files',
      users: 'up_users',
    }
    return processes.db
      .collection(collections[name] ?? name)
      .find({})
      .toArray()
  }

  for (const [how, path] of [
    ['an index', '/api/books'],
    ['reservations', '/api/seats'],
  ] as const) {
    it(`accepts a unique value once, by ${how}`, async () => {
      const body = { data: { name: 'the one' } }
      const answers = await everyone((server) =>
        patiently(() => ask(server, 'POST', path, { body })),
      )
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
      expect(statuses).to.deep.equal([201, ...Array.from({ length: ALL - 1 }, () => 400)])
    })
  }

  it('loses no update with If-Match', async () => {
    const { documentId } = await create(first(), '/api/counters', { count: 0 })
    const path = `/api/counters/${documentId}`
    await everyone(async (server) => {
      for (let round = 0; round < EACH; round += 1) await increment(server, path)
    })
    for (const server of processes.servers) {
      for (const status of ['draft', 'published']) {
        const read = await ask(server, 'GET', `${path}?status=${status}`)
        expect(read.body.data.count, status).to.equal(ALL * EACH)
      }
    }
  })
  /** Reads, adds one and writes, until no other write came in between. */
  const increment = async (server: ServerProcess, path: string): Promise<void> => {
    for (;;) {
      const read = await patiently(() => ask(server, 'GET', path))
      const headers = { 'if-match': read.headers.get('etag') ?? '' }
      const body = { data: { count: read.body.data.count + 1 } }
      const { status, body: answer } = await ask(server, 'PUT', path, { headers, body })
      if (status === 200) return
      expect(status, JSON.stringify(answer)).to.be.oneOf([412, 503, 504])
      await wait(randomInt(10 * WRITERS)) // random delay, so that the writers do not collide forever
    }
  }

  it('keeps the attributes of all writers', async () => {
    const { documentId } = await create(first(), '/api/forms', {})
    const path = `/api/forms/${documentId}`
    await everyone(async (server, writer) => {
      for (let round = 0; round < EACH; round += 1) {
        const body = { data: { [`a${writer}`]: round } }
        await done(() => ask(server, 'PUT', path, { body }))
      }
    })
    const { data } = await done(() => ask(first(), 'GET', path))
    const values = Array.from({ length: ALL }, (_, writer) => data[`a${writer}`] as unknown)
    expect(values).to.deep.equal(values.map(() => EACH - 1))
  })

  for (const [where, count] of [
    ['one process', 1],
    ['four processes', PROCESSES],
  ] as const) {
    it(`connects forty entries to one from ${where} on a busy machine, without a 503`, async () => {
      const busy = Array.from({ length: 2 * availableParallelism() }, () =>
        spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
      )
      try {
        for (const plural of ['lists', 'shelfs']) await connectForty(plural, where, count)
      } finally {
        for (const child of busy) child.kill('SIGKILL')
      }
    })
  }
  const connectForty = async (plural: string, where: string, count: number): Promise<void> => {
    const { documentId } = await create(first(), `/api/${plural}`, {})
    const path = `/api/${plural}/${documentId}`
    const books: string[] = []
    for (let index = 0; index < 40; index += 1) {
      const book = await create(first(), '/api/books', { name: `${where} ${plural} ${index}` })
      books.push(String(book.documentId))
    }
    const answers = await Promise.all(
      books.map((book, index) =>
        ask(processes.servers[index % count] ?? first(), 'PUT', path, {
          body: { data: { books: { connect: [book] } } },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(books.map(() => 200))
    const { body } = await ask(first(), 'GET', `${path}?populate[books][fields]=name`)
    expect(body.data.books.map((book: Json) => String(book.documentId))).to.have.members(books)
  }

  it('keeps every connection to one list, from the owning and the inverse side', async () => {
    for (const type of ['lists', 'shelves']) {
      const plural = type === 'shelves' ? 'shelfs' : type
      const { documentId } = await create(first(), `/api/${plural}`, {})
      const connected = await everyone(async (server, writer) => {
        const book = await create(server, '/api/books', { name: `${type} ${writer}` })
        const body = { data: { books: { connect: [book.documentId] } } }
        await done(() => ask(server, 'PUT', `/api/${plural}/${documentId}`, { body }))
        return String(book.documentId)
      })
      const path = `/api/${plural}/${documentId}?populate[books][pagination][limit]=100&populate[books][fields]=name`
      const { data } = await done(() => ask(first(), 'GET', path))
      const listed = data.books.map((book: Json) => String(book.documentId))
      expect(listed.toSorted(), type).to.deep.equal(connected.toSorted())
    }
  })

  it('creates one entry for an Idempotency-Key that is sent to all processes', async () => {
    for (let round = 0; round < EACH; round += 1) {
      const headers = { 'idempotency-key': `key-${round}` }
      const body = { data: { title: `keyed ${round}` } }
      const answers = await everyone((server) => untilAnswered(server, headers, body))
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]))
      expect(
        new Set(answers.map((answer) => answer.body.data.documentId as unknown)).size,
      ).to.equal(1)
      const replayed = answers.filter(
        ({ headers }) => headers.get('idempotency-replayed') === 'true',
      )
      expect(replayed).to.have.lengthOf(ALL - 1)
      const path = `/api/articles?filters[title]=keyed ${round}`
      const { meta } = await done(() => ask(first(), 'GET', path))
      expect(meta.pagination.total).to.equal(1)
    }
  })
  /** Retries while another request holds the key. */
  const untilAnswered = async (
    server: ServerProcess,
    headers: Readonly<Record<string, string>>,
    body: object,
  ): Promise<Answer> => {
    for (;;) {
      const answer = await patiently(() => ask(server, 'POST', '/api/articles', { headers, body }))
      if (answer.status !== 409) return answer
      await wait(1_000 * Number(answer.headers.get('retry-after')))
    }
  }
})
