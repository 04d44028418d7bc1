import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, studio: { label: 'Headline' }, ...LOCALIZED },
      slug: { type: 'uid', targetField: 'title', ...LOCALIZED },
      code: { type: 'string' },
      kind: { type: 'enumeration', enum: ['news', 'guide'], ...LOCALIZED },
      note: { type: 'string', private: true, ...LOCALIZED },
      body: { type: 'richtext', ...LOCALIZED },
      story: { type: 'blocks', ...LOCALIZED },
      seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
      parts: { type: 'component', component: 'shared.part', repeatable: true, ...LOCALIZED },
      zone: { type: 'dynamiczone', components: ['shared.part', 'shared.quote'], ...LOCALIZED },
    },
    { draftAndPublish: true, localized: true },
  ),
  page: declare('page', { title: { type: 'string', ...LOCALIZED } }, { localized: true }),
  plain: declare('plain', { title: { type: 'string' } }),
  home: declare(
    'home',
    { title: { type: 'string', ...LOCALIZED } },
    { kind: 'singleType', localized: true },
  ),
  'components/shared/seo': { attributes: { metaTitle: { type: 'string', maxLength: 60 } } },
  'components/shared/part': {
    attributes: {
      text: { type: 'text' },
      size: { type: 'integer' },
      seo: { type: 'component', component: 'shared.seo', repeatable: true },
    },
  },
  'components/shared/quote': { attributes: { words: { type: 'string' } } },
}
const ARTICLE = '/admin/content/api::article.article'
const HOME = '/admin/content/api::home.home'
const NONE = 'aaaaaaaaaaaaaaaaaaaaaaaa'

const STORY = [
  { type: 'heading', level: 2, children: [{ type: 'text', text: 'Whales' }] },
  {
    type: 'paragraph',
    children: [
      { type: 'text', text: 'They ' },
      { type: 'text', text: 'sing', bold: true },
      { type: 'text', text: ' & <dive>' },
      { type: 'link', url: 'https://example.org', children: [{ type: 'text', text: 'here' }] },
    ],
  },
]

const events: BeforeWriteEvent[] = []

function beforeWrite(event: BeforeWriteEvent): void {
  events.push(event)
  if (event.data['title'] === 'REFUSED') throw new ValidationError('Not this title')
}

const HOOKS = defineExtension({
  name: 'watch',
  contentTypes: { 'api::article.article': { beforeWrite } },
})

interface Upload {
  readonly type?: string
}

