import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { examplesIn, runExample } from '../../support/page-examples.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

/** The tests run from `dist/test/api/pages`. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

const readPage = (): Promise<string> => readFile(path.join(ROOT, 'docs/start.md'), 'utf8')

/** The declarations of the page, by the file names in the text before them. */
async function declarationsOfPage(): Promise<ReadonlyMap<string, string>> {
  const page = await readPage()
  const named = page.matchAll(/`(content-types\/[\w/-]+\.json)`:\n\n```json\n(.*?)^```$/gms)
  const declarations = new Map([...named].map(([, name = '', text = '']) => [name, text]))
  expect(page.match(/^```json$/gm), 'a file for each declaration').to.have.length(declarations.size)
  return declarations
}

for (const [where, prepare] of [
  ['in an empty folder', () => Promise.resolve()],
  [
    'added to the sample',
    async (folder: string) => {
      const declared = path.join(folder, 'content-types')
      await cp(path.join(ROOT, 'content-types'), declared, { recursive: true })
      const [, named = ''] = /remove `([^`]+)` first/.exec(await readPage()) ?? []
      await rm(path.join(declared, named), { recursive: true })
    },
  ],
] as const) {
  describe(`docs/start.md, ${where}`, () => {
    let folder: string
    let server: TestServer

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'quire-start-page-'))
      await prepare(folder)
      for (const [name, text] of await declarationsOfPage()) {
        const file = path.join(folder, name)
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, text)
      }
      const contentTypes = path.join(folder, 'content-types')
      server = await serve('start_page', { contentTypes, locales: ['fr'] })
    })

    after(async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    })

    it('starts without a warning', () => {
      expect(server.takeLog()).to.deep.equal([])
    })

    it('shows requests that work as printed', async () => {
      let documentId = ''
      for (const example of examplesIn(await readPage())) {
        const answer = await runExample(example, server, { ID: documentId })
        const [entry] = [answer.data].flat()
        expect(entry.title, example).to.equal('Maps of the Alps')
        ;({ documentId } = entry)
      }
      const { body } = await server.get(`/api/articles/${documentId}`)
      expect(body.data).to.include({ title: 'Maps of the Alps', views: 1 })
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
        expect([en.views, fr.views], 'shared value').to.deep.equal([2, 2])
      }
    })
  })
}
