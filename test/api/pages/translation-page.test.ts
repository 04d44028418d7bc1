import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { serveSample } from '../../support/sample-server.ts'
import { runLine } from '../../support/page-shell.ts'
import { codeBlocksOf } from '../../support/pages.ts'
import type { TestServer } from '../../support/server.ts'

const PAGE = 'docs/translation.md'

describe(PAGE, () => {
  let server: TestServer
  let content: string
  let folder: string

  before(async () => {
    ;({ server, folder: content } = await serveSample('translation_page'))
    folder = await mkdtemp(path.join(tmpdir(), 'quire-translation-'))
  })
  after(async () => {
    await server.close()
    await rm(content, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })

  it('exports, translates and imports an entry as printed', async () => {
    const data = { title: 'Down the Danube', body: 'Slowly.' }
    const made = await server.post('/api/articles?status=draft', data)
    expect(made.status, made.text).to.equal(201)
    const ID = String(made.body.data.documentId)
    const [block] = codeBlocksOf(PAGE).filter(({ language }) => language === '')
    const commands = (block?.text ?? '').replaceAll(/^ +curl /gm, 'curl -sS --fail-with-body ')
    const output = await runLine(`set -e\n${commands}`, folder, server, { ID })
    expect(await readFile(path.join(folder, 'article.xlf'), 'utf8')).to.include(`/${ID}"`)
    expect(JSON.parse(output)).to.deep.equal({
      data: [{ documentId: ID, locale: 'de', status: 201 }],
    })
    const german = await server.get(`/api/articles/${ID}?locale=de&status=draft`)
    expect(german.body.data).to.deep.include({ title: 'Die Donau', body: 'Die Donau' })
  })

  it('shows a file that the server reads', async () => {
    const [block] = codeBlocksOf(PAGE).filter(({ language }) => language === 'xml')
    const file = `<xliff version="1.2">${block?.text ?? ''}</xliff>`
    const answer = await server.send(
      'POST',
      '/admin/content/api::article.article/translations/compare',
      { body: file, headers: { 'content-type': 'application/xliff+xml' } },
    )
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data).to.have.length(1)
  })
})
