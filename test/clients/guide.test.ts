import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { compilePrograms, makeProgramFolder } from '../support/page-programs.ts'
import { ROOT } from '../support/pages.ts'
import { ROOT_TOKEN, serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const CONTENT_TYPES = path.join(ROOT, 'content-types')
const USERS = 'plugin::users-permissions'

/** The address of the server in the guide, and the code of its mail. */
const GUIDE_URL = 'https://cms.example.org'
const GUIDE_CODE = '492817'

describe('docs/clients.md', () => {
  let server: TestServer
  let mailServer: MailServer
  let folder: string
  let usual: typeof fetch
  before(async () => {
    mailServer = await startMailServer()
    server = await serve('clients_guide', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off', SMTP_URL: mailServer.url },
      permitted: [
        'api::article.article.find',
        'api::category.category.find',
        `${USERS}.auth.callback`,
        `${USERS}.auth.register`,
      ],
    })
    usual = globalThis.fetch
    folder = await makeProgramFolder('clients-guide')
  })
  after(async () => {
    globalThis.fetch = usual
    await rm(folder, { recursive: true, force: true })
    await server.close()
    await mailServer.close()
  })

  /** Sends the requests of the guide to the test server, with the code of the last mail. */
  const redirected: typeof fetch = async (input, init = {}) => {
    const { body } = init
    const hasCode = typeof body === 'string' && body.includes(GUIDE_CODE)
    const sent = hasCode ? body.replace(GUIDE_CODE, await mailedCode()) : body
    const url = (input as string).replace(GUIDE_URL, `http://127.0.0.1:${server.port}`)
    const answer = await usual(url, { ...init, ...(sent !== undefined && { body: sent }) })
    statuses.push(answer.status)
    return answer
  }
  const statuses: number[] = []
  const mailedCode = async (): Promise<string> => {
    await until(() => Promise.resolve(mailServer.mails.length > 0), 20_000)
    return /\d{6}/.exec(mailServer.mails.at(-1)?.text ?? '')?.[0] ?? ''
  }

  it('contains only examples that compile and run', async () => {
    const page = await readFile(path.join(ROOT, 'docs/clients.md'), 'utf8')
    const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
    expect(blocks.length).to.be.at.least(2)
    expect(page).to.not.match(/^```(?!ts$|$)/m)
    const programs = await compilePrograms(folder, CONTENT_TYPES, blocks)

    globalThis.fetch = redirected
    await fillServer()
    for (const program of programs) {
      const before = statuses.length
      await import(program)
      expect(statuses.length, program).to.be.above(before)
    }
    expect(new Set(statuses)).to.deep.equal(new Set([200]))
  })

  async function fillServer(): Promise<void> {
    const [documentId, data] = ['c'.repeat(24), { name: 'Maps', slug: 'maps' }]
    const lines = [
      { op: 'upsert', type: 'category', documentId, locale: 'de', data },
      {
        op: 'upsert',
        type: 'article',
        documentId: 'a'.repeat(24),
        locale: 'de',
        data: { title: 'Alps', body: 'x', slug: 'alps', category: documentId },
      },
    ]
    const answer = await usual(`http://127.0.0.1:${server.port}/api/_bulk`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${ROOT_TOKEN}` },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    const results = (await answer.text()).trim().split('\n')
    expect(results.filter((line) => line.includes('"error"'))).to.deep.equal([])
  }
})
