import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compilePrograms, makeProgramFolder } from '../../support/page-programs.ts'
import { codeBlocksOf, readPage, ROOT } from '../../support/pages.ts'
import { serveSample } from '../../support/sample-server.ts'
import type { Json, TestServer } from '../../support/server.ts'

const PAGE = 'docs/search.md'
const CONTENT_TYPES = join(ROOT, 'content-types')

const blocks = codeBlocksOf(PAGE)
const indented = blocks.filter(({ language }) => language === '').map(({ text }) => text.trim())
const requests = indented.filter((text) => text.startsWith('GET '))
const jsonTexts = blocks.filter(({ language }) => language === 'json').map(({ text }) => text)
const programs = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
const [, queryName = '', query = ''] =
  /^`content-types\/queries\/([a-z-]+)\.json`:\n\n```json\n(.*?)^```$/ms.exec(readPage(PAGE)) ?? []
/** JSON that the page shows as a response. */
const shown: readonly Json[] = jsonTexts
  .filter((text) => text !== query)
  .map((text) => JSON.parse(text))

const titlesOf = (entries: Json): readonly string[] => entries.map(({ title }: Json) => title)

describe(PAGE, () => {
  let server: TestServer
  let folder: string
  let programFolder: string

  before(async () => {
    ;({ server, folder } = await serveSample('search_page', { [queryName]: query }))
    programFolder = await makeProgramFolder('search-page')
    await server.indexed()
  })
  after(async () => {
    await server.close()
    for (const one of [folder, programFolder]) rmSync(one, { recursive: true, force: true })
  })

  const bodyOf = async (request: string): Promise<Json> => {
    const { status, text, body } = await server.get(request.replace(/^GET /, ''))
    expect(status, `${request}\n${text}`).to.equal(200)
    return body
  }

  it('shows the declaration of the articles of the sample', () => {
    const [declaration = '', ...others] = indented.filter((text) => !text.startsWith('GET '))
    expect(others).to.deep.equal([])
    const { options }: Json = JSON.parse(readFileSync(join(CONTENT_TYPES, 'article.json'), 'utf8'))
    expect(JSON.parse(`{${declaration}}`).options.search).to.deep.equal(options.search)
  })

  it('shows the responses of the sample', async () => {
    const [first = '', misspelled = '', highlights = '', facets = '', several = '', ...rest] =
      requests
    expect(rest).to.deep.equal([])
    const [corrected, parts, counts, groups, ...more] = shown
    expect(more).to.deep.equal([])
    expect(titlesOf((await bodyOf(first)).data)).to.have.length.above(1)
    expect((await bodyOf(misspelled)).meta.search).to.deep.equal(corrected)
    expect((await bodyOf(highlights)).meta.search.highlights).to.deep.equal([parts])
    expect((await bodyOf(facets)).meta.search.facets).to.deep.equal(counts)
    const { data, meta } = await bodyOf(several)
    const withTitles = data.map((group: Json) => ({
      ...group,
      data: titlesOf(group.data).map((title) => ({ title })),
    }))
    expect({ data: withTitles, meta }).to.deep.equal(groups)
  })

  it('has a named query that ranks by a text, and sorts without one', async () => {
    const ranked = await bodyOf(`/api/_q/${queryName}?text=river`)
    expect(titlesOf(ranked.data)).to.deep.equal(['A hundred and fifty metres of river'])
    const all = await bodyOf(`/api/_q/${queryName}`)
    const sorted = await bodyOf('/api/articles?fields=title&sort=publishedAt:desc')
    expect(titlesOf(all.data)).to.deep.equal(titlesOf(sorted.data))
  })

  it('has programs of the client that compile, run and find entries', async () => {
    const usual = globalThis.fetch
    const found: Json[] = []
    globalThis.fetch = async (input, init) => {
      const here = `http://127.0.0.1:${server.port}`
      const answer = await usual((input as string).replace('https://cms.example.org', here), init)
      found.push(await answer.clone().json())
      return answer
    }
    try {
      for (const url of await compilePrograms(programFolder, CONTENT_TYPES, programs))
        await import(url)
    } finally {
      globalThis.fetch = usual
    }
    expect(found).to.have.length(2)
    for (const { data } of found) expect(data).to.be.an('array').that.is.not.empty
  })

  it('shows only blocks that this test runs', () => {
    expect(requests).to.have.length(5)
    expect(shown).to.have.length(4)
    expect(programs).to.have.length(1)
    expect(new Set(blocks.map(({ language }) => language))).to.deep.equal(
      new Set(['', 'json', 'ts']),
    )
  })
})