describe('translations of entries', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('translations', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['de', 'fr'],
      extensions: [HOOKS],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const ok = async (method: string, target: string, body?: unknown): Promise<Json> => {
    const answer = await editor.send(method, target, body)
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204])
    return answer.body
  }
  const read = async (documentId: string, locale = 'de'): Promise<Json> =>
    (await ok('GET', `${ARTICLE}/${documentId}?locale=${locale}&populate=*`)).data
  const makeArticle = async (data: object = {}): Promise<string> =>
    (
      await ok('POST', ARTICLE, {
        data: {
          title: 'Whales sing',
          code: 'w',
          kind: 'news',
          note: 'internal',
          body: '# Whales & "dolphins"\n\nThey <b>sing</b>.',
          story: STORY,
          seo: { metaTitle: 'Whales' },
          parts: [
            { text: 'first', size: 1 },
            { text: 'second', size: 2, seo: [{ metaTitle: 'deep' }] },
          ],
          zone: [
            { __component: 'shared.quote', words: 'to be' },
            { __component: 'shared.part', text: 'third', size: 3 },
          ],
          ...data,
        },
      })
    ).data.documentId
  const send = (
    client: AdminClient,
    name: string,
    body: string | Buffer,
    { type = 'application/xliff+xml' }: Upload = {},
    base = ARTICLE,
  ): Promise<Answer> =>
    server.send('POST', `${base}/translations/${name}`, {
      token: null,
      headers: { cookie: client.cookie, 'sec-fetch-site': 'same-origin', 'content-type': type },
      body,
    })
  const exported = async (documentIds: readonly string[], more: object = {}): Promise<string> => {
    const body = { documentIds, from: 'en', to: 'de', ...more }
    const answer = await editor.send('POST', `${ARTICLE}/translations/export`, body)
    expect(answer.status, answer.text).to.equal(200)
    return answer.text
  }
  const preview = async (file: string): Promise<Json[]> => {
    const answer = await send(editor, 'compare', file)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const store = async (
    entries: readonly Json[],
    statuses: readonly string[] = ['new', 'changed'],
  ): Promise<Json[]> => {
    const sent = entries.map(({ documentId, from, to, revisions, units }) => ({
      documentId,
      from,
      to,
      revisions,
      units: units
        .filter(({ status }: Json) => statuses.includes(status))
        .map(({ id, text }: Json) => ({ id, text })),
    }))
    return (await ok('POST', `${ARTICLE}/translations/import`, { entries: sent })).data
  }
  /** Each text in capitals, as a translator would save it. */
  const translateFile = (file: string): string =>
    file.replace(
      /<source>(.*?)<\/source>\s*<target[^>]*?(?:\/>|>.*?<\/target>)/gs,
      (_, source: string) =>
        `<source>${source}</source><target state="translated">${capitals(source)}</target>`,
    )
  const capitals = (text: string): string =>
    text.replace(
      /(<[^>]*>|&\w+;)|([^<&]+)/g,
      (_, tag?: string, words?: string) => tag ?? (words ?? '').toUpperCase(),
    )
  const statusesOf = ([entry]: readonly Json[]): Json =>
    Object.fromEntries(entry.units.map(({ id, status }: Json) => [id.split(/[/=]/)[0], status]))

  it('exports localized texts as XLIFF 1.2 with labels, and nothing else', async () => {
    const documentId = await makeArticle()
    const file = await exported([documentId])
    expect(file).to.match(
      new RegExp(
        `<file original="api::article.article/${documentId}" source-language="en" target-language="de" datatype="plaintext"`,
      ),
    )
    expect(file).to.include('<source>Whales sing</source>')
    expect(file).to.include('<note>Headline</note>')
    expect(file).to.include('maxwidth="60" size-unit="char"')
    expect(file).to.include(
      '<source>They <g id="1">sing</g> &amp; &lt;dive&gt;<g id="2">here</g></source>',
    )
    for (const left of ['internal', '>w<', 'news', 'whales-sing']) expect(file).to.not.include(left)
  })

  it('begins a translation as a draft with the values of the source', async () => {
    const documentId = await makeArticle()
    const entries = await preview(translateFile(await exported([documentId])))
    expect(entries[0]).to.deep.include({ documentId, status: 'ready', title: 'Whales sing' })
    expect(new Set(entries[0].units.map(({ status }: Json) => status))).to.deep.equal(
      new Set(['new']),
    )
    expect(await store(entries)).to.deep.equal([{ documentId, locale: 'de', status: 201 }])
    const german = await read(documentId)
    expect(german).to.deep.include({
      title: 'WHALES SING',
      slug: 'whales-sing',
      kind: 'news',
      code: 'w',
      note: null,
      body: '# WHALES & "DOLPHINS"\n\nTHEY <B>SING</B>.',
      publishedAt: null,
    })
    expect(german.story[1].children).to.deep.equal([
      { type: 'text', text: 'THEY ' },
      { type: 'text', text: 'SING', bold: true },
      { type: 'text', text: ' & <DIVE>' },
      { type: 'link', url: 'https://example.org', children: [{ type: 'text', text: 'HERE' }] },
    ])
    expect(german.seo.metaTitle).to.equal('WHALES')
    expect(german.parts.map(({ text, size }: Json) => [text, size])).to.deep.equal([
      ['FIRST', 1],
      ['SECOND', 2],
    ])
    expect(german.zone.map(({ words, text }: Json) => words ?? text)).to.deep.equal([
      'TO BE',
      'THIRD',
    ])
    expect((await read(documentId, 'en')).title).to.equal('Whales sing')
  })

  it('changes nothing with an unchanged file', async () => {
    const documentId = await makeArticle()
    await store(await preview(translateFile(await exported([documentId]))))
    const before = await read(documentId)
    const [entry] = await preview(await exported([documentId]))
    expect(new Set(entry.units.map(({ status }: Json) => status))).to.deep.equal(new Set(['same']))
    const json = await exported([documentId], { format: 'json' })
    const [other] = (await send(editor, 'compare', json, { type: 'application/json' })).body.data
    expect(other.units).to.deep.equal(entry.units)
    expect(await read(documentId)).to.deep.equal(before)
  })

  it('changes nothing with an unchanged XLIFF file of texts that XML cannot hold', async () => {
    const documentId = await makeArticle({ title: 'a\u0001b', body: '\uFFFEc\u001F' })
    const story = [{ type: 'paragraph', children: [{ type: 'text', text: 'd\uFFFF\u0002' }] }]
    await ok('PUT', `${ARTICLE}/${documentId}?locale=en`, { data: { story } })
    await ok('PUT', `${ARTICLE}/${documentId}?locale=de`, {
      data: { title: 'A\u0001B', body: '\uFFFEC\u001F', story },
    })
    const file = await exported([documentId])
    expect(file).to.include('<source>ab</source>').and.include('<source>d</source>')
    const entries = await preview(file)
    expect(statusesOf(entries)).to.deep.include({ title: 'same', body: 'same', story: 'same' })
    const translated = file.replace('>AB<', '>neu<')
    expect(statusesOf(await preview(translated))).to.deep.include({
      title: 'changed',
      body: 'same',
    })
  })

  describe('of paragraphs', () => {
    const words = (text: string, more: object = {}): Json => ({ type: 'text', text, ...more })
    const link = (text: string, url: string): Json => ({
      type: 'link',
      url,
      children: [words(text)],
    })
    const paragraphs = (...texts: readonly (string | readonly Json[])[]): Json[] =>
      texts.map((text) => ({
        type: 'paragraph',
        children: typeof text === 'string' ? [words(text)] : text,
      }))
    const makePair = async (english: readonly Json[], german: readonly Json[]): Promise<string> => {
      const documentId = await makeArticle({ story: english })
      await put(documentId, 'de', german)
      return documentId
    }
    const put = (documentId: string, locale: string, story: readonly Json[]): Promise<Json> =>
      ok('PUT', `${ARTICLE}/${documentId}?locale=${locale}`, { data: { story } })
    const storyStatuses = (entries: readonly Json[]): readonly string[] =>
      entries[0].units
        .filter(({ id }: Json) => id.startsWith('story'))
        .map(({ status }: Json) => status)

    it('keeps the links of a translation, also after the source links to another page', async () => {
      const english = (url: string): readonly Json[] =>
        paragraphs([words('see '), link('site', url)])
      const documentId = await makePair(
        english('https://en.org'),
        paragraphs([words('siehe '), link('site', 'https://de.org')]),
      )
      const file = await exported([documentId])
      expect(file).to.include('<target state="translated">siehe <g id="1">site</g></target>')
      expect(storyStatuses(await preview(file))).to.deep.equal(['same'])
      await put(documentId, 'en', english('https://other.org'))
      expect(storyStatuses(await preview(file))).to.deep.equal(['same'])
      const entries = await preview(
        file.replace('siehe <g id="1">site</g>', '<g id="1">Seite</g>!'),
      )
      expect(storyStatuses(entries)).to.deep.equal(['changed'])
      await store(entries)
      expect((await read(documentId)).story).to.deep.equal(
        paragraphs([link('Seite', 'https://de.org'), words('!')]),
      )
    })

    it('keeps the pairs of the export after moves, and selects no other paragraph', async () => {
      const documentId = await makePair(paragraphs('one', 'two'), paragraphs('eins', 'zwei'))
      const json = await exported([documentId], { format: 'json' })
      const file = JSON.parse(json)
      file.entries[0].units = file.entries[0].units
        .filter(({ source }: Json) => source === 'two')
        .map((unit: Json) => ({ ...unit, target: 'zwo!' }))
      const compared = async (): Promise<Json[]> =>
        (await send(editor, 'compare', JSON.stringify(file), { type: 'application/json' })).body
          .data
      await put(documentId, 'en', paragraphs('two', 'one'))
      const entries = await compared()
      expect(storyStatuses(entries)).to.deep.equal(['changed'])
      await store(entries)
      expect((await read(documentId)).story).to.deep.equal(paragraphs('eins', 'zwo!'))
      await put(documentId, 'de', paragraphs('drei', 'vier'))
      expect(storyStatuses(await compared())).to.deep.equal(['target_changed'])
    })

    it('selects no text that would remove a format of the translation', async () => {
      const german = paragraphs([words('siehe '), link('a', '/a'), link('b', '/b')])
      const documentId = await makePair(paragraphs([words('see '), link('a', '/en')]), german)
      const file = translateFile(await exported([documentId]))
      const entries = await preview(file)
      expect(storyStatuses(entries)).to.deep.equal(['target_changed'])
      await store(entries)
      expect((await read(documentId)).story).to.deep.equal(german)
      await store(await preview(file), ['target_changed'])
      expect((await read(documentId)).story).to.deep.equal(
        paragraphs([words('SEE '), link('A', '/a')]),
      )
    })
  })

  it('puts texts into the components that the file names, after moves in both languages', async () => {
    const documentId = await makeArticle()
    await store(await preview(translateFile(await exported([documentId]))))
    const german = await read(documentId)
    const file = await exported([documentId])
    const english = await read(documentId, 'en')
    const [first, second] = english.parts
    await ok('PUT', `${ARTICLE}/${documentId}?locale=en`, {
      data: { parts: [{ id: second.id }, { text: 'between' }, { id: first.id }] },
    })
    await ok('PUT', `${ARTICLE}/${documentId}?locale=de`, {
      data: {
        parts: [{ text: 'neu' }, { id: german.parts[1].id, size: 7 }, { id: german.parts[0].id }],
      },
    })
    const again = file.replaceAll('FIRST', 'Erster').replaceAll('SECOND', 'Zweiter')
    await store(await preview(again))
    expect(
      (await read(documentId)).parts.map(({ text, size }: Json) => [text, size]),
    ).to.deep.equal([
      ['neu', null],
      ['Zweiter', 7],
      ['Erster', 1],
    ])
  })

  it('marks texts that changed or were removed since the export', async () => {
    const documentId = await makeArticle()
    await store(await preview(translateFile(await exported([documentId]))))
    const file = (await exported([documentId]))
      .replaceAll('WHALES', 'WALE')
      .replaceAll('FIRST', 'ERSTER')
    const german = await read(documentId)
    const english = await read(documentId, 'en')
    await ok('PUT', `${ARTICLE}/${documentId}?locale=en`, {
      data: { title: 'Whales hum', parts: [{ id: english.parts[0].id }] },
    })
    await ok('PUT', `${ARTICLE}/${documentId}?locale=de`, {
      data: { parts: [{ id: german.parts[1].id }] },
    })
    const entries = await preview(file)
    expect(statusesOf(entries)).to.deep.include({ title: 'source_changed', seo: 'changed' })
    const parts = entries[0].units.filter(({ id }: Json) => id.startsWith('parts'))
    expect(parts.map(({ status }: Json) => status)).to.deep.equal([
      'target_removed',
      'source_removed',
      'source_removed',
    ])
    await store(entries)
    const after = await read(documentId)
    expect([after.title, after.seo.metaTitle]).to.deep.equal(['WHALES SING', 'WALE'])
    expect(after.parts.map(({ text }: Json) => text)).to.deep.equal(['SECOND'])
  })

  it('marks lists that differ, and replaces them only on demand', async () => {
    const documentId = await makeArticle()
    const file = translateFile(await exported([documentId]))
    await ok('PUT', `${ARTICLE}/${documentId}?locale=de`, {
      data: { title: 'Wale', parts: [{ text: 'eigen', size: 9 }] },
    })
    const entries = await preview(file)
    expect(statusesOf(entries)).to.deep.include({ title: 'changed', parts: 'target_changed' })
    await store(entries)
    expect((await read(documentId)).parts.map(({ text }: Json) => text)).to.deep.equal(['eigen'])
    await store(await preview(file), ['target_changed'])
    expect(
      (await read(documentId)).parts.map(({ text, size }: Json) => [text, size]),
    ).to.deep.equal([
      ['FIRST', 1],
      ['SECOND', 2],
    ])
  })

  it('keeps changes since the preview, and imports the other entries', async () => {
    const documentIds = [await makeArticle(), await makeArticle(), await makeArticle()]
    const [first = '', second = '', third = ''] = documentIds
    const entries = await preview(translateFile(await exported(documentIds)))
    await ok('PUT', `${ARTICLE}/${first}?locale=de`, { data: { title: 'Zwischendurch' } })
    await ok('PUT', `${ARTICLE}/${second}?locale=en`, { data: { title: 'Changed' } })
    const results = await store(entries)
    expect(results.map(({ status }) => status)).to.deep.equal([412, 412, 201])
    expect((await read(first)).title).to.equal('Zwischendurch')
    expect((await editor.send('GET', `${ARTICLE}/${second}?locale=de`)).status).to.equal(404)
    expect((await read(third)).title).to.equal('WHALES SING')
  })

  it('never publishes', async () => {
    const documentId = await makeArticle()
    await ok('PUT', `${ARTICLE}/${documentId}?locale=de`, { data: { title: 'Wale' } })
    await ok('POST', `${ARTICLE}/${documentId}/actions/publish?locale=de`)
    await store(await preview(translateFile(await exported([documentId]))))
    const published = `${ARTICLE}/${documentId}?locale=de&status=published`
    expect((await ok('GET', published)).data.title).to.equal('Wale')
    expect((await read(documentId)).title).to.equal('WHALES SING')
  })

  it('runs the hooks of extensions, as for an update', async () => {
    const documentIds = [await makeArticle(), await makeArticle({ title: 'Refused' })]
    const [fine, refused] = documentIds
    const entries = await preview(translateFile(await exported(documentIds)))
    events.length = 0
    const results = await store(entries)
    expect(results.map(({ status }) => status)).to.deep.equal([201, 400])
    expect(results[1]?.error.message).to.equal('Not this title')
    const called = events.map(({ operation, locale, documentId }) => [
      operation,
      locale,
      documentId,
    ])
    expect(called).to.deep.equal([
      ['create', 'de', fine],
      ['create', 'de', refused],
    ])
  })

  it('names the caller in the history', async () => {
    const documentId = await makeArticle()
    await store(await preview(translateFile(await exported([documentId]))))
    const path = `/admin/history/api::article.article/${documentId}?locale=de`
    const { data } = await ok('GET', path)
    expect(data.map(({ by }: Json) => by.name)).to.deep.equal(['Editor'])
  })

  it('translates single types', async () => {
    const { documentId } = (await ok('POST', HOME, { data: { title: 'Welcome' } })).data
    const answer = await editor.send('POST', `${HOME}/translations/export`, {
      documentIds: [documentId],
      from: 'en',
      to: 'de',
    })
    const file = translateFile(answer.text)
    const { data } = (await send(editor, 'compare', file, {}, HOME)).body
    const [{ from, to, revisions, units }] = data
    const texts = units.map(({ id, text }: Json) => ({ id, text }))
    const entry = { documentId, from, to, revisions, units: texts }
    const result = await ok('POST', `${HOME}/translations/import`, { entries: [entry] })
    expect(result.data[0].status).to.equal(201)
    const german = await ok('GET', `${HOME}/${documentId}?locale=de`)
    expect(german.data.title).to.equal('WELCOME')
  })

  it('refuses tags that the source lacks, and keeps all other texts', async () => {
    const documentId = await makeArticle()
    const file = translateFile(await exported([documentId]))
      .replace('<target state="translated">THEY <g id="1">', '<target>THEY <g id="9">')
      .replace('<target state="translated">WHALES SING', '<target><g id="1">WHALES</g> SING')
    const [entry] = await preview(file)
    const refused = entry.units.filter(({ status }: Json) => status === 'tags')
    expect(refused.map(({ path }: Json) => path[0])).to.deep.equal(['title', 'story'])
    expect(await store([entry])).to.have.nested.property('[0].status', 201)
  })

  describe('of callers with fewer rights', () => {
    const grant = async (name: string, permissions: readonly object[]): Promise<AdminClient> => {
      await addRole(server, name, permissions)
      await addAdministrator(server, name, [name])
      return signIn(server, `${name}@example.org`)
    }
    const verbs = (names: readonly string[], more: object = {}): readonly object[] =>
      names.map((verb) => ({ action: `api::article.article.${verb}`, ...more }))
    const READS = ['find', 'findOne', 'readDrafts']

    it('responds with 404 for locales that the caller may not read', async () => {
      const documentId = await makeArticle()
      const client = await grant('german', verbs([...READS, 'update'], { locales: ['de'] }))
      const body = { documentIds: [documentId], from: 'en', to: 'de' }
      const path = `${ARTICLE}/translations/export`
      expect((await client.send('POST', path, body)).status).to.equal(404)
      const file = translateFile(await exported([documentId]))
      const [entry] = (await send(client, 'compare', file)).body.data
      expect(entry).to.deep.include({ status: 'missing', units: [], title: '' })
    })

    it('imports no locale that the caller may not write', async () => {
      const documentId = await makeArticle()
      const client = await grant('french', [
        ...verbs(READS),
        ...verbs(['update'], { locales: ['fr'] }),
      ])
      const entries = await preview(translateFile(await exported([documentId])))
      const file = translateFile(await exported([documentId]))
      const [entry] = (await send(client, 'compare', file)).body.data
      expect(entry).to.deep.include({ status: 'not_allowed', units: [] })
      const [{ from, to, revisions, units }] = entries
      const sent = { documentId, from, to, revisions, units: [{ id: units[0].id, text: 'x' }] }
      const answer = await client.send('POST', `${ARTICLE}/translations/import`, {
        entries: [sent],
      })
      expect(answer.body.data[0]).to.deep.include({ status: 403 })
      expect((await editor.send('GET', `${ARTICLE}/${documentId}?locale=de`)).status).to.equal(404)
    })

    const ruled = async (name: string, rules: readonly object[]): Promise<AdminClient> => {
      const role = { type: name, name, permissions: [], rules }
      const made = await server.send('POST', '/admin/administrator-roles', { body: role })
      expect(made.status, made.text).to.equal(201)
      await addAdministrator(server, name, [name])
      return signIn(server, `${name}@example.org`)
    }
    const importTitle = async (client: AdminClient, documentId: string): Promise<Json> => {
      const file = translateFile(await exported([documentId]))
      const [entry] = (await send(client, 'compare', file)).body.data
      expect(statusesOf([entry])).to.deep.include({ title: 'new', body: 'not_allowed' })
      const { from, to, revisions, units } = entry
      const texts = units.filter(({ path }: Json) => path?.[0] === 'title')
      const sent = texts.map(({ id, text }: Json) => ({ id, text }))
      const body = { entries: [{ documentId, from, to, revisions, units: sent }] }
      return (await client.send('POST', `${ARTICLE}/translations/import`, body)).body.data[0]
    }

    it('begins a translation without the values that a rule of updates refuses', async () => {
      const documentId = await makeArticle()
      const client = await ruled('titler', [
        ...verbs(READS),
        ...verbs(['update'], { fields: ['title'] }),
        ...verbs(['create'], { fields: ['title', 'slug', 'body', 'kind'] }),
      ])
      expect(await importTitle(client, documentId)).to.deep.include({ status: 201 })
      const german = await read(documentId)
      expect(german).to.deep.include({ title: 'WHALES SING', slug: null, kind: null, body: null })
    })

    it('begins a translation with the values of the rule that permits the write', async () => {
      const documentId = await makeArticle()
      const client = await ruled('several', [
        ...verbs(READS),
        ...verbs(['update'], { fields: ['kind'] }),
        ...verbs(['update'], { fields: ['title', 'kind'], where: { code: 'other' } }),
        ...verbs(['update'], { fields: ['title', 'slug'] }),
      ])
      expect(await importTitle(client, documentId)).to.deep.include({ status: 201 })
      const german = await read(documentId)
      expect(german).to.deep.include({ title: 'WHALES SING', kind: null })
      expect(german.slug).to.match(/^whales-sing/)
    })

    it('hides and keeps attributes that a rule leaves out', async () => {
      const documentId = await makeArticle()
      const rules = [
        ...verbs(READS, { fields: ['title', 'body'] }),
        ...verbs(['update'], { fields: ['title'] }),
      ]
      const role = { type: 'fielded', name: 'Fielded', permissions: [], rules }
      const made = await server.send('POST', '/admin/administrator-roles', { body: role })
      expect(made.status, made.text).to.equal(201)
      await addAdministrator(server, 'Fielded', ['fielded'])
      const client = await signIn(server, 'fielded@example.org')
      const body = { documentIds: [documentId], from: 'en', to: 'de' }
      const own = await client.send('POST', `${ARTICLE}/translations/export`, body)
      expect(own.status, own.text).to.equal(200)
      expect(own.text).to.include('Whales sing').and.not.include('second')
      const file = translateFile(await exported([documentId]))
      const [entry] = (await send(client, 'compare', file)).body.data
      expect(statusesOf([entry])).to.deep.include({
        title: 'new',
        body: 'not_allowed',
        parts: 'source_removed',
      })
    })
  })

  const refusedFiles = [
    ['an empty body', '', 400],
    ['another XML file', '<a/>', 400],
    ['a DOCTYPE', '<!DOCTYPE xliff [<!ENTITY a "b">]><xliff version="1.2"/>', 400],
    ['an unclosed file', '<xliff version="1.2"><file', 400],
    [
      'an unknown entity',
      `<xliff version="1.2"><file original="api::article.article/${NONE}" source-language="en" target-language="de"><body><trans-unit id="a"><source>&x;</source></trans-unit></body></file></xliff>`,
      400,
    ],
    [
      'another content-type',
      `<xliff version="1.2"><file original="api::page.page/${NONE}" source-language="en" target-language="de"><body/></file></xliff>`,
      400,
    ],
    [
      'an unknown locale',
      `<xliff version="1.2"><file original="api::article.article/${NONE}" source-language="en" target-language="xx"><body/></file></xliff>`,
      400,
    ],
    ['JSON of another format', '{ "entries": [] }', 400],
    ['text that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['more than 5 MiB', `<xliff>${' '.repeat(5 * 1_048_576)}`, 413],
  ] as const
  for (const [name, file, status] of refusedFiles) {
    it(`responds with ${status} for ${name}`, async () => {
      expect((await send(editor, 'compare', file)).status).to.equal(status)
    })
  }

  it('responds with 404 for types without locales', async () => {
    const body = { documentIds: [NONE], from: 'en', to: 'de' }
    const path = '/admin/content/api::plain.plain/translations/export'
    expect((await editor.send('POST', path, body)).status).to.equal(404)
  })
})
