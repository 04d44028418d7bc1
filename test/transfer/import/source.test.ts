import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, isIPv6, type LookupFunction } from 'node:net'
import { expect } from 'chai'
import { openSource, type Source } from '../../../src/transfer/import/source.ts'
import { ApplicationError } from '../../../src/base/errors.ts'

const MAX_FILE_BYTES = 1_000
const PAGES: Readonly<Record<string, string | Buffer>> = {
  '/api/tags': '{"data":[]}',
  '/api/text': '<html>',
  '/api/latin': Buffer.from('{"data":"é"}', 'latin1'),
}

async function listen(
  answer: (request: IncomingMessage) => {
    status?: number
    location?: string
    body?: string | Buffer
  },
): Promise<{ readonly server: Server; readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.authorization ?? '-'}`)
    const { status = 200, location, body = '' } = answer(request)
    response.writeHead(status, location === undefined ? {} : { location }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

describe('openSource', () => {
  let inner: Awaited<ReturnType<typeof listen>>
  let base: Awaited<ReturnType<typeof listen>>
  let source: Source

  before(async () => {
    inner = await listen(() => ({ body: 'of the inner network' }))
    base = await listen(({ url = '' }) => {
      if (url.startsWith('/large')) return { body: 'x'.repeat(MAX_FILE_BYTES + 1) }
      if (url.startsWith('/round')) return { status: 302, location: '/round' }
      if (url.startsWith('/here')) return { status: 302, location: '/file' }
      if (url.startsWith('/inner')) return { status: 307, location: `${inner.origin}/secret` }
      if (url.startsWith('/scheme')) return { status: 302, location: 'file:///etc/passwd' }
      if (url.startsWith('/api/moved')) return { status: 301, location: `${inner.origin}/api` }
      return { body: PAGES[url.split('?')[0] ?? ''] ?? 'a file' }
    })
    source = openSource(base.origin, { token: 'secret', maxFileBytes: MAX_FILE_BYTES })
  })

  after(() => {
    for (const { server } of [inner, base]) {
      server.closeAllConnections()
      server.close()
    }
  })

  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => `fetched ${String(value)}`,
      (error: unknown) => error,
    )

  it('sends its token to the source', async () => {
    expect(await source.read('tags', { a: { b: 1 } })).to.deep.equal({ data: [] })
    expect(String(await source.download('/file'))).to.equal('a file')
    expect(String(await source.download('/here'))).to.equal('a file')
    expect(base.asked.every((line) => line.endsWith(' Bearer secret'))).to.equal(true)
  })

  it('refuses inner addresses in links and redirects', async () => {
    const { port } = new URL(inner.origin)
    const addresses = [
      `${inner.origin}/secret`,
      `http://localhost:${port}/secret`,
      `http://[::1]:${port}/secret`,
      `http://[::ffff:127.0.0.1]:${port}/secret`,
      `http://2130706433:${port}/secret`,
      `http://0x7f.1:${port}/secret`,
      `http://0.0.0.0:${port}/secret`,
      `//127.0.0.1:${port}/secret`,
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/',
      '/inner',
      '/scheme',
      '/round',
      'file:///etc/passwd',
      'data:text/plain,x',
      'http://',
    ]
    for (const address of addresses) {
      expect(await refusal(source.download(address)), address).to.be.instanceOf(ApplicationError)
    }
    expect(await refusal(source.read('moved'))).to.be.instanceOf(ApplicationError)
    expect(inner.asked).to.deep.equal([])
  })

  it('checks the address of every lookup to prevent DNS rebinding', async () => {
    const { port } = new URL(inner.origin)
    const said = ['93.184.216.34', '127.0.0.1', '::ffff:127.0.0.1', '::1']
    let looks = 0
    const lookup: LookupFunction = (_name, _options, done) => {
      const address = said[looks] ?? '::1'
      looks += 1
      done(null, [{ address, family: isIPv6(address) ? 6 : 4 }])
    }
    const options = { token: null, maxFileBytes: MAX_FILE_BYTES, lookup }
    const rebound = openSource(base.origin, options)
    // Port 0 prevents any connection to the public address.
    const first = await refusal(rebound.download(`http://rebind.example:0/secret`))
    expect(first).to.be.instanceOf(ApplicationError)
    for (const _ of said.slice(1)) {
      const next = await refusal(rebound.download(`http://rebind.example:${port}/secret`))
      expect(next).to.be.instanceOf(ApplicationError)
      expect((next as Error).message).to.match(/is no public address/)
    }
    expect(looks).to.equal(said.length)
    expect(inner.asked).to.deep.equal([])
  })

  it('fetches from a configured origin without the token', async () => {
    const options = { token: 'secret', maxFileBytes: MAX_FILE_BYTES, filesFrom: inner.origin }
    const bytes = await openSource(base.origin, options).download(`${inner.origin}/a.png`)
    expect(String(bytes)).to.equal('of the inner network')
    expect(inner.asked.splice(0)).to.deep.equal(['/a.png -'])
  })

  it('refuses files above the limit and pages that are not JSON or not UTF-8', async () => {
    expect(await refusal(source.download('/large'))).to.be.instanceOf(ApplicationError)
    expect(await refusal(source.read('text'))).to.be.instanceOf(ApplicationError)
    const latin = await refusal(source.read('latin'))
    expect(latin).to.be.instanceOf(ApplicationError)
    expect((latin as Error).message).to.match(/answers no UTF-8 to \/api\/latin$/)
  })
})
