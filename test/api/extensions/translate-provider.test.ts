import { once } from 'node:events'
import { expect } from 'chai'
import type { FailedCall } from '../../../src/extensions/extension-host.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type {
  TranslateProvider,
  TranslateRequest,
} from '../../../src/extensions/translate-provider.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const TYPES = {
  page: declare(
    'page',
    {
      title: { type: 'string', maxLength: 40, ...LOCALIZED },
      body: { type: 'richtext', ...LOCALIZED },
      story: { type: 'blocks', ...LOCALIZED },
      note: { type: 'string', private: true, ...LOCALIZED },
      parts: { type: 'component', component: 'shared.part', repeatable: true, ...LOCALIZED },
    },
    { draftAndPublish: true, localized: true },
  ),
  plain: declare('plain', { title: { type: 'string' } }),
  'components/shared/part': { attributes: { text: { type: 'text' } } },
}
const PAGE = '/admin/content/api::page.page'
const SUGGEST = `${PAGE}/translations/suggest`
const STORY = [
  {
    type: 'paragraph',
    children: [
      { type: 'text', text: 'They ' },
      { type: 'text', text: 'sing & dive', bold: true },
    ],
  },
]

/** Capitals, without a change of tags and entities. */
const capitals = (text: string): string =>
  text.replaceAll(
    /(<[^>]*>|&[a-z]+;)|[^<&]+/g,
    (found, kept?: string) => kept ?? found.toUpperCase(),
  )

