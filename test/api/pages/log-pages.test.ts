import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { examplesIn } from '../../support/page-examples.ts'
import { codeBlocksOf, readPage } from '../../support/pages.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

/**
 * A request that a page shows without a shell: `POST /admin/releases { "data": { … } }`, with the
 * body on the same line or below.
 */
const REQUEST = /^ {4}([A-Z]+) (\/admin\/\S+)(?: [^{\n]*(\{.*\})?)?(?:\n {4}(\{.*\}))?$/gm

describe('pages with requests', () => {
  let server: TestServer
  /** The document of the examples. */
  let documentId: string
  let fileId = ''

  before(async () => {
    server = await serve('log_pages', {
      contentTypes: {
        article: declare(
          'article',
          { title: { type: 'string' }, slug: { type: 'string' } },
          { draftAndPublish: true, localized: true },
        ),
        category: declare('category', { name: { type: 'string' } }),
      },
      locales: ['de'],
    })
  })
  after(() => server.close())

  beforeEach(async () => {
    const made = await server.post('/api/articles', { title: 'Down the Danube' })
    expect(made.status, made.text).to.equal(201)
    ;({ documentId } = made.body.data)
    const german = await server.put(`/api/articles/${documentId}?locale=de`, { title: 'Donau' })
    expect(german.status, german.text).to.equal(200)
  })

  /** Runs an example in a shell exactly as printed, and returns the body of the response. */
  async function ask(example: string): Promise<string> {
    const isEndless = example.includes('/api/_live')
    const seconds = isEndless ? 2 : 20
    const command = example.replace(
      /^curl /,
      `curl -sS -w '\\n%{http_code}' --max-time ${seconds} `,
    )
    const ended = isEndless ? `${command} || [ $? -eq 28 ]` : command // 28: timeout
    const { stdout } = await promisify(execFile)('sh', ['-c', ended], {
      env: {
        PATH: process.env['PATH'],
        QUIRE: `http://127.0.0.1:${server.port}`,
        TOKEN: ROOT_TOKEN,
        ID: documentId,
      },
    })
    expect(stdout, example).to.match(/\n20\d$/)
    return stdout.replace(/\n\d+$/, '')
  }

  function bodyOf(shown: string | undefined): { readonly body?: object } {
    if (shown === undefined) return {}
    return { body: JSON.parse(shown.replaceAll('k3v…', documentId)) as object }
  }

  /** Sends the requests of a page in order. `:id` stands for the id in the previous response. */
  async function send(page: string): Promise<number> {
    let id = ''
    const requests = [...page.matchAll(REQUEST)]
    for (const [shown, method = '', path = '', beside, below] of requests) {
      const body = bodyOf(beside ?? below)
      const answer: Json = await server.send(
        method,
        path.replace(':id', id).replace('k3v…', documentId).replace('w1x…', fileId),
        body,
      )
      expect(String(answer.status), `${shown}\n${answer.text}`).to.match(/^20\d$/)
      expect(answer.body.data?.faults ?? [], shown).to.deep.equal([])
      id = answer.body.data?.id ?? id
    }
    return requests.length
  }

  async function fillTrash(): Promise<void> {
    await server.delete(`/api/articles/${documentId}?locale=*`)
    const body = multipart({ files: [{ name: 'a.txt', content: 'a' }] })
    const uploaded = await server.send('POST', '/api/upload', { body, headers: MULTIPART })
    fileId = uploaded.body[0].documentId
    const deleted = await server.delete(`/api/upload/files/${uploaded.body[0].id}`)
    expect(deleted.status, deleted.text).to.equal(200)
  }

  const pages = [
    ['sync.md', 1, 0],
    ['live.md', 1, 0],
    ['history.md', 1, 0],
    ['audit.md', 2, 0],
    ['observability.md', 1, 0],
    ['openapi.md', 1, 0],
    ['scheduling.md', 1, 4],
    ['trash.md', 1, 2],
    ['webhooks.md', 1, 0],
  ] as const
  for (const [name, examples, requests] of pages) {
    it(`has requests that work as printed: docs/${name}`, async () => {
      const page = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')
      if (name === 'trash.md') await fillTrash()
      const found = examplesIn(page).filter((example) => example.startsWith('curl '))
      expect(found).to.have.lengthOf(examples)
      for (const example of found) await ask(example)
      expect(await send(page)).to.equal(requests)
    })
  }

  /** The example of a page and its response, which the first JSON block shows. */
  async function firstExample(
    page: string,
  ): Promise<{ readonly shown: Json; readonly sent: Json }> {
    const [example = ''] = examplesIn(readPage(page))
    const [block] = codeBlocksOf(page).filter(({ language }) => language === 'json')
    return { shown: JSON.parse(block?.text ?? ''), sent: JSON.parse(await ask(example)) }
  }

  for (const page of ['docs/history.md', 'docs/scheduling.md', 'docs/trash.md']) {
    it(`shows the members of a response: ${page}`, async () => {
      if (page === 'docs/trash.md') await server.delete(`/api/articles/${documentId}?locale=*`)
      const { shown, sent } = await firstExample(page)
      expectSameMembers(sent, shown, page)
    })
  }

  it('shows the members of a restored document: docs/trash.md', async () => {
    await server.delete(`/api/articles/${documentId}?locale=*`)
    const [, shown] = codeBlocksOf('docs/trash.md').filter(({ language }) => language === 'json')
    const sent = await server.send(
      'POST',
      `/admin/trash/api::article.article/${documentId}/restore`,
    )
    expectSameMembers(sent.body, JSON.parse(shown?.text ?? ''), 'docs/trash.md')
  })

  it('shows the members of a response and its items: docs/sync.md', async () => {
    const lines = readPage('docs/sync.md').matchAll(/^ {4}(\{ "(?:items|op)".*\})$/gm)
    const [answer, put, removal] = [...lines].map(([, line = '']) =>
      JSON.parse(
        line
          .replaceAll('[ … ]', '[]')
          .replaceAll('{ … }', '{}')
          .replaceAll(/ \| "\w+"/g, ''),
      ),
    )
    const first = (await server.get('/api/_sync?types=article&limit=1000')).body
    expect(Object.keys(first)).to.have.members(Object.keys(answer))
    expect(Object.keys(first.items[0])).to.have.members(Object.keys(put))
    await server.delete(`/api/articles/${documentId}`)
    await until(async () => {
      const { items } = (await server.get(`/api/_sync?token=${first.next}`)).body
      // Commits of earlier tests may be numbered after the first page.
      const removed = items.find(
        (item: Json) => item.op === 'delete' && item.documentId === documentId,
      )
      if (removed === undefined) return false
      expect(Object.keys(removed)).to.have.members(Object.keys(removal))
      return true
    }, 10_000)
  })
})

/** Compares the names of members at every level, but for empty lists and null. */
function expectSameMembers(sent: Json, shown: Json, where: string): void {
  if (Array.isArray(sent) && Array.isArray(shown)) {
    if (sent.length > 0 && shown.length > 0) expectSameMembers(sent[0], shown[0], where)
    return
  }
  if (typeof sent !== 'object' || typeof shown !== 'object' || sent === null || shown === null)
    return
  expect(Object.keys(sent), where).to.have.members(Object.keys(shown))
  for (const key of Object.keys(sent)) expectSameMembers(sent[key], shown[key], `${where}: ${key}`)
}
