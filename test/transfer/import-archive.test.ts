import { ValidationError } from '../../src/base/errors.ts'
import { defineExtension } from '../../src/extensions/extension.ts'
import {
  type ExtensionRegistry,
  registerExtensions,
} from '../../src/extensions/extension-registry.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash as bcrypt } from 'bcryptjs'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../src/server/services/open-services.ts'
import { type ArchiveReport, importArchive } from '../../src/transfer/import-archive.ts'
import { until } from '../support/until.ts'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../support/server.ts'
import { type ArchiveContent, makeArchive, type Packing } from './make-archive.ts'

const AT = '2026-01-02T03:04:05.006Z'
const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, pluginOptions: { i18n: { localized: true } } },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        inversedBy: 'articles',
        pluginOptions: { i18n: { localized: true } },
      },
      cover: { type: 'media', pluginOptions: { i18n: { localized: true } } },
      secret: { type: 'password', maxLength: 20, pluginOptions: { i18n: { localized: true } } },
      links: {
        type: 'component',
        component: 'shared.link',
        repeatable: true,
        pluginOptions: { i18n: { localized: true } },
      },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    articles: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::article.article',
      mappedBy: 'tags',
    },
  }),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
  'components/shared/link': {
    attributes: {
      label: { type: 'string' },
      to: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
    },
  },
}

const row = (type: string, id: number, documentId: string, data: object, published = true) => ({
  type,
  id,
  data: {
    documentId,
    createdAt: AT,
    updatedAt: AT,
    publishedAt: published ? AT : null,
    locale: null,
    ...data,
  },
})
const article = (id: number, name: string, locale: string, published: boolean, data: object = {}) =>
  row(
    'api::article.article',
    id,
    named(name),
    { title: `${name} ${locale}`, locale, ...data },
    published,
  )
const named = (name: string): string => name.padEnd(24, '0')
const end = (type: string, ref: number, field?: string, pos?: number) => ({
  type,
  ref,
  ...(field && { field }),
  ...(pos !== undefined && { pos }),
})
const tagged = (ref: number, pos: number, tag: number, inverse: number) => ({
  kind: 'relation.basic',
  relation: 'manyToMany',
  left: end('api::article.article', ref, 'tags', pos),
  right: end('api::tag.tag', tag, 'articles', inverse),
})

/** Two articles, one of them in two locales and changed since publication, and tags in a custom order. */
async function content(): Promise<ArchiveContent> {
  const hash = await bcrypt('old password', 4)
  return {
    entities: [
      row('plugin::upload.file', 5, named('file'), {
        name: 'a.txt',
        hash: 'a_1234567890',
        ext: '.txt',
        mime: 'text/plain',
        size: 0.01,
        url: '/uploads/a_1234567890.txt',
      }),
      row('plugin::i18n.locale', 1, named('en'), { code: 'en', name: 'English (en)' }),
      row('plugin::i18n.locale', 2, named('fr'), { code: 'fr', name: 'French (fr)' }),
      row('plugin::users-permissions.permission', 1, named('p1'), {
        action: 'api::article.article.find',
      }),
      row('plugin::users-permissions.permission', 2, named('p2'), {
        action: 'api::gone.gone.find',
      }),
      row('plugin::users-permissions.role', 7, named('role'), {
        name: 'Editor',
        type: 'editor',
        description: '',
      }),
      row('plugin::users-permissions.user', 3, named('user'), {
        username: 'Marie',
        email: 'Marie@Example.org',
        provider: 'local',
        password: hash,
        confirmed: true,
        blocked: false,
      }),
      article(12, 'one', 'en', true, { secret: hash, links: [{ id: 4, label: 'to a tag' }] }),
      article(3, 'two', 'en', true),
      article(2, 'two', 'en', false),
      article(11, 'one', 'en', false, { title: 'one, changed' }),
      article(13, 'one', 'fr', false),
      row('api::tag.tag', 1, named('red'), { name: 'red' }),
      row('api::tag.tag', 2, named('blue'), { name: 'blue' }),
      row('api::homepage.homepage', 1, named('home'), { title: 'Home' }),
      row('api::gone.gone', 1, named('gone'), { title: 'Gone' }),
    ],
    links: [
      {
        kind: 'relation.basic',
        relation: 'manyToOne',
        left: end('plugin::users-permissions.user', 3, 'role'),
        right: end('plugin::users-permissions.role', 7, 'users', 1),
      },
      ...[1, 2].map((id) => ({
        kind: 'relation.basic',
        relation: 'manyToOne',
        left: end('plugin::users-permissions.permission', id, 'role'),
        right: end('plugin::users-permissions.role', 7, 'permissions', 1),
      })),
      tagged(12, 2, 1, 1),
      tagged(12, 1, 2, 2),
      tagged(3, 1, 1, 0),
      tagged(11, 1, 1, 5),
      {
        kind: 'relation.morph',
        relation: 'morphToMany',
        left: end('plugin::upload.file', 5, 'related'),
        right: { ref: 12, pos: 1, type: 'api::article.article', field: 'cover' },
      },
      {
        kind: 'relation.basic',
        relation: 'oneToOne',
        left: end('shared.link', 4, 'to'),
        right: end('api::tag.tag', 2),
      },
      {
        kind: 'relation.circular',
        relation: 'oneToMany',
        left: end('api::article.article', 13, 'localizations'),
        right: { type: 'api::article.article', ref: named('one') },
      },
    ],
    configuration: [
      { type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: 'en' } },
    ],
    assets: { 'a_1234567890.txt': Buffer.from('bytes of a') },
  }
}

