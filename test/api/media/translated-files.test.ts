import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { png } from '../../media/sample-images.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import {
  type Answer,
  declare,
  type Json,
  type Sent,
  serve,
  type TestServer,
} from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', ...LOCALIZED },
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      seo: { type: 'component', component: 'shared.seo' },
      sections: { type: 'dynamiczone', components: ['shared.seo'] },
      writer: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      next: { type: 'relation', relation: 'oneToOne', target: 'api::article.article' },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', { name: { type: 'string' }, avatar: { type: 'media' } }),
  'components/shared/seo': { attributes: { image: { type: 'media' } } },
  'queries/covers': { type: 'article', fields: ['title'], populate: { cover: true } },
  'queries/texts': {
    type: 'article',
    fields: ['title'],
    populate: { cover: { fields: ['caption'] } },
  },
}
const FILE = 'plugin::upload.file'
const OWN = { alternativeText: 'A summit', caption: 'Summer' }
const GERMAN = { alternativeText: 'Ein Gipfel', caption: 'Summer' }
const FRENCH = { alternativeText: 'A summit', caption: 'Été' }
const TRANSLATIONS = { de: { alternativeText: 'Ein Gipfel' }, fr: { caption: 'Été' } }
const SHOWN = 'populate[cover]=true'
const DEEP =
  'populate[cover][fields][0]=alternativeText&populate[cover][fields][1]=caption&populate[gallery]=true' +
  '&populate[seo][populate]=image&populate[sections][on][shared.seo][populate]=image' +
  '&populate[writer][populate]=avatar&populate[next][populate]=cover'

