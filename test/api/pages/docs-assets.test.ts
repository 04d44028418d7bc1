import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const BUNDLE = '/api/docs/swagger-ui-bundle.js'
const REQUESTS = 20

describe('scripts of the docs page', () => {
  let server: TestServer
  before(async () => {
    server = await serve('docs-assets', {
      contentTypes: { note: declare('note', { text: { type: 'string' } }) },
    })
  })
  after(() => server.close())

  it('compresses the scripts once, not per request', async () => {
    const headers = { 'accept-encoding': 'br' }
    const first = await server.get(BUNDLE, { headers, token: null })
    expect([first.status, first.headers['content-encoding']]).to.deep.equal([200, 'br'])
    const plain = await server.get(BUNDLE, { token: null })
    const before = process.cpuUsage()
    for (let count = 0; count < REQUESTS; count += 1) {
      const again = await getPacked(server.port)
      expect(again.headers.etag).to.equal(first.headers.etag)
    }
    const spent = sum(process.cpuUsage(before))
    // This comes last because it blocks the server: idle connections time out, and a request on one
    // would fail.
    const packing = cpuOf(() => {
      for (let count = 0; count < REQUESTS; count += 1) packFast(plain.text)
    })
    expect(spent, `${spent} of ${packing} us`).to.be.below(packing / 2)
  })
})

/** Leaves the body compressed. Unpacking it here would cost about as much as compressing it. */
async function getPacked(port: number): Promise<IncomingMessage> {
  const request = get({
    port,
    host: '127.0.0.1',
    path: BUNDLE,
    headers: { 'accept-encoding': 'br' },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response
}

/** The quality of responses that are compressed per request. */
function packFast(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return sum(process.cpuUsage(before))
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}
