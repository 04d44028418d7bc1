import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry } from './rules-world.ts'

const MISSING = 'b'.repeat(24)
const BOOK = 'api::book.book'
const AUTHOR = 'api::author.author'

const CONTENT_TYPES = {
  author: declare('author', {
    name: { type: 'string', unique: true },
    isOpen: { type: 'boolean' },
    books: { type: 'relation', relation: 'oneToMany', target: BOOK, mappedBy: 'author' },
  }),
  book: declare('book', {
    isbn: { type: 'string', unique: true },
    title: { type: 'string' },
    note: { type: 'string' },
    shelf: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: AUTHOR, inversedBy: 'books' },
  }),
}

describe('bulk writes and tools of agents under rules', () => {
  let server: TestServer
  let token: string

  before(async () => {
    server = await serve('rules_bulk_writes', { contentTypes: CONTENT_TYPES })
    const fields = ['isbn', 'title', 'author']
    const mine = { shelf: 'mine' }
    const rules = [
      { action: `${AUTHOR}.find`, where: { isOpen: true } },
      { action: `${BOOK}.find`, where: mine },
      { action: `${BOOK}.findOne`, where: mine },
      { action: `${BOOK}.create`, fields, set: { note: 'first' }, where: { title: 'none' } },
      { action: `${BOOK}.create`, fields, set: mine },
      { action: `${BOOK}.update`, where: { $and: [mine, { title: { $ne: 'fixed' } }] }, fields },
      { action: `${BOOK}.delete`, where: mine },
    ]
    const body = { name: 'books', type: 'custom', rules }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
  })
  after(() => server.close())

  const send = (lines: readonly object[], query = ''): Promise<Answer> =>
    server.send('POST', `/api/_bulk${query}`, {
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson' },
      token,
    })

  const answersTo = async (lines: readonly object[]): Promise<readonly Json[]> => {
    const answer = await send(lines)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.text).not.to.include('canary')
    return answer.text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
  }

  const bookOf = async (documentId: string): Promise<Json> =>
    (await server.get(`/api/books/${documentId}?populate=author`)).body.data

  const idOf = async (path: string, data: object): Promise<string> =>
    (await addEntry(server, path, data)).documentId

  it('create with the values of the first permission that fits', async () => {
    const lines = ['1', '2'].map((isbn) => ({
      op: 'upsert',
      type: 'book',
      key: { isbn },
      data: { title: `book ${isbn}` },
    }))
    const answers = await answersTo(lines)
    expect(answers.map(({ result }) => result)).to.deep.equal(['created', 'created'])
    for (const { documentId } of answers) {
      expect(await bookOf(documentId)).to.include({ shelf: 'mine', note: null })
    }
    const again = await answersTo(lines)
    expect(again.map(({ result }) => result)).to.deep.equal(['updated', 'updated'])
    const data = { shelf: 'mine' }
    const [refused] = await answersTo([{ op: 'upsert', type: 'book', key: { isbn: '3' }, data }])
    expect(refused).to.include({ status: 403 })
    expect(refused?.error.details).to.include({ key: 'shelf' })
  })

  it('change and delete permitted documents only', async () => {
    const mine = await idOf('/api/books', { title: 'old', shelf: 'mine' })
    const fixed = await idOf('/api/books', { title: 'fixed', shelf: 'mine' })
    const hidden = await idOf('/api/books', { title: 'canary', shelf: 'other', isbn: 'canary' })
    const upsert = (documentId: string) => ({
      op: 'upsert',
      type: 'book',
      documentId,
      data: { title: 'new' },
    })
    const remove = (documentId: string) => ({ op: 'delete', type: 'book', documentId })
    const answers = await answersTo([
      ...[mine, fixed, hidden, MISSING].map(upsert),
      ...[mine, fixed, hidden, MISSING].map(remove),
    ])
    expect(answers.map(({ result, status }) => result ?? status)).to.deep.equal([
      'updated',
      403,
      404,
      404,
      'deleted',
      'deleted',
      'unchanged',
      'unchanged',
    ])
    expect(await bookOf(hidden)).to.include({ title: 'canary' })
  })

  it('never take over the documentId of a deleted document', async () => {
    const keyed = (by: 'root' | 'ruled') => ({
      op: 'upsert',
      type: 'book',
      key: { isbn: 'taken' },
      data: { title: by, ...(by === 'root' && { shelf: 'other' }) },
    })
    const response = await server.send('POST', '/api/_bulk', {
      body: JSON.stringify(keyed('root')),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const { documentId } = JSON.parse(response.text.split('\n')[0] ?? '')
    await server.send('DELETE', `/api/books/${documentId}`)
    const upsert = { op: 'upsert', type: 'book', documentId, data: { title: 'mine' } }
    const [named, derived] = await answersTo([upsert, keyed('ruled')])
    expect(named).to.include({ status: 404 })
    expect(derived).to.include({ result: 'created' })
    expect(derived?.documentId).to.not.equal(documentId)
    expect(await bookOf(documentId)).to.equal(null)
  })

  it('treat a hidden target of a key like a missing one', async () => {
    const open = await idOf('/api/authors', { name: 'open', isOpen: true })
    await idOf('/api/authors', { name: 'secret', isOpen: false })
    const lineFor = (name: string, isbn: string) => ({
      op: 'upsert',
      type: 'book',
      key: { isbn },
      data: { author: { key: { name } } },
    })
    const [good, hidden, missing] = await answersTo([
      lineFor('open', 'a1'),
      lineFor('secret', 'a2'),
      lineFor('none', 'a3'),
    ])
    expect((await bookOf(good?.documentId)).author.documentId).to.equal(open)
    expect({ ...hidden, line: 0 }).to.deep.equal({ ...missing, line: 0 })
    expect(hidden?.status).to.equal(400)
  })

  it('refuse lines under rules in one transaction', async () => {
    const line = { op: 'upsert', type: 'book', key: { isbn: 'one' }, data: { title: 'one' } }
    const { status, text } = await send([line], '?atomic=true')
    expect(status, text).to.equal(403)
    const found = await server.get('/api/books?filters[isbn]=one')
    expect(found.body.data).to.deep.equal([])
  })

  it('hold for the tools of agents', async () => {
    const call = async (name: string, args: object): Promise<Json> => {
      const params = { name, arguments: { type: 'book', ...args } }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const answer = await server.send('POST', '/mcp', { body, token })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.text).not.to.include('canary')
      const { content, isError = false } = answer.body.result
      return { ...JSON.parse(content[0].text), isError }
    }
    const made = await call('create', { data: { title: 'tool' } })
    expect(made.isError, JSON.stringify(made)).to.equal(false)
    const { documentId } = made.data
    expect(await bookOf(documentId)).to.include({ shelf: 'mine' })
    const { revision } = made
    const changed = await call('update', { documentId, revision, data: { title: 'changed' } })
    expect(changed.isError, JSON.stringify(changed)).to.equal(false)
    const beyond = await call('update', {
      documentId,
      revision: changed.revision,
      data: { shelf: 'other' },
    })
    expect(beyond.error.status).to.equal(403)
    const hidden = await idOf('/api/books', { title: 'canary', shelf: 'other' })
    const given = { data: { title: 'taken' }, revision: null }
    const [refused, missing] = [
      await call('update', { documentId: hidden, ...given }),
      await call('update', { documentId: MISSING, ...given }),
    ]
    expect(refused).to.deep.equal(missing)
    expect((await call('delete', { documentId: hidden })).isError).to.equal(false)
    expect(await bookOf(hidden)).to.include({ title: 'canary' })
    expect((await call('delete', { documentId })).deleted).to.equal(true)
    expect(await bookOf(documentId)).to.equal(null)
  })
})
