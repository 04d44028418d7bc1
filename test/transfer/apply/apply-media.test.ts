import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../../src/base/config/config.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../../src/server/services/open-services.ts'
import {
  type ApplyOptions,
  applyFiles,
  type ApplyReport,
} from '../../../src/transfer/apply/apply-files.ts'
import { openFileStore } from '../../../src/transfer/file-store.ts'
import { png } from '../../media/sample-images.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const MAX_FILE_BYTES = 100_000

const CONTENT_TYPES = {
  category: declare('category', {
    slug: { type: 'string', unique: true },
    rank: { type: 'integer', unique: true },
  }),
  post: declare('post', {
    title: { type: 'string', unique: true },
    cover: { type: 'media', allowedTypes: ['images'] },
    gallery: { type: 'media', multiple: true },
    category: { type: 'relation', relation: 'manyToOne', target: 'api::category.category' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::category.category' },
    seo: { type: 'component', component: 'shared.seo' },
    parts: { type: 'dynamiczone', components: ['shared.seo'] },
  }),
  'components/shared/seo': {
    attributes: {
      picture: { type: 'media', required: true },
      about: { type: 'relation', relation: 'manyToOne', target: 'api::category.category' },
    },
  },
}

describe('quire apply with files and keys', () => {
  let server: TestServer
  let services: Services
  let folder: string
  let content: string

  before(async () => {
    server = await serve('apply_media', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off' },
    })
    folder = mkdtempSync(path.join(tmpdir(), 'quire-apply-'))
    services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: path.join(server.contentTypesDir, 'data'),
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
  })
  after(async () => {
    await services.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  beforeEach(async () => {
    content = mkdtempSync(path.join(folder, 'content-'))
    const files = (await server.get('/api/upload/files')).body
    for (const { id } of files) await server.delete(`/api/upload/files/${id}`)
    for (const type of ['posts', 'categorys']) {
      for (const { documentId } of (await server.get(`/api/${type}`)).body.data) {
        await server.delete(`/api/${type}/${documentId}`)
      }
    }
  })

  const write = (files: Readonly<Record<string, string | Buffer | object>>): void => {
    for (const [name, value] of Object.entries(files)) {
      const file = path.join(content, name)
      mkdirSync(path.dirname(file), { recursive: true })
      const isRaw = typeof value === 'string' || Buffer.isBuffer(value)
      writeFileSync(file, isRaw ? value : JSON.stringify(value))
    }
  }

  const apply = async (options: Partial<ApplyOptions> = {}): Promise<ApplyReport> => {
    const { database, schema, locales, media, spoolFolder } = services
    return applyFiles(
      {
        documents: documentContext(database, schema),
        schema,
        locales: await locales.current(),
        store: openFileStore(media.library, spoolFolder),
        maxFileBytes: MAX_FILE_BYTES,
      },
      {
        path: content,
        key: null,
        prune: false,
        dryRun: false,
        input: Readable.from([]),
        confirm: () => Promise.resolve(true),
        onProgress: () => undefined,
        ...options,
      },
    )
  }

  const files = async (): Promise<readonly Json[]> =>
    (await server.get('/api/upload/files?sort=id')).body

  const post = async (title: string): Promise<Json> => {
    const { body } = await server.get(
      `/api/posts?filters[title]=${title}&populate[cover]=true&populate[gallery]=true&populate[category]=true&populate[others]=true&populate[seo][populate]=*&populate[parts][on][shared.seo][populate]=*`,
    )
    return body.data[0]
  }

  it('stores each file once and changes no data on a second run', async () => {
    const image = await png(60, 40)
    write({
      'img/a.png': image,
      'img/copy-of-a.png': image,
      'img/b.png': await png(30, 30),
      'post.json': [
        { title: 'One', cover: { path: 'img/a.png', alternativeText: 'A map' } },
        { title: 'Two', cover: { path: 'img/copy-of-a.png' }, gallery: [{ path: 'img/b.png' }] },
      ],
    })
    const first = await apply()
    expect(first.faults).to.deep.equal([])
    expect(first.media).to.deep.equal({ added: 2, updated: 0, unchanged: 0 })
    const stored = await files()
    expect(stored).to.have.length(2)
    const [one, two] = [await post('One'), await post('Two')]
    expect(one.cover).to.deep.include({ alternativeText: 'A map', width: 60, mime: 'image/png' })
    expect(two.cover.id).to.equal(one.cover.id)
    expect(two.gallery[0].width).to.equal(30)
    const bytes = await server.get(one.cover.url)
    expect(bytes.status).to.equal(200)
    const second = await apply()
    expect(second.media).to.deep.equal({ added: 0, updated: 0, unchanged: 2 })
    expect(second.files['post.json']).to.include({ unchanged: 2, updated: 0 })
    expect(await files()).to.deep.equal(stored)
  })

  it('updates texts of a stored file and refuses different texts for one file', async () => {
    write({ 'img/a.png': await png(60, 40) })
    const cover = { path: 'img/a.png' }
    write({ 'post.json': [{ title: 'One', cover }] })
    await apply()
    const described = { ...cover, alternativeText: 'A map', caption: 'Of Bern' }
    write({ 'post.json': [{ title: 'One', cover: described }] })
    expect((await apply()).media).to.deep.equal({ added: 0, updated: 1, unchanged: 0 })
    expect((await post('One')).cover).to.include({ alternativeText: 'A map', caption: 'Of Bern' })
    const other = { ...cover, alternativeText: 'Another map' }
    write({
      'post.json': [
        { title: 'One', cover: described },
        { title: 'Two', cover: other },
      ],
    })
    const { faults, files: counts } = await apply()
    expect(faults).to.deep.equal([
      'post.json:2: img/a.png: another line gives this file another alternativeText',
    ])
    expect(counts['post.json']).to.include({ unchanged: 1, failed: 1 })
  })

  it('takes texts in other languages, and changes no file that has them', async () => {
    const cover = (translations: unknown): Json => ({ path: 'img/a.png', translations })
    const counts = async (translations: unknown): Promise<Json> => {
      write({ 'post.json': [{ title: 'One', cover: cover(translations) }] })
      return (await apply()).media
    }
    write({ 'img/a.png': await png(60, 40) })
    const german = { de: { alternativeText: 'Eine Karte', caption: '' } }
    expect(await counts(german)).to.deep.equal({ added: 1, updated: 0, unchanged: 0 })
    const shown = { de: { alternativeText: 'Eine Karte' } }
    expect((await files())[0].translations).to.deep.equal(shown)
    expect(await counts(german)).to.deep.equal({ added: 0, updated: 0, unchanged: 1 })
    const more = { de: { caption: 'Bern' } }
    expect(await counts(more)).to.deep.equal({ added: 0, updated: 1, unchanged: 0 })
    expect((await files())[0].translations).to.deep.equal({ de: { ...shown.de, ...more.de } })
    expect(await counts({ de: null })).to.deep.equal({ added: 0, updated: 1, unchanged: 0 })
    expect((await files())[0]).to.not.have.property('translations')
  })

  it('takes files and keys in JSON, NDJSON and tables, in components too', async () => {
    const expected = [
      { cover: 60, gallery: [20, 30], category: 'maps', others: ['maps', 'art'], picture: 20 },
    ]
    const data = {
      'category.slug': 'maps',
      'others.slug': ['maps', 'art'],
      'cover.path': 'img/a.png',
      'cover.alternativeText': 'A',
      gallery: [{ path: 'img/b.png' }, { path: 'img/c.png' }],
      seo: { picture: { path: 'img/b.png' }, 'about.rank': 2 },
      parts: [{ __component: 'shared.seo', 'picture.path': 'img/c.png', 'about.slug': 'art' }],
    }
    const seo = JSON.stringify(data.seo).replaceAll('"', '""')
    const parts = JSON.stringify(data.parts).replaceAll('"', '""')
    write({
      'img/a.png': await png(60, 40),
      'img/b.png': await png(20, 20),
      'img/c.png': await png(30, 30),
      '1-category.json': [
        { slug: 'maps', rank: 1 },
        { slug: 'art', rank: 2 },
      ],
      '2-post.json': [{ title: 'Json', ...data }],
      '3-post.ndjson': `${JSON.stringify({ op: 'upsert', key: { title: 'Lines' }, data })}\n`,
      '4-any.ndjson': `${JSON.stringify({ op: 'upsert', type: 'post', key: { title: 'Any' }, data })}\n`,
      '5-post.csv':
        'title,category.slug,others.slug,cover.path,cover.alternativeText,gallery.path,seo,parts\n' +
        `Table,maps,maps; art,img/a.png,A,img/b.png; img/c.png,"${seo}","${parts}"\n`,
    })
    const { faults, media } = await apply()
    expect(faults).to.deep.equal([])
    expect(media.added).to.equal(3)
    for (const title of ['Json', 'Lines', 'Any', 'Table']) {
      const found = await post(title)
      expect(
        [
          {
            cover: found.cover.width,
            gallery: found.gallery.map(({ width }: Json) => width),
            category: found.category.slug,
            others: found.others.map(({ slug }: Json) => slug),
            picture: found.seo.picture.width,
          },
        ],
        title,
      ).to.deep.equal(expected)
      expect(found.cover.alternativeText).to.equal('A')
      expect(found.seo.about.slug).to.equal('art')
      expect(found.parts[0].picture.width).to.equal(30)
      expect(found.parts[0].about.slug).to.equal('art')
    }
    expect((await apply()).files['5-post.csv']).to.include({ unchanged: 1 })
  })

  it('refuses paths outside of the folder, and files that it cannot store', async () => {
    write({
      'img/big.png': Buffer.alloc(MAX_FILE_BYTES + 1),
      'img/text.txt': 'plain',
    })
    writeFileSync(path.join(folder, 'outside.png'), await png(20, 20))
    symlinkSync(path.join(folder, 'outside.png'), path.join(content, 'img/link.png'))
    symlinkSync(folder, path.join(content, 'up'))
    const refused: readonly (readonly [unknown, RegExp])[] = [
      [{ path: '../outside.png' }, /outside\.png is no path of a file in/],
      [{ path: 'img/../../outside.png' }, /is no path of a file in/],
      [{ path: path.join(folder, 'outside.png') }, /is no path of a file in/],
      [{ path: 'img/link.png' }, /is no path of a file in/],
      [{ path: 'up/outside.png' }, /is no path of a file in/],
      [{ path: 'img\\..\\..\\outside.png' }, /is no path of a file in/],
      [{ path: 'img/a\0.png' }, /is no path of a file in/],
      [{ path: 'img/none.png' }, /There is no file img\/none\.png/],
      [{ path: 'img' }, /There is no file img/],
      [{ path: 'img/big.png' }, /has more than 100000 bytes/],
      [{ path: 'img/text.txt' }, /takes images, and text\.txt is text\/plain/],
      [{ path: 7 }, /needs a path/],
      [{ path: '' }, /needs a path/],
      [{ alternativeText: 'A' }, /needs a path/],
      [{ path: 'img/text.txt', alt: 'A' }, /Invalid key alt of a file/],
      [{ path: 'img/text.txt', alternativetext: 'A' }, /did you mean alternativeText/],
      [{ path: 'img/text.txt', caption: 7 }, /fileInfo\.caption must be a text/],
      [{ path: 'img/text.txt', translations: { xx: {} } }, /names xx, which is no locale/],
      [
        { path: 'img/text.txt', translations: { de: { captoin: 'A' } } },
        /Invalid key captoin of fileInfo\.translations\.de.* mean caption/,
      ],
    ]
    const lines = refused.map(([cover], index) => JSON.stringify({ title: `Bad ${index}`, cover }))
    write({ 'post.ndjson': lines.join('\n') })
    for (const dryRun of [true, false]) {
      const { faults, files: counts } = await apply({ dryRun })
      expect(faults, faults.join('\n')).to.have.length(refused.length)
      for (const [index, [, pattern]] of refused.entries()) {
        expect(faults[index])
          .to.match(new RegExp(`^post\\.ndjson:${index + 1}: `))
          .and.match(pattern)
      }
      expect(counts['post.ndjson']).to.include({ failed: refused.length })
    }
    expect((await files()).map(({ name }) => name)).to.deep.equal(['text.txt'])
    const line = {
      op: 'upsert',
      type: 'post',
      key: { title: 'Piped' },
      data: { cover: { path: 'a.png' } },
    }
    const input = Readable.from([Buffer.from(`${JSON.stringify(line)}\n`)])
    const { faults } = await apply({ path: '-', input })
    expect(faults.join()).to.include('a.png: standard input has no folder')
  })

  it('stores no file in a dry run and counts the files of the run', async () => {
    write({
      'img/a.png': await png(60, 40),
      'post.json': [
        { title: 'One', cover: { path: 'img/a.png' }, seo: { picture: { path: 'img/a.png' } } },
      ],
    })
    const dry = await apply({ dryRun: true })
    expect(dry.faults).to.deep.equal([])
    expect(dry.files['post.json']).to.include({ created: 1 })
    expect(dry.media).to.deep.equal({ added: 1, updated: 0, unchanged: 0 })
    expect(await files()).to.deep.equal([])
    expect((await apply()).media).to.deep.equal(dry.media)
  })

  it('continues after an abort between files', async () => {
    const ended = new AbortController()
    const titles = Array.from({ length: 12 }, (_, index) => `Many ${index}`)
    for (const [index] of titles.entries())
      write({ [`img/${index}.png`]: await png(20 + index, 20) })
    write({
      'post.json': titles.map((title, index) => ({ title, cover: { path: `img/${index}.png` } })),
    })
    const { media, spoolFolder } = services
    const store = openFileStore(media.library, spoolFolder)
    const { database, schema, locales } = services
    const first = await applyFiles(
      {
        documents: documentContext(database, schema),
        schema,
        locales: await locales.current(),
        store: {
          ...store,
          add: async (record, bytes) => {
            ended.abort()
            await store.add(record, bytes)
          },
        },
        maxFileBytes: MAX_FILE_BYTES,
      },
      {
        path: content,
        key: null,
        prune: false,
        dryRun: false,
        input: Readable.from([]),
        confirm: () => Promise.resolve(true),
        onProgress: () => undefined,
        signal: ended.signal,
      },
    )
    expect(first.complete).to.equal(false)
    expect(await files()).to.have.length(4)
    const second = await apply()
    expect(second.media).to.deep.equal({ added: 8, updated: 0, unchanged: 4 })
    expect(second.files['post.json']).to.include({ created: 12 })
  })

  it('suggests the names of attributes', async () => {
    write({
      '1-post.ndjson': [
        { title: 'a', covr: null },
        { title: 'b', 'categry.slug': 'maps' },
        { title: 'c', 'category.slgu': 'maps' },
        { title: 'd', 'title.slug': 'maps' },
        { title: 'e', category: null, 'category.slug': 'maps' },
        { title: 'f', seo: { 'abuot.slug': 'maps' } },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    })
    const { faults } = await apply()
    const expected = [
      /did you mean cover\?/,
      /Invalid key categry\.slug: .*did you mean category\?/,
      /category\.key: expected one unique attribute of category \(slug, rank\)/,
      /Invalid key title\.slug: expected <relation>/,
      /category is given twice/,
      /did you mean about\?/,
    ]
    expect(faults).to.have.length(expected.length)
    for (const [index, pattern] of expected.entries()) expect(faults[index]).to.match(pattern)
    const refusal = async (head: string): Promise<string> => {
      write({ '1-post.ndjson': '', '2-post.csv': `${head}\n` })
      return apply().then(
        () => '',
        (error: unknown) => String(error),
      )
    }
    expect(await refusal('titel,covr.path')).to.include(
      'titel (did you mean title?), covr.path (did you mean cover?)',
    )
    expect(await refusal('title,cover,cover.path')).to.include(
      'two columns of one attribute: cover',
    )
    expect(await refusal('title,cover.path,cover.path')).to.include('two columns of one attribute')
    expect(await refusal('title,gallery.caption')).to.include('no such columns: gallery.caption')
  })
})
