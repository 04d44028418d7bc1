import { expect } from 'chai'
import { stringify } from 'qs'
import type { FailedCall } from '../../../src/extensions/extension-host.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import { type MemorySearch, openMemorySearch } from '../../support/memory-search.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { addEntry, addMember, setRules } from '../people/rules-world.ts'

const WAIT_MS = 30_000
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const TYPES = {
  page: declare(
    'page',
    {
      title: { type: 'string', ...LOCALIZED },
      body: { type: 'richtext', ...LOCALIZED },
      secret: { type: 'string', private: true },
      kind: { type: 'enumeration', enum: ['a', 'b', 'hidden'] },
    },
    { draftAndPublish: true, localized: true, search: { title: 4, body: 1 } },
  ),
  note: declare('note', { name: { type: 'string' } }, { search: { name: 1 } }),
}

describe('a server with the search of an extension', () => {
  let server: TestServer
  let provider: MemorySearch
  let ann: string
  const failed: FailedCall[] = []

  before(async () => {
    provider = openMemorySearch()
    const extension = defineExtension({ name: 'finder', providers: { search: () => provider } })
    server = await serve('search_provider', {
      contentTypes: TYPES,
      locales: ['de'],
      extensions: [extension],
      host: { searchTimes: { findMs: 100 }, report: (one) => failed.push(one) },
    })
    ann = (await addMember(server, 'ann')).token
    await setRules(server, 'authenticated', [
      {
        action: 'api::page.page.find',
        where: { kind: { $ne: 'hidden' } },
        fields: ['title', 'kind'],
      },
    ])
  })
  after(() => server.close())
  afterEach(() => {
    provider.respond = null
  })

  const search = async (query: object, token?: string, path = '/api/pages'): Promise<Json> => {
    const asked = stringify(query, { encodeValuesOnly: true })
    return server.get(`${path}?${asked}`, token === undefined ? {} : { token })
  }
  const titles = ({ body }: Json): readonly string[] => body.data.map((one: Json) => one.title)
  const isIndexed = (documentId: string, text: string) => (): boolean =>
    [...provider.entries.values()].some(
      (one) => one.documentId === documentId && one.texts['title'] === text,
    )
  const add = async (data: object, query = ''): Promise<string> => {
    const { documentId } = await addEntry(server, `/api/pages${query}`, data)
    const { title } = data as { title: string }
    await until(isIndexed(documentId, title), WAIT_MS)
    return documentId
  }

  it('gives changes to it and lists its hits by score', async () => {
    const body = await add({ title: 'Hills', body: 'A granite top', kind: 'b' })
    const title = await add({ title: 'Granite', kind: 'a' })
    const found = await search({
      search: { query: 'granite', facets: 'kind', highlights: 'body' },
      pagination: { pageSize: 1, cursor: '' },
    })
    expect(titles(found)).to.deep.equal(['Granite'])
    expect(found.body.meta.search).to.deep.include({ terms: ['granite'] })
    expect(found.body.meta.search.facets.kind.counts.length).to.equal(2)
    const cursor = found.body.meta.pagination.nextCursor
    const rest = await search({
      search: { query: 'granite', facets: 'kind', highlights: 'body' },
      pagination: { pageSize: 1, cursor },
    })
    expect(titles(rest)).to.deep.equal(['Hills'])
    expect(rest.body.meta.search.highlights).to.deep.equal([{ body: ['A ', 'granite', ' top'] }])
    await server.put(`/api/pages/${title}?locale=de`, { title: 'Granit' })
    await until(isIndexed(title, 'Granit'), WAIT_MS)
    expect(titles(await search({ search: 'granit', locale: 'de' }))).to.deep.equal(['Granit'])
    await server.delete(`/api/pages/${title}?locale=*`)
    await until(() => ![...provider.entries.keys()].some((key) => key.includes(title)), WAIT_MS)
    await server.delete(`/api/pages/${body}`)
  })

  it('shows no entry that the list without a search would not show', async () => {
    await add({ title: 'Open', kind: 'a' })
    await add({ title: 'Closed', kind: 'hidden' })
    await addEntry(server, '/api/notes', { name: 'Note' })
    const draft = await addEntry(server, '/api/pages?status=draft', { title: 'Draft', kind: 'a' })
    provider.respond = () => ({
      hits: [
        ...provider.entries.values(),
        { documentId: draft.documentId, locale: 'en' },
        {
          documentId: 'unknown',
          locale: 'en',
        },
      ].flatMap(({ documentId, locale }, at) => [
        { documentId, locale, score: at },
        { documentId, locale: 'xx', score: at },
      ]),
    })
    const asked = { search: { query: 'x', facets: 'kind' }, sort: undefined }
    const seen = await search(asked, ann)
    const listed = await search({}, ann)
    expect([...titles(seen)].toSorted()).to.deep.equal([...titles(listed)].toSorted())
    expect(seen.body.meta.pagination.total).to.equal(listed.body.meta.pagination.total)
    expect(JSON.stringify(seen.body)).to.not.include('hidden').and.not.include('Closed')
    const filtered = await search({ ...asked, filters: { title: 'Closed' } })
    expect(titles(filtered)).to.deep.equal(['Closed'])
  })

  it('searches the attributes that the caller sees, and those of the request', async () => {
    await search({ search: 'x' })
    await search({ search: 'x' }, ann)
    await search({ search: { query: 'x', fields: 'body', match: 'all' }, locale: 'de' })
    const [all, seen, chosen] = provider.requests.slice(-3)
    expect(all?.weights).to.deep.equal({ title: 4, body: 1 })
    expect(seen?.weights).to.deep.equal({ title: 4 })
    expect([chosen?.weights, chosen?.match, chosen?.locales]).to.deep.equal([
      { body: 1 },
      'all',
      ['de'],
    ])
    const texts = [...provider.entries.values()].flatMap((one) => Object.keys(one.texts))
    expect(texts).to.not.include('secret')
  })

  it('checks 5,000 hits of an unbounded list', async () => {
    const documentId = await add({ title: 'Last', kind: 'a' })
    const others = Array.from({ length: 200_000 }, (_, at) => {
      return { documentId: `other${at}`, locale: 'en', score: 1 }
    })
    const last = { documentId, locale: 'en', score: 0 }
    provider.respond = () => ({ hits: [...others.slice(0, 4_999), last, ...others] })
    const { body } = await search({ search: { query: 'x', facets: 'kind' } })
    expect(body.meta.search.capped).to.equal(true)
    expect(body.data.map((one: Json) => one.title)).to.deep.equal(['Last'])
    expect(body.meta.search.facets.kind.estimated).to.equal(true)
    provider.respond = () => ({ hits: [...others.slice(0, 5_000), last] })
    expect((await search({ search: 'x' })).body.data).to.deep.equal([])
  })

  const FAILURES: Readonly<Record<string, () => unknown>> = {
    hangs: () => new Promise(() => undefined),
    rejects: () => Promise.reject(new Error('secret-canary')),
    throws: () => {
      throw new Error('secret-canary')
    },
    'returns another shape': () => ({ hits: [{ documentId: 7 }] }),
    'returns nothing': () => undefined,
  }
  for (const [name, respond] of Object.entries(FAILURES)) {
    it(`responds with 503 if the provider ${name}, and reports the extension`, async () => {
      provider.respond = respond
      failed.length = 0
      const { status, body, text } = await search({ search: 'x' })
      expect([status, body.error.message]).to.deep.equal([503, 'The search does not respond'])
      expect(text).to.not.include('canary').and.not.include('finder')
      expect(failed.map(({ extension, call }) => [extension, call])).to.deep.equal([
        ['finder', 'providers.search find'],
      ])
      expect((await search({})).status).to.equal(200)
      if (name === 'hangs') expect(provider.requests.at(-1)?.signal.aborted).to.equal(true)
    })
  }

  it('repeats a failed step, and loses no change', async () => {
    provider.failures = 2
    await add({ title: 'Repeated', kind: 'a' })
    expect(titles(await search({ search: 'repeated' }))).to.deep.equal(['Repeated'])
  })

  it('does not start if the provider lacks a function or its version', async () => {
    for (const [lacking, message] of [
      [{ find: undefined }, 'returns an object without the function find'],
      [{ version: '' }, 'returns an object without the text version'],
    ] as const) {
      const broken = { ...openMemorySearch(), ...lacking } as unknown as MemorySearch
      const extension = defineExtension({ name: 'finder', providers: { search: () => broken } })
      const started = serve('search_broken', { contentTypes: TYPES, extensions: [extension] })
      const refused = await started.catch((error: unknown) => error)
      expect(String(refused)).to.include(message)
    }
  })
})
