import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { patiently } from '../../support/patiently.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const WRITERS = Number(process.env['QUIRE_TEST_WRITERS'] ?? 12)
const LOCALES = ['en', 'fr', 'de'] as const
const localized = { i18n: { localized: true } }

describe(`${WRITERS} writers of one document`, () => {
  let server: TestServer

  before(async () => {
    server = await serve('writers', {
      contentTypes: {
        counter: declare('counter', { numbers: { type: 'json' } }),
        article: declare(
          'article',
          { numbers: { type: 'json', pluginOptions: localized } },
          { localized: true, draftAndPublish: true },
        ),
        form: declare(
          'form',
          Object.fromEntries(
            Array.from({ length: WRITERS }, (_, index) => [`a${index}`, { type: 'integer' }]),
          ),
        ),
        page: declare(
          'page',
          { title: { type: 'string', pluginOptions: localized }, views: { type: 'integer' } },
          { localized: true, draftAndPublish: true },
        ),
      },
      locales: ['fr', 'de'],
    })
  })

  after(() => server.close())

  const everyone = (work: (writer: number) => Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)))
  const create = async (type: string, data: object): Promise<string> => {
    const answer = await server.post(`/api/${type}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return `/api/${type}/${answer.body.data.documentId}`
  }
  /**
   * Reads, adds the number and writes, until no other write came in between. Returns the number of
   * attempts.
   */
  const addNumber = async (path: string, number: number): Promise<number> => {
    for (let attempt = 1; ; attempt += 1) {
      const read = await patiently(() => server.get(path))
      const { numbers } = read.body.data
      if (numbers.includes(number)) return attempt // an earlier write succeeded, its response was late
      const headers = { 'if-match': read.headers.etag ?? '' }
      const more = { numbers: [...numbers, number] }
      const { status, text } = await patiently(() => server.put(path, more, { headers }))
      if (status === 200) return attempt
      expect(status, text).to.equal(412)
      await wait(randomInt(WRITERS)) // random delay, so that the writers do not collide forever
    }
  }

  for (const type of ['counters', 'articles']) {
    it(`loses no update of ${type} with If-Match`, async () => {
      const path = await create(type, { numbers: [] })
      let attempts = 0
      await everyone(async (writer) => {
        const needed = await addNumber(path, writer) // separate statement: `+=` would read before the await
        attempts += needed
      })
      const { numbers } = (await server.get(path)).body.data
      expect(numbers).to.have.length(WRITERS)
      expect(new Set(numbers).size).to.equal(WRITERS)
      expect(attempts).to.be.greaterThan(WRITERS) // writers did collide
    })
  }

  it('keeps every attribute that was written without a condition', async () => {
    const path = await create('forms', {})
    await everyone(async (writer) => {
      const { status, text } = await server.put(path, { [`a${writer}`]: writer })
      expect(status, text).to.equal(200)
    })
    const stored = (await server.get(path)).body.data
    const values = Array.from({ length: WRITERS }, (_, writer) => stored[`a${writer}`] as unknown)
    expect(values).to.deep.equal(values.map((_, writer) => writer))
  })

  it('leaves shared attributes equal in all locales', async () => {
    const path = await create('pages', { title: 'a', views: -1 })
    for (const locale of LOCALES) await server.put(`${path}?locale=${locale}`, { title: locale })
    await everyone(async (writer) => {
      const locale = LOCALES[writer % LOCALES.length] ?? 'en'
      const put = () => server.put(`${path}?locale=${locale}`, { views: writer })
      const { status, text } = await patiently(put)
      expect(status, text).to.equal(200)
    })
    const read = async (locale: string, status: string): Promise<Json> =>
      (await server.get(`${path}?locale=${locale}&status=${status}`)).body.data
    const shown = await Promise.all(
      LOCALES.flatMap((locale) => [read(locale, 'draft'), read(locale, 'published')]),
    )
    expect(new Set(shown.map(({ views }) => views as unknown)).size).to.equal(1)
    expect(shown[0].views).to.be.within(0, WRITERS - 1)
    expect(shown.map(({ title }) => title as unknown)).to.deep.equal(
      LOCALES.flatMap((locale) => [locale, locale]),
    )
  })
})
