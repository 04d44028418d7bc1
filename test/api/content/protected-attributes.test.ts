import { expect } from 'chai'
import { importDocuments } from '../../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../../src/mongo/versions/document-id.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { compile, componentFile, typeFile } from '../../schema/define.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const PROTECTED = { writable: false }
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const LINK = { label: { type: 'string' }, clicks: { type: 'integer', ...PROTECTED } }
const ATTRIBUTES = {
  title: { type: 'string', ...LOCALIZED },
  rank: { type: 'integer', default: 7, ...PROTECTED },
  cover: { type: 'media', ...PROTECTED },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::post.post', ...PROTECTED },
  link: { type: 'component', component: 'shared.link' },
  zone: { type: 'dynamiczone', components: ['shared.link'] },
  codename: { type: 'string', searchable: false },
  number: { type: 'integer', searchable: false },
}

describe('attributes that are not writable', () => {
  let server: TestServer

  before(async () => {
    server = await serve('protected', {
      contentTypes: {
        post: declare('post', ATTRIBUTES, { draftAndPublish: true, localized: true }),
        note: declare('note', ATTRIBUTES, { localized: true }),
        'components/shared/link': { attributes: LINK },
      },
      locales: ['fr'],
    })
  })
  after(() => server.close())

  const expectInvalid = ({ status, body, text }: Answer, key: string, path: string): void => {
    expect(status, text).to.equal(400)
    expect(body.error.details).to.deep.equal({ key, path, source: 'body' })
  }

  for (const type of ['posts', 'notes']) {
    const payloads: readonly [object, string, string][] = [
      [{ rank: 1 }, 'rank', 'rank'],
      [{ rank: null }, 'rank', 'rank'],
      [{ cover: null }, 'cover', 'cover'],
      [{ tags: [] }, 'tags', 'tags'],
      [{ link: { label: 'a', clicks: 1 } }, 'clicks', 'link'],
      [{ zone: [{ __component: 'shared.link', clicks: 1 }] }, 'clicks', 'zone'],
    ]
    for (const [data, key, path] of payloads) {
      it(`refuses ${JSON.stringify(data)} of ${type}`, async () => {
        expectInvalid(await server.post(`/api/${type}`, data), key, path)
        const made = await server.post(`/api/${type}`, { title: 'x' })
        const one = `/api/${type}/${made.body.data.documentId}`
        const drafts = type === 'posts' ? ['?status=draft', '?locale=fr&status=draft'] : []
        for (const query of ['', '?locale=fr', ...drafts]) {
          expectInvalid(await server.put(`${one}${query}`, data), key, path)
        }
      })
    }

    it(`sets defaults in ${type}, and copies values to another locale`, async () => {
      const made = await server.post(`/api/${type}`, { title: 'x', link: { label: 'a' } })
      expect(made.body.data.rank, made.text).to.equal(7)
      const one = `/api/${type}/${made.body.data.documentId}`
      const begun = await server.put(`${one}?locale=fr`, { title: 'y' })
      expect([begun.status, begun.body.data?.rank], begun.text).to.deep.equal([200, 7])
    })
  }

  it('refuses to attach an upload', async () => {
    const { id } = (await server.post('/api/posts', { title: 'x' })).body.data
    const fields = { ref: 'api::post.post', refId: String(id), field: 'cover' }
    const body = multipart({ files: [{ name: 'a.txt', content: 'text' }], fields })
    const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    expectInvalid(answer, 'cover', 'cover')
  })

  it('accepts values from an import, and keeps them on later writes', async () => {
    const schema = compile(
      typeFile('note', ATTRIBUTES, {
        collectionName: 'note_versions',
        pluginOptions: LOCALIZED.pluginOptions,
      }),
      typeFile('post', { title: { type: 'string' } }),
      componentFile('shared.link', LINK),
    )
    const plan = schema.contentTypes.get('api::note.note')
    if (plan === undefined) throw new Error('there is no note')
    const { uri, database: name } = server
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
    const documentId = documentIdFor('note:protected')
    const data = { title: 'x', rank: 3, link: { label: 'a', clicks: 5 } }
    await importDocuments(documentContext(database, schema), plan, [
      { documentId, versions: [{ locale: 'en', status: 'published', data }] },
    ])
    await database.close()
    const one = `/api/notes/${documentId}?populate=link`
    const { body } = await server.get(one)
    expect(body.data).to.include({ rank: 3 })
    const { id } = body.data.link
    expect((await server.put(one, { link: { id, label: 'b' } })).body.data.link).to.deep.equal({
      id,
      label: 'b',
      clicks: 5,
    })
  })
})

describe('attributes that are not searchable', () => {
  let server: TestServer

  before(async () => {
    server = await serve('unsearched', {
      contentTypes: {
        note: declare('note', { ...ATTRIBUTES, tags: { type: 'json' } }),
        'components/shared/link': { attributes: LINK },
      },
    })
    await server.post('/api/notes', { title: 'kestrel', codename: 'falcon', number: 424_242 })
  })
  after(() => server.close())

  for (const [subject, count] of [
    ['kestrel', 1],
    ['falcon', 0],
    ['424242', 0],
  ] as const) {
    it(`finds ${subject} in searchable attributes only`, async () => {
      const answer = await server.get(`/api/notes?_q=${subject}`)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.data).to.have.length(count)
    })
  }

  it('filters by them when the request names them', async () => {
    const answer = await server.get('/api/notes?filters[codename]=falcon&filters[number]=424242')
    expect(answer.body.data).to.have.length(1)
  })
})
