import { expect } from 'chai'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { SchemaError } from '../../src/schema/schema-error.ts'
import { loadDefinitions } from '../../src/schema/load.ts'

describe('loadDefinitions', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-load-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  }

  async function uidsIn(directory: string): Promise<readonly string[]> {
    const files = await loadDefinitions(directory)
    return files.map(({ file, kind, uid }) => `${relative(folder, file)} ${kind} ${uid}`)
  }

  it('reads files, folders and components', async () => {
    await write({
      'article.json': '{}',
      'tag/schema.json': '{}',
      'post.json': '{ "info": { "singularName": "blog-post" } }',
      'components/shared/seo.json': '{}',
      'README.md': '# no declaration',
      'notes/todo.txt': '',
    })
    expect(await uidsIn(folder)).to.have.members([
      'article.json contentType api::article.article',
      'tag/schema.json contentType api::tag.tag',
      'post.json contentType api::blog-post.blog-post',
      'components/shared/seo.json component shared.seo',
    ])
  })

  for (const root of ['', 'src', 'src/api']) {
    it(`reads a Strapi project, given ${root === '' ? 'its root' : root}`, async () => {
      await write({
        'package.json': '{}',
        'src/api/blog/content-types/article/schema.json': '{}',
        'src/api/blog/content-types/article/lifecycles.js': '',
        'src/api/blog/controllers/article.js': '',
        'src/extensions/users-permissions/content-types/user/schema.json': '{}',
        'src/components/shared/seo.json': '{}',
      })
      expect(await uidsIn(join(folder, root))).to.have.members([
        'src/api/blog/content-types/article/schema.json contentType api::blog.article',
        'src/extensions/users-permissions/content-types/user/schema.json contentType ' +
          'plugin::users-permissions.user',
        'src/components/shared/seo.json component shared.seo',
      ])
    })
  }

  it('reports the position of a JSON error and reads the other files', async () => {
    await write({
      'article.json': '{\n  "kind": ,\n}',
      'tag.json': '\uFEFF{ "kind": "singleType" }',
    })
    const [article, tag] = await loadDefinitions(folder)
    expect(article).to.include({ uid: 'api::article.article', content: null })
    expect(article?.fault).to.match(/^line 2, column 11: no valid JSON: Unexpected token/)
    expect(tag?.content).to.deep.equal({ kind: 'singleType' })
  })

  it('refuses a missing folder', async () => {
    const missing = await loadDefinitions(join(folder, 'nowhere')).catch((error: unknown) => error)
    expect(missing).to.be.instanceOf(SchemaError).with.property('message').that.contains('nowhere')
  })

  it('reads a folder without declarations and a project without content-types', async () => {
    await write({ 'components/shared/seo.json': '{}' })
    const [seo, ...others] = await loadDefinitions(folder)
    expect([seo?.uid, others]).to.deep.equal(['shared.seo', []])
    await write({ 'src/api/.gitkeep': '', 'package.json': '{ "name": "project" }' })
    expect(await loadDefinitions(folder)).to.deep.equal([])
  })
})