describe('files with texts in several languages', () => {
  let server: TestServer
  let editor: AdminClient
  let file: Json
  let article: string
  let author: string

  before(async () => {
    server = await serve('translated_files', {
      contentTypes: TYPES,
      locales: ['de', 'fr', 'it'],
      environment: { RATE_LIMIT: 'off', CACHE_STALE_MS: '60000', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
      permitted: [
        ...['find', 'findOne', 'sync'].map((verb) => `api::article.article.${verb}`),
        ...['find', 'findOne', 'sync'].map((verb) => `plugin::upload.content-api.${verb}`),
        ...['covers', 'texts'].map((name) => `query::${name}`),
        'api::author.author.find',
      ],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    file = await upload({ ...OWN, translations: TRANSLATIONS })
    const { id } = file
    author = (await server.post('/api/authors', { name: 'Ada', avatar: id })).body.data.documentId
    article = await publish()
  })
  after(() => server.close())

  const upload = async (fileInfo: object): Promise<Json> => {
    const files = [{ name: 'map.png', content: await png(40, 30), type: 'image/png' }]
    const body = multipart({ files, fields: { fileInfo } })
    const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body[0]
  }
  const change = (one: Json, fileInfo: object): Promise<Answer> =>
    server.send('POST', `/api/upload?id=${one.id}`, { body: { fileInfo } })
  const stored = async (one: Json): Promise<Json> =>
    (await server.get(`/api/upload/files/${one.id}`)).body
  /** An article in three languages, whose every attribute shows the file. */
  const publish = async (): Promise<string> => {
    const { id } = file
    const data = {
      title: 'One',
      cover: id,
      gallery: [id, id],
      seo: { image: id },
      writer: author,
      sections: [{ __component: 'shared.seo', image: id }],
    }
    const made = await server.post('/api/articles', data)
    expect(made.status, made.text).to.equal(201)
    const { documentId } = made.body.data
    for (const locale of ['de', 'fr']) {
      const target = `/api/articles/${documentId}?locale=${locale}`
      const answer = await server.put(target, { ...data, title: locale, next: documentId })
      expect(answer.status, answer.text).to.equal(200)
    }
    return documentId
  }
  const read = async (target: string, sent: Sent = { token: null }): Promise<Json> => {
    const answer = await server.get(target, sent)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.text).to.not.include('"translations"')
    return answer.body.data
  }
  const textsOf = ({ alternativeText, caption }: Json): object => ({ alternativeText, caption })

  describe('an entry', () => {
    for (const [locale, texts] of [
      ['en', OWN],
      ['de', GERMAN],
      ['fr', FRENCH],
    ] as const) {
      it(`shows the texts in its locale ${locale} at every depth`, async () => {
        const one = await read(`/api/articles/${article}?locale=${locale}&${DEEP}`)
        const [section] = one.sections
        const shown = [one.cover, ...one.gallery, one.seo.image, section.image, one.writer.avatar]
        if (locale !== 'en') shown.push(one.next.cover)
        expect(shown.map(textsOf)).to.deep.equal(shown.map(() => texts))
        expect(shown.length).to.be.at.least(5)
        const [listed] = await read(`/api/articles?locale=${locale}&${DEEP}`)
        expect(listed).to.deep.equal(one)
      })
    }

    it('shows the texts of each locale in one list, with one read of the files', async () => {
      let reads = 0
      let isWatching = true
      server.onCommand(({ name, command }) => {
        if (isWatching && String(command[name]).startsWith('files')) reads += 1
      })
      const list = await read(`/api/articles?locale=*&sort=locale&${SHOWN}`, {})
      isWatching = false
      expect(list.map(({ locale, cover }: Json) => [locale, textsOf(cover)])).to.deep.equal([
        ['de', GERMAN],
        ['en', OWN],
        ['fr', FRENCH],
      ])
      expect(reads).to.equal(1)
    })

    it('shows them in its localizations', async () => {
      const target = `/api/articles/${article}?locale=de&${SHOWN}&populate[localizations][populate]=cover`
      const { cover, localizations } = await read(target)
      expect(textsOf(cover)).to.deep.equal(GERMAN)
      const others = localizations.map((one: Json) => [one.locale, textsOf(one.cover)])
      expect(others.toSorted()).to.deep.equal([
        ['en', OWN],
        ['fr', FRENCH],
      ])
    })

    it('shows the texts of the locale that a fallback chooses', async () => {
      const [one] = await read(`/api/articles?locale=it&fallbackLocale=de,en&${SHOWN}`)
      expect([one.locale, textsOf(one.cover)]).to.deep.equal(['de', GERMAN])
    })

    it('without locales shows the texts of the request', async () => {
      const avatar = async (query: string): Promise<object> =>
        textsOf((await read(`/api/authors/${author}?populate=avatar${query}`, {})).avatar)
      expect(await avatar('')).to.deep.equal(OWN)
      expect(await avatar('&locale=de')).to.deep.equal(GERMAN)
      expect(await avatar('&locale=it&fallbackLocale=fr')).to.deep.equal(FRENCH)
    })

    it('shows them in drafts, in the older format and in responses to writes', async () => {
      const draft = await read(`/api/articles/${article}?locale=de&status=draft&${SHOWN}`, {})
      expect(textsOf(draft.cover)).to.deep.equal(GERMAN)
      const headers = { 'strapi-response-format': 'v4' }
      const older = await read(`/api/articles/${article}?locale=de&${SHOWN}`, { headers })
      expect(textsOf(older.attributes.cover.data.attributes)).to.deep.equal(GERMAN)
      const target = `/api/articles/${article}?locale=fr&${SHOWN}`
      const written = await server.put(target, { title: 'Le sommet' })
      expect(textsOf(written.body.data.cover)).to.deep.equal(FRENCH)
      expect(written.text).to.not.include('"translations"')
    })

    it('shows them in named queries', async () => {
      const [one] = await read('/api/_q/covers?locale=de')
      expect(textsOf(one.cover)).to.deep.equal(GERMAN)
      const [selected] = await read('/api/_q/texts?locale=fr')
      const { documentId, id } = file
      expect(selected.cover).to.deep.equal({ id, documentId, caption: 'Été' })
    })

    it('shows them to agents', async () => {
      const find = async (locale: string): Promise<string> => {
        const params = {
          name: 'find',
          arguments: { type: 'article', locale, populate: { cover: true } },
        }
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        const answer = await server.send('POST', '/mcp', { body })
        expect(answer.status, answer.text).to.equal(200)
        return answer.body.result.content[0].text
      }
      expect(await find('de'))
        .to.include('"alternativeText":"Ein Gipfel"')
        .and.not.include('translations')
    })

    it('shows them to editors', async () => {
      const answer = await editor.send(
        'GET',
        `/admin/content/api::article.article/${article}?locale=de&status=draft&${SHOWN}`,
      )
      expect(answer.status, answer.text).to.equal(200)
      expect(textsOf(answer.body.data.cover)).to.deep.equal(GERMAN)
    })
  })

  describe('a cached response', () => {
    it('changes with a translation, like with any text of the file', async () => {
      const target = `/api/articles?locale=de&${SHOWN}`
      const before = await server.get(target, { token: null })
      await change(file, { translations: { de: { caption: 'Sommer' } } })
      await server.settled()
      const after = await server.get(target, { token: null })
      expect(textsOf(after.body.data[0].cover)).to.deep.equal({ ...GERMAN, caption: 'Sommer' })
      expect(after.headers['etag']).to.not.equal(before.headers['etag'])
      await change(file, { translations: { de: { caption: null } } })
      await server.settled()
      const again = await server.get(target, { token: null })
      expect(textsOf(again.body.data[0].cover)).to.deep.equal(GERMAN)
    })
  })

  describe('the requests of files', () => {
    it('show the translations with the own texts', async () => {
      expect(file.translations).to.deep.equal(TRANSLATIONS)
      const one = await stored(file)
      expect(one).to.deep.include({ ...OWN, translations: TRANSLATIONS })
      const list = await server.get(`/api/upload/files?filters[id]=${file.id}&locale=de`)
      expect(list.body).to.deep.equal([one])
      const page = await server.get(`/api/upload/files/page?filters[id]=${file.id}`)
      expect(page.body.data).to.deep.equal([one])
      const admin = await editor.send('GET', `/admin/files/${file.id}`)
      expect(admin.body.data).to.deep.include({ ...OWN, translations: TRANSLATIONS })
      const names = await server.get(`/api/upload/files?filters[id]=${file.id}&fields=caption`)
      const { id, documentId } = file
      const selected = { id, documentId, caption: 'Summer', isUrlSigned: false }
      expect(names.body).to.deep.equal([selected])
    })

    it('have no such member for other files, and no such attribute', async () => {
      const plain = await upload({ caption: 'x' })
      expect(plain).to.not.have.property('translations')
      expect(await stored(plain)).to.deep.equal(plain)
      for (const query of ['fields=translations', 'filters[translations][$notNull]=true']) {
        expect((await server.get(`/api/upload/files?${query}`)).status, query).to.equal(400)
      }
      const asked = `/api/articles?populate[cover][fields]=translations`
      expect((await server.get(asked)).status).to.equal(400)
    })

    it('change single texts, and remove them by null or an empty text', async () => {
      const one = await upload({ ...OWN, translations: TRANSLATIONS })
      const steps = [
        [
          { de: { caption: 'Sommer' } },
          { ...TRANSLATIONS, de: { ...TRANSLATIONS.de, caption: 'Sommer' } },
        ],
        [{ de: { alternativeText: '' } }, { ...TRANSLATIONS, de: { caption: 'Sommer' } }],
        [{ fr: null, it: { caption: '' } }, { de: { caption: 'Sommer' } }],
        [{ de: { caption: null } }, undefined],
        [{ it: { caption: 'Estate' } }, { it: { caption: 'Estate' } }],
        [null, undefined],
      ] as const
      for (const [translations, expected] of steps) {
        const answer = await change(one, { translations })
        expect(answer.status, answer.text).to.equal(200)
        expect(answer.body.translations).to.deep.equal(expected)
      }
      expect(textsOf(await stored(one))).to.deep.equal(OWN)
    })

    it('keep concurrent changes of two languages', async () => {
      const one = await upload({})
      const changes = ['de', 'fr', 'it', 'en'].map((code) =>
        change(one, { translations: { [code]: { caption: code } } }),
      )
      const statuses = (await Promise.all(changes)).map(({ status }) => status)
      expect(statuses).to.deep.equal([200, 200, 200, 200])
      expect(Object.keys((await stored(one)).translations).toSorted()).to.deep.equal([
        'de',
        'en',
        'fr',
        'it',
      ])
    })

    it('keep them with new bytes, a change of privacy and a restore from the trash', async () => {
      const one = await upload({ translations: TRANSLATIONS })
      const files = [{ name: 'new.png', content: await png(20, 20), type: 'image/png' }]
      const fileInfo = { translations: { it: { caption: 'Estate' } } }
      const body = multipart({ files, fields: { fileInfo } })
      const target = `/api/upload?id=${one.id}`
      const replaced = await server.send('POST', target, { headers: MULTIPART, body })
      const expected = { ...TRANSLATIONS, it: { caption: 'Estate' } }
      expect(replaced.body.translations).to.deep.equal(expected)
      expect((await change(one, { private: true })).body.translations).to.deep.equal(expected)
      await server.delete(`/api/upload/files/${one.id}`)
      const restored = await editor.send('POST', `/admin/trash/${FILE}/${one.documentId}/restore`, {
        data: {},
      })
      expect(restored.status, JSON.stringify(restored.body)).to.be.below(300)
      expect((await stored(one)).translations).to.deep.equal(expected)
    })

    it('of editors change them, and refuse unknown keys', async () => {
      const one = await upload(OWN)
      const put = (translations: unknown) =>
        editor.send('PUT', `/admin/files/${one.id}`, { translations })
      const answer = await put({ de: { alternativeText: 'Ein Gipfel' } })
      expect(answer.body.data.translations).to.deep.equal({ de: { alternativeText: 'Ein Gipfel' } })
      const refused = await put({ de: { title: 'x' } })
      expect([refused.status, refused.body.error.message]).to.deep.equal([
        400,
        'Invalid key title at fileInfo.translations.de',
      ])
    })

    it('of editors search the texts of all languages', async () => {
      const found = async (search: string): Promise<readonly number[]> => {
        const { body } = await editor.send('GET', `/admin/files?search=${search}`)
        return body.data.map(({ id }: Json) => id)
      }
      const one = await upload({
        caption: 'Harbour',
        translations: { it: { caption: 'Il porto' } },
      })
      expect(await found('harbour')).to.deep.equal([one.id])
      expect(await found('il%20porto')).to.deep.equal([one.id])
      expect(await found('la%20porta')).to.deep.equal([])
    })

    it('refuse unknown locales and texts by their path', async () => {
      const before = await stored(file)
      for (const [translations, message] of [
        [{ es: { caption: 'x' } }, /^fileInfo\.translations names es/],
        [{ de: { caption: 1 } }, /^fileInfo\.translations\.de\.caption must be a text/],
        [{ de: { caption: 'x'.repeat(10_001) } }, /at most 10000 characters$/],
        [['de'], /^fileInfo\.translations must be/],
      ] as const) {
        const answer = await change(file, { translations })
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error.message).to.match(message)
      }
      expect(await stored(file)).to.deep.equal(before)
    })

    it('hide the texts of a removed locale until it is added again', async () => {
      await server.send('DELETE', '/admin/locales/fr')
      expect((await stored(file)).translations).to.deep.equal({ de: TRANSLATIONS.de })
      const { avatar } = await read(`/api/authors/${author}?populate=avatar&locale=fr`, {})
      expect(textsOf(avatar)).to.deep.equal(OWN)
      await change(file, { caption: 'Summer' })
      await server.send('POST', '/admin/locales', { body: { code: 'fr' } })
      expect((await stored(file)).translations).to.deep.equal(TRANSLATIONS)
    })
  })

  describe('clients', () => {
    it('get the translations in the rows of files, and a row per change', async () => {
      const sync = async (query: string): Promise<Json> => {
        await server.settled()
        return (await server.get(`/api/_sync?${query}`, { token: null })).body
      }
      const first = await sync('types=upload.file,article&locale=de')
      const rowOf = ({ items }: Json): Json =>
        items.find((item: Json) => item.documentId === file.documentId)?.data
      expect(rowOf(first)).to.deep.include({ ...OWN, translations: TRANSLATIONS })
      const names = await sync('types=upload.file&fields[upload.file]=name')
      expect(rowOf(names)).to.not.have.property('translations')
      await change(file, { translations: { it: { caption: 'Estate' } } })
      const next = await sync(`token=${first.next}`)
      expect(rowOf(next).translations).to.deep.equal({ ...TRANSLATIONS, it: { caption: 'Estate' } })
      await change(file, { translations: { it: null } })
    })
  })

  describe('webhooks', () => {
    const SOON = 20_000
    let receiver: Receiver
    let client: MongoClient
    before(async () => {
      receiver = await startReceiver()
      client = await MongoClient.connect(server.uri)
    })
    after(async () => {
      await client.close()
      receiver.close()
    })

    it('send entries with the texts in their locale, and files with all', async () => {
      receiver.answer(() => ({ status: 204 }))
      const body = { name: 'site', url: receiver.url, events: ['entry.update', 'media.update'] }
      await server.settled() // a new webhook receives commits without a number
      const hook = await server.send('POST', '/admin/webhooks', { body })
      expect(hook.status, hook.text).to.equal(201)
      await server.put(`/api/articles/${article}?locale=de&status=draft`, { title: 'Neu' })
      await change(file, { name: 'renamed.png' })
      const received = (event: string): Json =>
        receiver.received.find(({ body: one }: Json) => one.event === event)?.body
      await until(
        () => ['entry.update', 'media.update'].every((event) => received(event) !== undefined),
        SOON,
      )
      const { entry } = received('entry.update')
      expect(textsOf(entry.cover)).to.deep.equal(GERMAN)
      expect(entry.cover).to.not.have.property('translations')
      expect(received('media.update').media.translations).to.deep.equal(TRANSLATIONS)
    })
  })
})
