import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { openLocales } from '../../../src/content/locales/locales.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { multipart, MULTIPART } from '../../support/uploads.ts'
import { declare, type Answer, type Json, serve, type TestServer } from '../../support/server.ts'

const localized = { pluginOptions: { i18n: { localized: true } } }
const shared = { pluginOptions: { i18n: { localized: false } } }

describe('locales of content', () => {
  let server: TestServer

  beforeEach(async () => {
    server = await serve('locales', {
      locales: ['fr', 'de'],
      contentTypes: {
        page: declare(
          'page',
          {
            title: { type: 'string', ...localized },
            block: { type: 'component', component: 'shared.block', ...localized },
            cover: { type: 'media', ...shared },
            gallery: { type: 'media', multiple: true, ...shared },
            topics: {
              type: 'relation',
              relation: 'manyToMany',
              target: 'api::topic.topic',
              inversedBy: 'pages',
              ...shared,
            },
          },
          { localized: true, draftAndPublish: true },
        ),
        topic: declare(
          'topic',
          {
            name: { type: 'string', ...localized },
            pages: {
              type: 'relation',
              relation: 'manyToMany',
              target: 'api::page.page',
              mappedBy: 'topics',
            },
          },
          { localized: true, draftAndPublish: true },
        ),
        banner: declare(
          'banner',
          { text: { type: 'string', ...localized } },
          { kind: 'singleType', localized: true },
        ),
        note: declare('note', { text: { type: 'string' } }),
        'components/shared/block': {
          info: { displayName: 'Block' },
          attributes: {
            topic: { type: 'relation', relation: 'oneToOne', target: 'api::topic.topic' },
          },
        },
      },
      permitted: ['api::page.page.find', 'api::page.page.findOne', 'api::topic.topic.find'],
    })
  })

  afterEach(() => server.close())

  /** Creates a page in English and French, and returns its path. */
  async function makePage(more: object = {}): Promise<string> {
    const made = await server.post('/api/pages', { title: 'one', ...more })
    const target = `/api/pages/${String(made.body.data.documentId)}`
    expect((await server.put(`${target}?locale=fr`, { title: 'un' })).status).to.equal(200)
    return target
  }

  const titleOf = ({ status, body }: Answer): Json => (status === 200 ? body.data.title : status)
  const titlesOf = ({ body }: Answer): readonly Json[] => body.data.map((one: Json) => one.title)

  describe('management of locales', () => {
    const admin = (method: string, path: string, body?: object): Promise<Answer> =>
      server.send(method, `/admin/locales${path}`, body === undefined ? {} : { body })

    it('hides the content of a removed locale until the locale is added again', async () => {
      const page = await makePage()
      expect((await admin('DELETE', '/fr')).status).to.equal(200)
      expect((await server.get(`${page}?locale=fr`)).status).to.equal(404)
      expect((await server.get(`${page}?locale=fr&fallbackLocale=*`)).body.data.title).to.equal(
        'one',
      )
      for (const query of [
        'locale=*',
        'locale[0]=fr&locale[1]=en',
        'filters[title][$notNull]=true',
      ]) {
        expect(titlesOf(await server.get(`/api/pages?${query}`)), query).to.deep.equal(['one'])
      }
      expect((await server.get('/api/pages?locale=*')).body.meta.pagination.total).to.equal(1)
      const withOthers = await server.get(`${page}?populate=localizations`)
      expect(withOthers.body.data.localizations).to.deep.equal([])
      expect((await server.put(`${page}?locale=fr`, { title: 'x' })).status).to.equal(400)
      expect((await admin('POST', '', { code: 'fr' })).status).to.equal(201)
      expect(titleOf(await server.get(`${page}?locale=fr`))).to.equal('un')
    })

    it('deletes the content of a removed locale on request', async () => {
      const page = await makePage()
      await admin('DELETE', '/fr')
      expect((await server.delete(`${page}?locale=fr`)).status).to.equal(204)
      expect(await server.count('page_versions')).to.equal(2)
    })

    it('uses a new default locale for reads and writes, and leaves the content unchanged', async () => {
      const page = await makePage()
      expect((await admin('PUT', '/fr', { isDefault: true })).status).to.equal(200)
      expect(titleOf(await server.get(page))).to.equal('un')
      expect(titleOf(await server.get(`${page}?locale=en`))).to.equal('one')
      expect((await server.put(page, { title: 'deux' })).body.data.locale).to.equal('fr')
      const made = await server.post('/api/pages', { title: 'trois' })
      expect(made.body.data.locale).to.equal('fr')
      expect((await server.delete(page)).status).to.equal(204)
      expect(titlesOf(await server.get('/api/pages?locale=*'))).to.have.members(['one', 'trois'])
    })

    it('refuses to remove the default locale until another one is the default', async () => {
      const refused = await admin('DELETE', '/en')
      expect(refused.status).to.equal(400)
      expect(refused.body.error).to.include({
        name: 'ApplicationError',
        message: 'The default locale en cannot be removed',
      })
      await admin('PUT', '/de', { isDefault: true })
      expect((await admin('DELETE', '/en')).status).to.equal(200)
      const codes = (await admin('GET', '')).body.data.map((one: Json) => [one.code, one.isDefault])
      expect(codes).to.deep.equal([
        ['fr', false],
        ['de', true],
      ])
    })

    it('knows a locale within a second after another process added it', async () => {
      const database = await openDatabase({
        uri: server.uri,
        name: server.database,
        queryTimeoutMs: 10_000,
      })
      try {
        const elsewhere = await openLocales(database)
        const page = await makePage()
        const early = await server.put(`${page}?locale=it`, { title: 'uno' })
        expect(early.status).to.equal(400) // the server caches its locales now
        await elsewhere.add({ code: 'it' })
        await delay(1_050)
        const answer = await server.put(`${page}?locale=it`, { title: 'uno' })
        expect(answer.status, answer.text).to.equal(200)
      } finally {
        await database.close()
      }
    })
  })

  describe('reads and writes by locale', () => {
    it('creates locales by PUT, distinguishes them in queries and deletes them one by one', async () => {
      const page = await makePage()
      expect(titlesOf(await server.get('/api/pages'))).to.deep.equal(['one'])
      expect(titlesOf(await server.get('/api/pages?locale=fr'))).to.deep.equal(['un'])
      expect(titlesOf(await server.get('/api/pages?locale=*'))).to.have.members(['one', 'un'])
      const filtered = '/api/pages?filters[locale][$in][0]=fr&filters[locale][$in][1]=de'
      expect(titlesOf(await server.get(filtered))).to.deep.equal(['un'])
      expect((await server.delete(`${page}?locale=fr`)).status).to.equal(204)
      expect((await server.get(`${page}?locale=fr`)).status).to.equal(404)
      expect(titleOf(await server.get(page))).to.equal('one')
      expect((await server.delete(`${page}?locale=*`)).status).to.equal(204)
      expect(await server.count('page_versions')).to.equal(0)
    })

    it('takes the locale from the data of a creation, and refuses an unknown one', async () => {
      const made = await server.post('/api/pages', { title: 'un', locale: 'fr' })
      expect(made.body.data.locale).to.equal('fr')
      expect((await server.post('/api/pages', { title: 'x', locale: 'xx' })).status).to.equal(400)
      expect(await server.count('page_versions')).to.equal(2)
    })

    it('supports locales of single types', async () => {
      await server.put('/api/banner', { text: 'hello' })
      await server.put('/api/banner?locale=fr', { text: 'bonjour' })
      const textOf = async (query: string): Promise<Json> =>
        (await server.get(`/api/banner?${query}`)).body.data?.text ?? null
      expect(await textOf('locale=fr')).to.equal('bonjour')
      expect(await textOf('locale=de')).to.equal(null)
      expect(await textOf('locale=de&fallbackLocale=fr')).to.equal('bonjour')
      expect((await server.delete('/api/banner?locale=fr')).status).to.equal(204)
      expect(await textOf('locale=fr')).to.equal(null)
      expect(await textOf('')).to.equal('hello')
    })

    it('lists the other locales as localizations, at the root, in relations and in components', async () => {
      const topic = (await server.post('/api/topics', { name: 'sea' })).body.data
        .documentId as string
      await server.put(`/api/topics/${topic}?locale=fr`, { name: 'mer' })
      await server.put(`/api/topics/${topic}?locale=de&status=draft`, { name: 'Meer' })
      const page = await makePage({ topics: [topic], block: { topic } })
      const query =
        'populate[localizations]=true&populate[topics][populate]=localizations' +
        '&populate[block][populate][topic][populate]=localizations'
      const { data } = (await server.get(`${page}?${query}`)).body
      expect(data.localizations.map((one: Json) => one.title)).to.deep.equal(['un'])
      for (const shown of [data.topics[0], data.block.topic]) {
        expect(shown.name).to.equal('sea')
        expect(shown.localizations.map((one: Json) => one.name)).to.deep.equal(['mer'])
      }
    })

    it('falls back to other locales on request, and returns the chosen one', async () => {
      const topic = (await server.post('/api/topics?locale=de', { name: 'Meer' })).body.data
      const page = await makePage({ topics: [topic.documentId] })
      await server.post('/api/pages?locale=de', { title: 'drei' })
      const query = 'fallbackLocale=fr,en&locale=de&populate=topics'
      const { data, meta } = (await server.get(`/api/pages?${query}`)).body
      expect(data.map((one: Json) => [one.title, one.locale, one.topics.length])).to.deep.equal([
        ['un', 'fr', 1],
        ['drei', 'de', 0],
      ])
      expect(meta.pagination.total).to.equal(2)
      expect((await server.get(`${page}?${query}`)).body.data.topics[0].locale).to.equal('de')
      const lesser = `/api/pages?${query}&filters[title]=one`
      expect((await server.get(lesser)).body.data).to.deep.equal([])
      const drafts = await server.get(`${page}?${query}&status=draft`, { token: null })
      expect(drafts.status).to.equal(403)
    })

    for (const query of [
      'fallbackLocale=xx',
      'fallbackLocale=fr&locale=*',
      'fallbackLocale=fr&locale[0]=fr&locale[1]=en',
      'fallbackLocale[a]=fr',
    ]) {
      it(`refuses ?${query}`, async () => {
        const page = await makePage()
        for (const path of ['/api/pages', page]) {
          const { status, body } = await server.get(`${path}?${query}`)
          expect(status).to.equal(400)
          expect(body.error.message).to.match(/^fallbackLocale: /)
        }
      })
    }

    it('refuses locale and fallbackLocale within populate', async () => {
      for (const name of ['locale', 'fallbackLocale']) {
        const { status, body } = await server.get(`/api/pages?populate[topics][${name}]=fr`)
        expect(status).to.equal(400)
        expect(body.error.message).to.match(new RegExp(`^Invalid key ${name} at topics`))
      }
    })

    it('ignores locales of types without localization', async () => {
      await server.post('/api/notes?locale=fr', { text: 'a' })
      for (const query of ['locale=xx', 'locale=*&fallbackLocale=fr', 'fallbackLocale=*']) {
        expect((await server.get(`/api/notes?${query}`)).body.meta.pagination.total).to.equal(1)
      }
    })
  })

  describe('locales with shared media and relations', () => {
    it('shares media and relations between locales, for every route that writes them', async () => {
      const upload = (fields: object = {}): Promise<Answer> =>
        server.send('POST', '/api/upload', {
          headers: MULTIPART,
          body: multipart({ files: [{ name: 'a.txt', content: 'hello' }], fields: { ...fields } }),
        })
      const cover = (await upload()).body[0].id as number
      const topic = (await server.post('/api/topics', { name: 'sea' })).body.data
        .documentId as string
      await server.put(`/api/topics/${topic}?locale=fr`, { name: 'mer' })
      const page = await makePage({ cover })
      const refId = page.split('/').at(-1)
      const attached = await upload({ ref: 'api::page.page', refId, field: 'gallery' })
      expect(attached.status).to.equal(201)
      await server.put(`/api/topics/${topic}`, { pages: [refId] })
      for (const status of ['draft', 'published']) {
        const query = `locale=fr&status=${status}&populate=*`
        const { data } = (await server.get(`${page}?${query}`)).body
        expect(data.cover.id, status).to.equal(cover)
        expect(data.gallery, status).to.have.length(1)
        expect(
          data.topics.map((one: Json) => one.name),
          status,
        ).to.deep.equal(['mer'])
      }
    })
  })

  describe('drafts', () => {
    it('hides drafts from the public by default, also in populated relations', async () => {
      const topic = (await server.post('/api/topics?status=draft', { name: 'secret' })).body.data
      const page = await makePage({ topics: [topic.documentId] })
      const client = { token: null }
      expect((await server.get(`${page}?status=draft`, client)).status).to.equal(403)
      expect((await server.get('/api/pages?status=draft', client)).status).to.equal(403)
      const roles = await server.get('/admin/roles/public')
      expect(roles.body.data.permissions.join()).not.to.include('readDrafts')
      await server.send('PUT', '/admin/roles/public', {
        body: { permissions: [...roles.body.data.permissions, 'api::page.page.readDrafts'] },
      })
      const query = 'status=draft&populate=topics'
      expect((await server.get(`${page}?${query}`, client)).body.data.topics).to.deep.equal([])
      const filter = 'status=draft&filters[topics][name]=secret'
      expect((await server.get(`/api/pages?${filter}`, client)).body.data).to.deep.equal([])
      expect((await server.get(`${page}?${query}`)).body.data.topics).to.have.length(1)
      for (const status of ['foo', '', 'DRAFT']) {
        expect((await server.get(`${page}?status=${status}`, client)).status).to.equal(400)
      }
    })
  })
})
