import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTE = 'api::note.note'
/** The maximum size of a release. */
const SIZE = 500
const EDITORS = 4
const CONTENT_TYPES = {
  note: declare(
    'note',
    { text: { type: 'string', required: true }, slug: { type: 'string', unique: true } },
    { draftAndPublish: true },
  ),
}

const PAGE = 100

/** All versions of a status, by documentId. */
type Versions = ReadonlyMap<string, Json>

describe(`a release of ${SIZE} documents`, () => {
  let server: TestServer
  let release: string
  let items: readonly Json[]
  /** The document without the required text. */
  let faulty: string

  before(async () => {
    server = await serve('large_release', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    const lines = Array.from({ length: SIZE }, (_, index) => ({
      op: 'upsert',
      type: 'note',
      key: { slug: `s${index}` },
      status: 'draft',
      data: { ...(index !== SIZE / 2 && { text: 'begun' }) },
    }))
    const made = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
    })
    const answers = made.text.trim().split('\n')
    const ids = answers.map((line) => String(JSON.parse(line).documentId))
    expect(new Set(ids).size, made.text.slice(0, 500)).to.equal(SIZE)
    faulty = ids[SIZE / 2] ?? ''
    release = (await ok('POST', '/admin/releases', { data: { name: 'all' } })).data.id
    const added = ids.map((documentId) => ({ uid: NOTE, documentId, action: 'publish' }))
    ;({ items } = (await ok('POST', target('items'), { data: { items: added } })).data)
    expect(items).to.have.length(SIZE)
  })
  after(() => server.close())

  const target = (path: string): string => `/admin/releases/${release}/${path}`
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, path, body === undefined ? {} : { body })
  async function ok(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(method, path, body)
    expect(answer.status, answer.text.slice(0, 1_000)).to.be.oneOf([200, 201])
    return answer.body
  }
  const publish = (): Promise<Answer> => send('POST', target('actions/publish'))
  const save = (documentId: string, text: string | null): Promise<Answer> =>
    send('PUT', `/api/notes/${documentId}?status=draft`, { data: { text } })

  async function versions(status: 'draft' | 'published'): Promise<Versions> {
    const found = new Map<string, Json>()
    for (let page = 1; page <= SIZE / PAGE; page += 1) {
      const query = `status=${status}&sort=slug&pagination[pageSize]=${PAGE}&pagination[page]=${page}`
      const { data } = await ok('GET', `/api/notes?${query}`)
      for (const one of data) found.set(one.documentId, one)
    }
    return found
  }

  /** One request counts in one snapshot. */
  const countPublished = async (): Promise<number> =>
    (await ok('GET', '/api/notes?pagination[pageSize]=1')).meta.pagination.total

  it('changes no document if one has a fault', async () => {
    const before = await versions('draft')
    const checked = await ok('POST', target('check'))
    expect(checked.data.faults.map((fault: Json) => fault.documentId)).to.deep.equal([faulty])
    const refused = await publish()
    expect([refused.status, refused.headers['error-code']]).to.deep.equal([400, 'release_faults'])
    expect(refused.body.error.details.errors).to.have.length(1)
    expect(await versions('published')).to.deep.equal(new Map())
    expect(await versions('draft')).to.deep.equal(before)
    expect((await ok('GET', `/admin/releases/${release}`)).data.state).to.equal('open')
  })

  it('validates documents again that were saved after the dry run', async () => {
    expect((await save(faulty, 'mended')).status).to.equal(200)
    expect((await ok('POST', target('check'))).data.faults).to.deep.equal([])
    const other = String(items[0].documentId)
    expect((await save(other, null)).status).to.equal(200)
    const refused = await publish()
    expect(refused.headers['error-code']).to.equal('release_faults')
    expect(refused.body.error.details.errors.map((one: Json) => one.documentId)).to.deep.equal([
      other,
    ])
    expect(await versions('published')).to.deep.equal(new Map())
    expect((await save(other, 'saved since the dry run')).status).to.equal(200)
  })

  it('publishes all documents at once, each in a state of its draft, while editors keep saving', async () => {
    const edited = items.slice(1, 1 + EDITORS).map((item) => String(item.documentId))
    const saved = new Map(edited.map((documentId) => [documentId, new Set(['begun'])]))
    const counts = new Set<number>()
    let isOver = false
    const ended = (): boolean => isOver
    const edit = async (documentId: string): Promise<void> => {
      for (let count = 0; !ended(); count += 1) {
        const text = `edit ${count}`
        saved.get(documentId)?.add(text)
        await until(async () => (await save(documentId, text)).status === 200, 60_000)
      }
    }
    const watch = async (): Promise<void> => {
      while (!ended()) {
        counts.add(await countPublished())
        await wait(20)
      }
    }
    const others = Promise.all([...edited.map(edit), watch()])
    const done = await publish().finally(() => (isOver = true))
    await others
    expect(done.status, done.text.slice(0, 1_000)).to.equal(200)
    counts.add(await countPublished())
    expect([...counts].filter((count) => count !== 0 && count !== SIZE)).to.deep.equal([])
    expect(counts.has(SIZE)).to.equal(true)

    const published = await versions('published')
    const textOf = (documentId: string): string => published.get(documentId).text
    expect(published.size).to.equal(SIZE)
    expect(textOf(faulty)).to.equal('mended')
    expect(textOf(String(items[0].documentId))).to.equal('saved since the dry run')
    for (const [documentId, states] of saved) {
      expect([...states], documentId).to.include(textOf(documentId))
    }
    const { data: commits } = await untilNumbered()
    expect(commits[0].items.filter((item: Json) => item.type === NOTE).length).to.be.at.least(SIZE)
  })

  /** The commit of the release: the last one that changed its row. */
  async function untilNumbered(): Promise<Json> {
    const query = '/admin/audit?type=admin::release'
    await until(async () => {
      const [last] = (await ok('GET', query)).data
      return last?.items.length > 1
    }, 10_000)
    return ok('GET', query)
  }
})
