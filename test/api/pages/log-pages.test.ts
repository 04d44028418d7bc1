import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { examplesIn } from '../../support/page-examples.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

/**
 * A request that a page shows without a shell: `POST /admin/releases { "data": { … } }`, with the
 * body on the same line or below.
 */
const REQUEST = /^ {4}([A-Z]+) (\/admin\/\S+)(?: [^{\n]*(\{.*\})?)?(?:\n {4}(\{.*\}))?$/gm

describe('pages with requests', () => {
  let server: TestServer
  /** The document of the examples. */
  let documentId: string

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

  /** Runs an example in a shell exactly as printed. */
  async function ask(example: string): Promise<void> {
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
        path.replace(':id', id).replace('k3v…', documentId),
        body,
      )
      expect(String(answer.status), `${shown}\n${answer.text}`).to.match(/^20\d$/)
      expect(answer.body.data?.faults ?? [], shown).to.deep.equal([])
      id = answer.body.data?.id ?? id
    }
    return requests.length
  }

  const pages = [
    ['sync.md', 1, 0],
    ['live.md', 1, 0],
    ['history.md', 1, 0],
    ['audit.md', 2, 0],
    ['observability.md', 1, 0],
    ['openapi.md', 1, 0],
    ['scheduling.md', 1, 4],
    ['trash.md', 1, 1],
    ['webhooks.md', 1, 0],
  ] as const
  for (const [name, examples, requests] of pages) {
    it(`has requests that work as printed: docs/${name}`, async () => {
      const page = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')
      if (name === 'trash.md') await server.delete(`/api/articles/${documentId}?locale=*`)
      const found = examplesIn(page).filter((example) => example.startsWith('curl '))
      expect(found).to.have.lengthOf(examples)
      for (const example of found) await ask(example)
      expect(await send(page)).to.equal(requests)
    })
  }
})