describe('a server with the translations of an extension', () => {
  let server: TestServer
  let editor: AdminClient
  let respond: TranslateProvider['translate'] | null = null
  const asked: TranslateRequest[] = []
  const failed: FailedCall[] = []
  const times = { callMs: 60_000 }

  before(async () => {
    const provider: TranslateProvider = {
      name: 'Capitals',
      translate: async (request) => {
        asked.push(request)
        if (respond !== null) return respond(request)
        return request.texts.map(({ text }) => capitals(text))
      },
    }
    const extension = defineExtension({
      name: 'capitals',
      providers: { translate: () => provider },
    })
    server = await serve('translate_provider', {
      contentTypes: TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['de'],
      extensions: [extension],
      host: { translateTimes: times, report: (one) => failed.push(one) },
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())
  beforeEach(() => {
    respond = null
    times.callMs = 60_000
    asked.length = 0
    failed.length = 0
  })

  const add = async (data: object): Promise<string> => {
    const { status, body, text } = await editor.send('POST', PAGE, { data })
    expect(status, text).to.equal(201)
    return body.data.documentId
  }
  const suggest = (documentId: string, more: object = {}): Promise<Answer> =>
    editor.send('POST', SUGGEST, { documentId, from: 'en', to: 'de', ...more })
  const german = async (documentId: string): Promise<Json> =>
    (await editor.send('GET', `${PAGE}/${documentId}?locale=de&populate=*`)).body.data

  it('shows its name to administrators', async () => {
    const { body } = await editor.send('GET', '/admin/session')
    expect(body.data.translator).to.equal('Capitals')
    expect((await server.get('/admin/start')).text).not.to.include('Capitals')
  })

  it('proposes a translation of each text, which the editor imports', async () => {
    const id = await add({
      title: 'Whales',
      body: '# Whales\n\nThey **sing**.',
      story: STORY,
      note: 'internal',
      parts: [{ text: 'first' }],
    })
    const { status, body, text } = await suggest(id)
    expect(status, text).to.equal(200)
    const { units, revisions, title } = body.data
    expect(title).to.equal('Whales')
    expect(asked.flatMap(({ texts }) => texts)).to.deep.equal([
      { format: 'plain', text: 'Whales', path: ['title'], maxLength: 40 },
      { format: 'markdown', text: '# Whales\n\nThey **sing**.', path: ['body'], maxLength: null },
      {
        format: 'tags',
        text: 'They <g id="1">sing &amp; dive</g>',
        path: ['story', '1'],
        maxLength: null,
      },
      { format: 'plain', text: 'first', path: ['parts', '1', 'text'], maxLength: null },
    ])
    expect(asked[0]).to.deep.include({ contentType: 'api::page.page', from: 'en', to: 'de' })
    expect(units.map((unit: Json) => [unit.text, unit.status])).to.deep.equal([
      ['WHALES', 'new'],
      ['# WHALES\n\nTHEY **SING**.', 'new'],
      ['THEY <g id="1">SING &amp; DIVE</g>', 'new'],
      ['FIRST', 'new'],
    ])
    expect(await german(id), 'nothing is stored').to.equal(null)
    const entry = { documentId: id, from: 'en', to: 'de', revisions }
    const chosen = units.map((unit: Json) => ({ id: unit.id, text: unit.text }))
    const stored = await editor.send('POST', `${PAGE}/translations/import`, {
      entries: [{ ...entry, units: chosen }],
    })
    expect(stored.body.data[0].status, stored.text).to.equal(201)
    const translated = await german(id)
    expect(translated).to.deep.include({ title: 'WHALES', note: null, publishedAt: null })
    expect(translated.story[0].children[1]).to.deep.equal({
      type: 'text',
      text: 'SING & DIVE',
      bold: true,
    })
  })

  it('asks for texts that have a translation only on demand', async () => {
    const id = await add({ title: 'Whales', body: 'They sing.' })
    await editor.send('PUT', `${PAGE}/${id}?locale=de`, { data: { title: 'Wale' } })
    const first = await suggest(id)
    expect(first.body.data.units.map((unit: Json) => unit.id)).to.deep.equal(['body'])
    const second = await suggest(id, { existing: true })
    expect(second.body.data.units.map((unit: Json) => [unit.text, unit.status])).to.deep.equal([
      ['WHALES', 'changed'],
      ['THEY SING.', 'new'],
    ])
    expect(second.body.data.units[0].current).to.equal('Wale')
  })

  it('calls the service with at most 50 texts at a time, and keeps their order', async () => {
    const parts = Array.from({ length: 120 }, (_, index) => ({ text: `part ${index}` }))
    const { body } = await suggest(await add({ title: 'Parts', parts }))
    expect(asked.map(({ texts }) => texts.length).sort((a, b) => a - b)).to.deep.equal([21, 50, 50])
    const texts = body.data.units.map((unit: Json) => unit.text)
    expect(texts).to.deep.equal(['PARTS', ...parts.map((_, index) => `PART ${index}`)])
  })

  it('calls no service for an entry without texts to translate', async () => {
    const id = await add({ title: null })
    const { status, body } = await suggest(id)
    expect([status, body.data.units]).to.deep.equal([200, []])
    expect(asked).to.deep.equal([])
  })

  it('marks translations with other tags, and texts without a translation', async () => {
    respond = ({ texts }) =>
      Promise.resolve(
        texts.map(({ format }) => (format === 'tags' ? 'They <g id="7">x</g>' : null)),
      )
    const { body } = await suggest(await add({ title: 'Whales', story: STORY }))
    expect(body.data.units.map((unit: Json) => unit.status)).to.deep.equal(['untranslated', 'tags'])
  })

  it('compares with the entry as it is after the call', async () => {
    const id = await add({ title: 'Whales' })
    respond = async ({ texts }) => {
      await editor.send('PUT', `${PAGE}/${id}`, { data: { title: 'Foxes' } })
      return texts.map(({ text }) => text.toUpperCase())
    }
    const { body } = await suggest(id)
    expect(body.data.units).to.have.length(1)
    expect(body.data.units[0]).to.deep.include({ source: 'Foxes', status: 'source_changed' })
  })

  for (const [name, answer] of [
    ['throws', () => Promise.reject(new Error('key 12345 is used up'))],
    [
      'throws at once',
      () => {
        throw new Error('key 12345 is used up')
      },
    ],
    ['returns another number of texts', () => Promise.resolve([])],
    ['returns a number', () => Promise.resolve([7] as unknown as string[])],
    ['returns no list', () => Promise.resolve({ length: 1 } as unknown as string[])],
    [
      'does not respond',
      ({ signal }: TranslateRequest) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    ],
  ] as const satisfies readonly (readonly [string, TranslateProvider['translate']])[]) {
    it(`is a 503 without details if the service ${name}`, async () => {
      const id = await add({ title: 'Whales' })
      respond = answer
      if (name === 'does not respond') times.callMs = 50
      const { status, headers, text } = await suggest(id)
      expect([status, headers['error-code']]).to.deep.equal([503, 'translation_failed'])
      expect(text).not.to.match(/12345|capitals/i)
      expect(failed).to.have.length(1)
      expect(failed[0]).to.include({ extension: 'capitals', call: 'providers.translate translate' })
    })
  }

  it('stops calling the service when the client disconnects', async () => {
    const parts = Array.from({ length: 400 }, (_, index) => ({ text: `part ${index}` }))
    const documentId = await add({ title: 'Parts', parts })
    const aborted: Promise<void>[] = []
    const leaving = new AbortController()
    respond = ({ signal }) => {
      aborted.push(once(signal, 'abort').then(() => undefined))
      if (aborted.length === 4) leaving.abort()
      return new Promise(() => undefined)
    }
    const sent = await fetch(`http://127.0.0.1:${server.port}${SUGGEST}`, {
      method: 'POST',
      headers: {
        cookie: editor.cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ documentId, from: 'en', to: 'de' }),
      signal: leaving.signal,
    }).catch((error: unknown) => error)
    expect(sent).to.have.property('name', 'AbortError')
    await Promise.all(aborted)
    respond = null
    const next = await suggest(await add({ title: 'Whales' }))
    expect(next.body.data.units).to.have.length(1)
    expect(asked.length, 'calls of both requests').to.equal(5)
    expect(failed).to.deep.equal([])
  })

  it('refuses more than a request translates before it calls the service', async () => {
    const id = await add({ title: 'Long', body: 'x'.repeat(200_001) })
    const { status, body } = await suggest(id)
    expect([status, body.error.details.errors[0].path]).to.deep.equal([400, ['documentId']])
    expect(asked).to.deep.equal([])
  })

  it('refuses wrong input with its path', async () => {
    const id = await add({ title: 'Whales' })
    for (const [more, path] of [
      [{ to: 'fr' }, 'to'],
      [{ to: 'en' }, 'to'],
      [{ from: 'x'.repeat(101) }, 'from'],
      [{ existing: 'yes' }, 'existing'],
      [{ documentId: 7 }, 'documentId'],
      [{ format: 'json' }, 'format'],
    ] as const) {
      const { status, body } = await suggest(id, more)
      expect([status, body.error.details.errors[0].path.join('.')]).to.deep.equal([400, path])
    }
    expect((await suggest('aaaaaaaaaaaaaaaaaaaaaaaa')).body.data.status).to.equal('missing')
    const plain = await editor.send(
      'POST',
      '/admin/content/api::plain.plain/translations/suggest',
      {
        documentId: id,
        from: 'en',
        to: 'de',
      },
    )
    expect(plain.status).to.equal(404)
    expect(asked).to.deep.equal([])
  })

  it('gives the service no text of a translation whose update a rule refuses', async () => {
    const id = await add({ title: 'Whales', body: 'They sing.' })
    const uid = 'api::page.page'
    const permissions = ['find', 'findOne', 'readDrafts', 'create'].map((verb) => ({
      action: `${uid}.${verb}`,
    }))
    const rules = [{ action: `${uid}.update`, where: { title: 'Foxes' } }]
    const role = { type: 'foxes', name: 'Foxes', permissions, rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body: role })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Fox', ['foxes'])
    const fox = await signIn(server, 'fox@example.org')
    const ask = async (): Promise<Json> => {
      const sent = { documentId: id, from: 'en', to: 'de', existing: true }
      return (await fox.send('POST', SUGGEST, sent)).body.data
    }
    expect(await ask(), 'without a translation').to.include({ status: 'not_allowed' })
    await editor.send('PUT', `${PAGE}/${id}?locale=de`, { data: { title: 'Wale' } })
    expect(await ask(), 'with another title').to.include({ status: 'not_allowed' })
    expect(asked).to.deep.equal([])
    await editor.send('PUT', `${PAGE}/${id}?locale=de`, { data: { title: 'Foxes' } })
    const shown = await ask()
    expect(shown.units.map((unit: Json) => unit.id)).to.deep.equal(['title', 'body'])
  })

  it('gives the service no text that the caller may not read or write', async () => {
    const id = await add({ title: 'Whales', body: 'They sing.', parts: [{ text: 'hidden' }] })
    const uid = 'api::page.page'
    const shown = ['title', 'body']
    const rules = [
      { action: `${uid}.findOne`, fields: shown },
      { action: `${uid}.readDrafts`, fields: shown },
      { action: `${uid}.update`, fields: ['body', 'parts'] },
    ]
    const role = { type: 'german', name: 'German', permissions: [], rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body: role })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Translator', ['german'])
    const translator = await signIn(server, 'translator@example.org')
    const { body, text } = await translator.send('POST', SUGGEST, {
      documentId: id,
      from: 'en',
      to: 'de',
    })
    expect(
      asked.flatMap(({ texts }) => texts.map((one) => one.text)),
      text,
    ).to.deep.equal(['They sing.'])
    expect(body.data.units.map((unit: Json) => unit.id)).to.deep.equal(['body'])
  })
})
