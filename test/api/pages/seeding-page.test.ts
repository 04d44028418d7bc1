import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { loadConfiguration } from '../../../src/extensions/configuration/load-configuration.ts'
import { commandsIn } from '../../support/shell-lines.ts'
import { runLine } from '../../support/page-shell.ts'
import { codeBlocksOf, readPage, ROOT } from '../../support/pages.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const PAGE = 'docs/seeding.md'
const CLI = path.join(ROOT, 'dist/src/cli/cli.js')

/** The files of the page, by the names in the text before them. */
function filesOfPage(): ReadonlyMap<string, string> {
  const page = readPage(PAGE)
  const named = page.matchAll(/^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms)
  const files = new Map([...named].map(([, name = '', text = '']) => [name, text]))
  expect(page.match(/^```\w+$/gm), 'a file for each block').to.have.length(files.size)
  return files
}

describe('docs/seeding.md', () => {
  let folder: string
  let server: TestServer

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-seeding-'))
    for (const [name, text] of filesOfPage()) {
      const file = path.join(folder, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await mkdir(path.join(folder, 'node_modules/@quire'), { recursive: true })
    await symlink(ROOT, path.join(folder, 'node_modules/@quire/server'))
    const contentTypes = path.join(folder, 'content-types')
    server = await serve('seeding_page', {
      contentTypes,
      environment: { QUIRE_DATA_DIR: path.join(folder, 'data') },
    })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (command: string): Promise<string> => runLine(command, folder, server)

  /** The lines of indented blocks that begin with a command. */
  const linesOfPage = (command: string): readonly string[] =>
    codeBlocksOf(PAGE)
      .filter(({ language }) => language === '')
      .flatMap(({ text }) => text.split('\n').map((line) => line.trim()))
      .filter((line) => line.startsWith(command))

  const places = async (query: string): Promise<Json> =>
    (await server.get(`/api/places?${query}`)).body

  it('stores 1,000 documents with pictures, and changes none in a second run', async () => {
    for (const line of [...linesOfPage('node '), ...linesOfPage('npx quire apply')]) {
      await run(line.replace(/^npx quire /, `"${process.execPath}" "${CLI}" `))
    }
    const all = await places('pagination[pageSize]=1')
    expect(all.meta.pagination.total).to.equal(1_001)
    const [lake] = (await places('filters[slug]=oeschinensee&populate=*')).data
    expect(lake.category.name).to.equal('Lakes')
    expect(lake.cover).to.include({ alternativeText: 'A lake below steep walls', width: 80 })
    const [place] = (await places('filters[slug]=place-7&populate=*')).data
    expect([place.category.slug, place.visits]).to.deep.equal(['peaks', 7])
    expect((await server.get(place.cover.url)).status).to.equal(200)
    const files = await server.get('/api/upload/files')
    expect(files.body).to.have.length(20)
    const again = JSON.parse(await run(`"${process.execPath}" "${CLI}" apply content --json`))
    for (const counts of Object.values<Json>(again.files)) {
      expect(counts).to.include({ created: 0, updated: 0, failed: 0 })
    }
    expect(again.media).to.deep.equal({ added: 0, updated: 0, unchanged: 20 })
  })

  it('sends bulk requests and uploads as printed', async () => {
    const [bulk = '', upload = ''] = linesOfPage('curl ')
    const answers = (await run(bulk)).trim().split('\n')
    expect(answers.map((line) => JSON.parse(line).result)).to.deep.equal(['updated', 'created'])
    expect((await places('filters[slug]=place-1')).data[0].visits).to.equal(7_000)
    const [niesen] = (await places('filters[slug]=niesen&populate=category')).data
    expect(niesen.category.slug).to.equal('peaks')
    const [file] = JSON.parse(await run(upload))
    expect(file.documentId).to.be.a('string')
  })

  it('creates the documents of the extension once', async () => {
    const { extensions } = await loadConfiguration(folder, { compile: true })
    for (let start = 0; start < 2; start += 1) {
      const other = await serve('seeding_page', {
        contentTypes: path.join(folder, 'content-types'),
        environment: {
          MONGODB_DATABASE: server.database,
          QUIRE_DATA_DIR: path.join(folder, 'data'),
        },
        extensions,
      })
      try {
        const { body } = await other.get(
          '/api/places?filters[slug][$in][0]=brienzersee&filters[slug][$in][1]=stockhorn&sort=slug&populate=category',
        )
        expect(body.data.map(({ category }: Json) => category.slug)).to.deep.equal([
          'lakes',
          'peaks',
        ])
      } finally {
        await other.close()
      }
    }
  })

  it('shows only commands that this test runs', () => {
    const commands = codeBlocksOf(PAGE)
      .filter(({ language }) => language === '')
      .flatMap(({ text }) => commandsIn(text))
    expect(commands.map(({ words }) => words.slice(0, 3).join(' '))).to.deep.equal([
      'npm start',
      'node make-content.mjs',
      'npx quire apply',
      'npx quire apply',
      'curl -g -X',
      'curl -g -X',
    ])
  })
})