describe('importArchive', () => {
  let server: TestServer
  let services: Services
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-archive-'))
    server = await serve('archive', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', QUIRE_DATA_DIR: folder },
      permitted: ['plugin::users-permissions.auth.callback'],
    })
    services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
  })
  afterEach(async () => {
    await services.close()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const bring = async (
    given: ArchiveContent,
    options: Partial<Parameters<typeof importArchive>[0]> & {
      readonly packing?: Packing
      readonly key?: string
      readonly extensions?: ExtensionRegistry
    } = {},
  ): Promise<ArchiveReport> => {
    const path = join(folder, 'export.tar.gz')
    await makeArchive(path, given, options.packing)
    const { schema, database, access, locales, storage, folders } = services
    return importArchive({
      file: { path, key: options.key ?? null },
      schema,
      locales: () => locales.current(),
      destination: {
        documents: documentContext(database, schema, {
          ...(options.extensions !== undefined && { extensions: options.extensions }),
        }),
        access,
        locales,
        storage,
        folders,
        spoolFolder: join(folder, 'spool'),
      },
      intoExisting: false,
      ...options,
    })
  }

  it('runs hooks only with runHooks, and leaves out the versions that they refuse', async () => {
    const calls: unknown[] = []
    const extension = defineExtension({
      name: 'hooked',
      contentTypes: {
        'api::article.article': {
          beforeWrite: ({ operation, data }) => {
            calls.push(operation)
            if (data['title'] === 'two en') throw new ValidationError('The hook refuses this')
            return { ...data, title: `${String(data['title'])} hooked` }
          },
        },
      },
    })
    const extensions = registerExtensions([extension], services.definitions)
    const titles = async (): Promise<readonly string[]> => {
      const { body } = await server.get('/api/articles?sort=title')
      return body.data.map(({ title }: { title: string }) => title)
    }
    const report = await bring(await content(), { extensions, runHooks: true })
    expect([...new Set(calls)]).to.deep.equal(['create'])
    expect(report.notTaken.join()).to.include(`${named('two')}: The hook refuses this`)
    expect(await titles())
      .to.include('one en hooked')
      .and.not.include('two en')
    calls.length = 0
    await bring(await content(), { extensions, intoExisting: true })
    expect(calls).to.deep.equal([])
    expect(await titles()).to.include('two en')
  })

  it('imports documents with their ids, times, orders, files and components', async () => {
    const report = await bring(await content())
    expect(report.types['api::article.article']).to.deep.equal({ versions: 5, added: 2 })
    const populate =
      'populate[tags][fields]=name&populate[cover][fields]=name&populate[links][populate]=to'
    const { body } = await server.get(`/api/articles?${populate}`)
    expect(
      body.data.map(({ id, title }: { id: number; title: string }) => [id, title]),
    ).to.deep.equal([
      [3, 'two en'],
      [12, 'one en'],
    ])
    const [, one] = body.data
    expect(one).to.include({
      documentId: named('one'),
      createdAt: AT,
      updatedAt: AT,
      publishedAt: AT,
    })
    expect(one.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['blue', 'red'])
    expect(one.cover.name).to.equal('a.txt')
    expect(one.links[0]).to.deep.include({ label: 'to a tag' })
    expect(one.links[0].to.name).to.equal('blue')
    const red = await server.get(`/api/tags/${named('red')}?populate[articles][fields]=title`)
    expect(red.body.data.articles.map(({ title }: { title: string }) => title)).to.deep.equal([
      'two en',
      'one en',
    ])
    const drafts = await server.get('/api/articles?status=draft&locale=*&sort=id&fields=title')
    expect(drafts.body.data.map(({ title }: { title: string }) => title)).to.deep.equal([
      'two en',
      'one, changed',
      'one fr',
    ])
    expect((await server.get('/api/homepage')).body.data.title).to.equal('Home')
    expect((await server.get('/uploads/a_1234567890.txt')).text).to.equal('bytes of a')
    const next = await server.post('/api/articles', { title: 'new' })
    expect(next.body.data.id).to.be.above(13)
  })

  it('imports valid texts of files in other languages, and reports others', async () => {
    const translated = { fr: { caption: 'été', alternativeText: '' } }
    for (const [translations, expected, sentence] of [
      [{ xx: { caption: 'x' } }, undefined, 'fileInfo.translations names xx'],
      [translated, { fr: { caption: 'été' } }, ''],
    ] as const) {
      const whole = await content()
      const entities = (whole.entities ?? []).map((one) => {
        const { type, data } = one as { readonly type: string; readonly data: object }
        return type === 'plugin::upload.file' ? { ...one, data: { ...data, translations } } : one
      })
      const report = await bring({ ...whole, entities })
      expect(report.notTaken.join()).to.include(sentence)
      // The server learns of the imported locales within a second.
      await until(async () => (await server.get('/api/i18n/locales')).body.length > 1, 20_000)
      const { body } = await server.get('/api/upload/files')
      expect(body[0].translations).to.deep.equal(expected)
      if (expected === undefined) await server.delete(`/api/upload/files/${body[0].id}`)
    }
  })

  it('imports roles, and end users with their passwords', async () => {
    const report = await bring(await content())
    expect(report.users).to.equal(1)
    expect(report.notTaken).to.deep.equal([
      'role editor: api::gone.gone.find: no such action here',
      'api::gone.gone: 1 rows; no such content-type is declared here',
    ])
    const body = { identifier: 'marie@example.org', password: 'old password' }
    for (const _ of ['by bcrypt', 'by the hash that replaced it']) {
      const answer = await server.send('POST', '/api/auth/local', { body, token: null })
      expect(answer.status, answer.text).to.equal(200)
    }
    const wrong = { ...body, password: 'other password' }
    expect(
      (await server.send('POST', '/api/auth/local', { body: wrong, token: null })).status,
    ).to.equal(400)
    const role = await server.send('GET', '/admin/roles/editor', { token: ROOT_TOKEN })
    expect(role.body.data.permissions).to.deep.equal(['api::article.article.find'])
    await services.accounts.close()
    const client = await MongoClient.connect(server.uri)
    const user = await client
      .db(server.database)
      .collection('up_users')
      .findOne({ username: 'Marie' })
    const stored = await client
      .db(server.database)
      .collection('article_versions')
      .findOne({ id: 12 })
    await client.close()
    expect(stored?.['secret']).to.match(/^\$2/)
    expect(user?.['updatedAt']).to.deep.equal(new Date(AT))
  })

  it('changes no data on a second run and resumes after a kill', async () => {
    const given = await content()
    const killed = new Error('killed')
    for (const after of [1, 4, 7, 9, 12]) {
      const onProgress = (done: number): void => {
        if (done >= after) throw killed
      }
      await bring(given, { onProgress }).then(
        () => expect.fail('went on'),
        (error: unknown) => expect(error).to.equal(killed),
      )
    }
    const report = await bring(given)
    const all = async () =>
      (await server.get('/api/articles?status=draft&locale=*&populate=*&sort=id')).body.data
    const stored = await all()
    expect(stored.map(({ id }: { id: number }) => id)).to.deep.equal([2, 11, 13])
    const again = await bring(given)
    expect(again.types['api::article.article']).to.deep.equal({ versions: 5, added: 0 })
    expect([again.files.records, again.files.bytes, again.users]).to.deep.equal([0, 0, 0])
    expect(await all()).to.deep.equal(stored)
    expect(report.notTaken).to.deep.equal(again.notTaken)
  })

  it('adds to existing content only if told to, with new ids', async () => {
    const { body } = await server.post('/api/tags', { name: 'green' })
    const given = await content()
    await bring(given).then(
      () => expect.fail('was taken'),
      (error: unknown) =>
        expect((error as Error).message).to.match(/has content already: --into-existing/),
    )
    await bring(given, { intoExisting: true })
    const tags = (await server.get('/api/tags?sort=id')).body.data
    const ids = tags.map(({ id }: { id: number }) => id)
    expect(tags).to.have.length(3)
    expect(new Set(ids).size).to.equal(3)
    expect(ids).to.include(body.data.id)
  })

  it('stores no data in a dry run but counts everything', async () => {
    const report = await bring(await content(), { destination: null })
    expect(report.types['api::article.article']).to.deep.equal({ versions: 5, added: 0 })
    expect(await server.count('article_versions')).to.equal(0)
    expect(await server.count('quire_imports')).to.equal(0)
  })

  it('adds a missing draft to a published version', async () => {
    await bring({ entities: [article(1, 'lone', 'en', true)] })
    const { body } = await server.get('/api/articles?status=draft')
    expect(body.data.map(({ title }: { title: string }) => title)).to.deep.equal(['lone en'])
  })

  it('accepts published content that violates a rule and reports it', async () => {
    const report = await bring({
      entities: [article(1, 'x', 'en', true, { title: null }), article(2, 'x', 'en', false)],
    })
    expect(report.types['api::article.article']).to.deep.equal({ versions: 2, added: 1 })
    expect(report.notTaken.join()).to.match(/title.*taken all the same/)
  })

  for (const [subject, packing] of [
    ['plain', { gzip: false }],
    ['compressed and encrypted', { key: 'a key' }],
    ['encrypted', { gzip: false, key: 'a key' }],
  ] as const) {
    it(`reads an archive that is ${subject}`, async () => {
      const key = 'key' in packing ? packing.key : undefined
      const report = await bring(
        { entities: [article(1, 'x', 'en', false)] },
        { packing, ...(key && { key }), destination: null },
      )
      expect(report.types['api::article.article']?.versions).to.equal(1)
    })
  }

  it('reports a file that is not an archive and a wrong key', async () => {
    const messageOf = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => expect.fail('was read'),
        (error: unknown) => (error as Error).message,
      )
    const given = { entities: [article(1, 'x', 'en', false)] }
    expect(await messageOf(bring(given, { packing: { key: 'right' }, key: 'wrong' }))).to.match(
      /the key does not fit/,
    )
    expect(await messageOf(bring(given, { packing: { key: 'right' } }))).to.match(
      /give its key with --key/,
    )
    const file = { path: join(folder, 'nowhere.tar'), key: null }
    expect(await messageOf(bring(given, { file }))).to.match(/nowhere\.tar cannot be read: ENOENT/)
    expect(await messageOf(bring({ entities: [] }))).to.match(/is no export/)
  })
})
