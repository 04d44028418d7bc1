import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Json, serve, type TestServer } from './server.ts'

/** The tests run from `dist/test/api`. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const readReadme = (): Promise<string> => readFile(path.join(ROOT, 'README.md'), 'utf8')

/** The declarations in README, by the file name that README gives them. */
async function declarationsOfReadme(): Promise<ReadonlyMap<string, string>> {
  const readme = await readReadme()
  const names = readme.match(/`content-types\/[\w/-]+\.json`/g) ?? []
  const blocks = readme.match(/(?:^ {4}\{.*\n(?: {4,}.*\n)*)/gm) ?? []
  expect(names, 'one file for each declaration').to.have.length(blocks.length)
  return new Map(names.map((name, index) => [name.slice(1, -1), blocks[index] ?? '']))
}

for (const [where, prepare] of [
  ['in an empty folder', () => Promise.resolve()],
  [
    'added to the sample',
    async (folder: string) => {
      const declared = path.join(folder, 'content-types')
      await cp(path.join(ROOT, 'content-types'), declared, { recursive: true })
      const [, named = ''] = /remove `([^`]+)` first/.exec(await readReadme()) ?? []
      await rm(path.join(declared, named))
    },
  ],
] as const) {
  describe(`the content-types of README, ${where}`, () => {
    let folder: string
    let server: TestServer

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'quire-readme-'))
      await prepare(folder)
      for (const [name, text] of await declarationsOfReadme()) {
        const file = path.join(folder, name)
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, text)
      }
      const contentTypes = path.join(folder, 'content-types')
      server = await serve('readme', { contentTypes, locales: ['fr'] })
    })

    after(async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    })

    it('starts without a warning', () => {
      expect(server.takeLog()).to.deep.equal([])
    })

    it('keeps the values of one locale when another is written', async () => {
      const category = (await server.post('/api/categories', { name: 'News' })).body.data
      const english = {
        title: 'Snow',
        slug: 'snow',
        views: 1,
        category: category.documentId,
        seo: { metaTitle: 'Snow today', metaDescription: 'All about it' },
      }
      const made = await server.post('/api/articles', english)
      expect(made.status, made.text).to.equal(201)
      const one = `/api/articles/${made.body.data.documentId}`
      const french = { title: 'Neige', slug: 'neige', views: 2, seo: { metaTitle: 'La neige' } }
      const written = await server.put(`${one}?locale=fr`, french)
      expect(written.status, written.text).to.equal(200)

      for (const status of ['draft', 'published']) {
        const shown = async (locale: string): Promise<Json> => {
          const query = `locale=${locale}&status=${status}&populate=*`
          return (await server.get(`${one}?${query}`)).body.data
        }
        const [en, fr] = [await shown('en'), await shown('fr')]
        expect([en.title, en.slug, en.seo.metaTitle, en.seo.metaDescription]).to.deep.equal([
          'Snow',
          'snow',
          'Snow today',
          'All about it',
        ])
        expect(en.category.name).to.equal('News')
        expect([fr.title, fr.slug, fr.seo.metaTitle]).to.deep.equal(['Neige', 'neige', 'La neige'])
        expect([en.views, fr.views], 'what is declared as shared').to.deep.equal([2, 2])
      }
    })
  })
}
