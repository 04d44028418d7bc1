import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sharp from 'sharp'
import { type Json, serve, type TestServer } from '../support/server.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))
const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/', import.meta.url))

interface Said {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** Runs all commands that the report of a mapping recommends. */
describe('quire map', () => {
  let folder: string
  let server: TestServer | null = null

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-map-'))
  })
  afterEach(async () => {
    await server?.close()
    server = null
    rmSync(folder, { recursive: true, force: true })
  })

  const out = (...names: readonly string[]): string => path.join(folder, 'out', ...names)

  async function quire(...words: readonly string[]): Promise<Said> {
    const child = spawn(process.execPath, [CLI, ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        CONTENT_TYPES_DIR: out('content-types'),
        UPLOAD_STORAGE: 'gridfs',
        QUIRE_DATA_DIR: path.join(folder, 'data'),
        ...(server !== null && { MONGODB_URI: server.uri, MONGODB_DATABASE: server.database }),
      },
    })
    const said = { out: '', error: '' }
    child.stdout.on('data', (chunk: Buffer) => void (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => void (said.error += chunk.toString()))
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, ...said }
  }

  const done = async (...words: readonly string[]): Promise<Json> => {
    const { status, out: text, error } = await quire(...words, '--json')
    expect(status, `${words.join(' ')}: ${error} ${text}`).to.equal(0)
    return JSON.parse(text)
  }

  const start = async (label: string): Promise<TestServer> => {
    const environment = { UPLOAD_STORAGE: 'gridfs' }
    server = await serve(label, { contentTypes: out('content-types'), environment })
    return server
  }

  const store = (name: string, bytes: Buffer | string): void => {
    const file = path.join(folder, 'files', name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }

  const png = (): Promise<Buffer> =>
    sharp({ create: { width: 4, height: 3, channels: 3, background: '#f00' } })
      .png()
      .toBuffer()

  /** Sums created, updated, unchanged and failed entries over all files. */
  const sums = ({ files }: Json): readonly number[] =>
    ['created', 'updated', 'unchanged', 'failed'].map((name) =>
      Object.values(files as Record<string, Json>).reduce((sum, file) => sum + file[name], 0),
    )

  it('imports a Contentful export', async () => {
    const source = path.join(FIXTURES, 'contentful', 'export.json')
    await done('map', 'contentful', source, '--out', out())
    const site = await start('map_contentful')
    for (const words of [['en-US', '--default'], ['de-DE'], ['fr']])
      await done('locale', 'add', ...words)

    store('images.ctfassets.net/k1x9q2d7vw3e/hero/abc/hero image.png', await png())
    store('assets.ctfassets.net/k1x9q2d7vw3e/paper/def/paper.pdf', '%PDF-1.4\n')
    const files = ['media', 'add', out('media.ndjson'), '--folder', path.join(folder, 'files')]
    const first = await quire(...files)
    expect(first.status).to.equal(1)
    expect(first.out).to.match(/2 files stored.*gone\.txt/s)
    expect(
      (await quire('apply', out('content'))).status,
      'it names a file that is not here',
    ).to.equal(1)

    const again = await done('map', 'contentful', source, '--out', out())
    expect(again.files).to.equal(2)
    expect(again.notes.join('\n')).to.include('a link to an asset that is not there is left out')
    expect(await done(...files)).to.include({ added: 0, present: 2 })
    await done('apply', out('content'))
    expect(sums(await done('apply', out('content')))).to.deep.equal([0, 0, 13, 0])

    const populate =
      'populate[related]=true&populate[heroImage]=true&populate[attachments]=true&populate[author][populate]=*&populate[sections][populate]=*'
    const { body } = await site.get(`/api/blog-posts?sort=slug&${populate}`)
    expect(body.data.map((post: Json) => post.slug)).to.deep.equal([
      'first-post',
      'post-6',
      'second',
    ])
    const [post] = body.data
    expect(post).to.deep.include({
      title: 'First post',
      summary: 'A *summary*',
      tags: ['one', 'two'],
      publishDate: '2024-03-05T10:30:00.000Z',
      day: '2024-03-05',
      views: '5000000000',
      rank: 3,
      rating: 4.5,
      featured: false,
      kind: 'How to',
      contentful_status: 'reviewed',
      place: { lat: 52.5, lon: 13.4 },
      extra: { 'a.b': [1, null, { $set: 'x' }] },
      contentfulId: 'post1',
      locale: 'en-US',
    })
    expect(post).not.to.have.property('notes')
    expect(post.related.map((one: Json) => one.slug)).to.deep.equal(['second', 'first-post'])
    expect(post.author).to.include({ name: 'Ada', bio: 'Writes.' })
    expect(post.author.portrait.alternativeText).to.equal('A red square')
    expect(post.author.favourite.slug).to.equal('second')
    expect(post.attachments.map((file: Json) => file.name)).to.deep.equal([
      'paper.pdf',
      'hero image.png',
    ])
    expect(
      post.sections.map((one: Json) => [one.__component, one.entry.text ?? one.entry.slug]),
    ).to.deep.equal([
      ['linked.quote', 'To be'],
      ['linked.blog-post', 'second'],
      ['linked.quote', 'To be'],
    ])
    const image = post.body.find((block: Json) => block.type === 'image')
    expect(image.image).to.deep.include({ width: 4, height: 3, url: post.heroImage.url })
    expect((await site.get(image.image.url)).status).to.equal(200)
    const [, paragraph] = post.body
    expect(paragraph.children.find((one: Json) => one.children?.[0].text === 'paper').url).to.equal(
      post.attachments[0].url,
    )

    const german = await site.get('/api/blog-posts?locale=de-DE&filters[slug]=first-post')
    expect(german.body.data[0]).to.deep.include({
      title: 'Erster Beitrag',
      summary: 'A *summary*',
      rank: 3,
    })
    expect(german.body.data[0].body[0].children[0].text).to.equal('Guten Tag 👋')
    const french = await site.get('/api/blog-posts?locale=fr&status=draft&sort=slug')
    expect(french.body.data.map((one: Json) => one.title)).to.deep.equal([null, 'Deuxième'])
    const drafts = await site.get('/api/blog-posts?status=draft&sort=slug&fields=slug')
    expect(drafts.body.data.map((one: Json) => one.slug)).to.deep.equal([
      'archived',
      'changed',
      'draft',
      'first-post',
      'post-6',
      'second',
    ])
  })

  it('imports a WordPress export', async () => {
    const source = path.join(FIXTURES, 'wordpress', 'export.xml')
    await done('map', 'wordpress', source, '--out', out())
    const site = await start('map_wordpress')
    store('2024/02/rose.png', await png())
    store('2024/02/guide.pdf', '%PDF-1.4\n')
    await done('media', 'add', out('media.ndjson'), '--folder', path.join(folder, 'files'))
    await done('apply', out('content'))
    expect(sums(await done('apply', out('content')))).to.deep.equal([0, 0, 13, 0])

    const { body } = await site.get('/api/posts?sort=wordpressId&populate=*')
    const [roses, older, ...others] = body.data
    expect(others).to.deep.equal([])
    expect(roses).to.deep.include({
      title: 'Roses & thorns',
      slug: 'roses',
      date: '2024-02-03T10:00:00.000Z',
      excerpt: 'About roses',
      sticky: true,
      customFields: { 'soil.kind': 'loam' },
      link: 'https://garden.example.com/2024/02/roses/',
    })
    expect(roses.author).to.deep.include({ name: 'Rosa & Co' })
    expect(roses.author).not.to.have.any.keys('email', 'login')
    expect(roses.cover).to.include({ name: 'rose.png', alternativeText: 'A red rose' })
    expect(roses.categories.map((one: Json) => one.name)).to.deep.equal(['Roses & more'])
    expect(roses.tags.map((one: Json) => one.slug)).to.deep.equal(['red', 'new'])
    expect(roses.season.map((one: Json) => one.slug)).to.deep.equal(['spring'])
    const image = roses.content.find((block: Json) => block.type === 'image')
    expect(image.image).to.deep.include({ url: roses.cover.url, caption: 'A rose', width: 4 })
    expect(older.slug).to.equal('été')
    const categories = await site.get('/api/categories?filters[slug]=roses&populate=parent')
    expect(categories.body.data[0].parent.slug).to.equal('plants')
    const pages = await site.get('/api/pages?status=draft&sort=slug&populate=parent')
    expect(pages.body.data.map((page: Json) => [page.slug, page.parent?.slug])).to.deep.equal([
      ['about', undefined],
      ['child', 'about'],
    ])
    const drafts = await site.get(
      '/api/posts?status=draft&filters[publishedAt][$null]=true&fields=slug&sort=wordpressId',
    )
    expect(drafts.body.data.map((one: Json) => one.slug)).to.deep.equal([
      'roses',
      'été',
      'secret',
      '',
    ])
  })

  it('fetches files and uses inner addresses only if allowed', async () => {
    cpSync(path.join(FIXTURES, 'wordpress', 'export.xml'), path.join(folder, 'export.xml'))
    const bytes = await png()
    const files: Server = createServer((request, response) => {
      if (request.url?.endsWith('.png') === true) response.end(bytes)
      else response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(files, 'listening')
    try {
      const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
      const text = readFileSync(path.join(folder, 'export.xml'), 'utf8')
      const moved = text.replaceAll(
        /https?:\/\/garden\.example\.com\/wp-content/g,
        `${origin}/wp-content`,
      )
      writeFileSync(path.join(folder, 'export.xml'), moved)
      await done('map', 'wordpress', path.join(folder, 'export.xml'), '--out', out())
      await start('map_fetch')
      const refused = await quire('media', 'add', out('media.ndjson'))
      expect(refused.status).to.equal(1)
      expect(refused.out)
        .to.match(/^0 files stored/)
        .and.include('no public address')
      const some = await quire('media', 'add', out('media.ndjson'), '--files-from', origin)
      expect(some.out)
        .to.match(/^1 files stored/)
        .and.include('its server answers 404')
    } finally {
      files.close()
    }
  })

  it('reports unreadable input and refuses a foreign output folder', async () => {
    writeFileSync(
      path.join(folder, 'cut.json'),
      '{"contentTypes": [{"sys": {"id": "a"}, "fields": []',
    )
    writeFileSync(path.join(folder, 'none.json'), '{"entries": []}')
    writeFileSync(
      path.join(folder, 'cut.xml'),
      '<rss><channel><wp:wxr_version>1.2</wp:wxr_version><item>',
    )
    writeFileSync(path.join(folder, 'feed.xml'), '<rss><channel><item></item></channel></rss>')
    const cases = [
      ['contentful', 'cut.json', /cut\.json cannot be read/],
      ['contentful', 'none.json', /no export of Contentful/],
      ['contentful', 'nowhere.json', /nowhere\.json cannot be read/],
      ['wordpress', 'cut.xml', /cut\.xml cannot be read/],
      ['wordpress', 'feed.xml', /no export of WordPress/],
    ] as const
    for (const [system, file, sentence] of cases) {
      const { status, error } = await quire('map', system, path.join(folder, file), '--out', out())
      expect(status, file).to.equal(1)
      expect(error).to.match(sentence)
    }
    const other = await quire('map', 'wordpress', path.join(folder, 'feed.xml'), '--out', folder)
    expect(other.status).to.equal(1)
    expect(other.error).to.match(/has files already/)
    expect((await quire('map', 'drupal', 'x', '--out', out())).status).to.equal(2)
  })
})
