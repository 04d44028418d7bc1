import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { codeBlocksOf, PAGES } from '../../support/pages.ts'
import { png } from '../../media/sample-images.ts'
import { serveSample } from '../../support/sample-server.ts'
import { type Answer, type Json, ROOT_TOKEN, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

/** A request that a page shows without a shell. */
const REQUEST = /^ {4}(GET|POST|PUT|DELETE) +(\/(?:api|uploads)\/\S+)/gm
/** The status of requests that are to fail. */
const REFUSED: ReadonlyMap<string, number> = new Map([['/api/articles?status=bogus', 400]])

describe('the pages on the sample content', () => {
  let server: TestServer
  let folder: string

  before(async () => {
    ;({ server, folder } = await serveSample('sample_pages'))
    mkdirSync(join(folder, '.quire'), { recursive: true })
    writeFileSync(join(folder, '.quire/demo-token'), ROOT_TOKEN)
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('have requests that find entries as printed: README.md', async () => {
    const lines = codeBlocksOf('README.md').flatMap(({ text }) => text.split('\n'))
    const examples = lines.filter((line) => line.startsWith('curl '))
    expect(examples).to.have.lengthOf(4)
    await server.indexed()
    for (const example of examples) {
      const here = example.replace('http://127.0.0.1:1337', `http://127.0.0.1:${server.port}`)
      const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: folder })
      const answer: Json = JSON.parse(stdout)
      expect(answer.data, `${example}\n${stdout}`).to.be.an('array').that.is.not.empty
    }
  })

  const upload = async (): Promise<Answer> => {
    const files = [{ name: 'map.png', content: await png(1_000, 800) }]
    const sent = { headers: MULTIPART, body: multipart({ files }) }
    return server.send('POST', '/api/upload', sent)
  }

  it('have requests that the server accepts, without shell syntax', async () => {
    const { documentId } = (await server.get('/api/articles?status=draft')).body.data[0]
    const [picture] = (await upload()).body
    const requests = PAGES.flatMap((page) =>
      codeBlocksOf(page)
        .filter(({ language }) => language === '')
        .flatMap(({ text }) => [...text.matchAll(REQUEST)])
        .map(([, method = '', path = '']) => ({ page, method, path })),
    )
    expect(requests.length).to.be.above(10)
    for (const { page, method, path } of requests) {
      const target = path
        .replace(':documentId', documentId)
        .replace(/\/uploads\/[^?]*/, picture.url)
      const body = path.includes('/actions/')
        ? {}
        : { body: { data: { title: page, slug: 'page', body: '…' } } }
      const { status, text } = await server.send(method, target, method === 'GET' ? {} : body)
      const expected = REFUSED.get(path)
      const label = `${page}: ${method} ${path}\n${text.slice(0, 500)}`
      if (expected === undefined) expect(status, label).to.be.within(200, 204)
      else expect(status, label).to.equal(expected)
    }
  })
})
