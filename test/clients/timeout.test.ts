import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, TimeoutError } from '@quire/client'
import { expect } from 'chai'

interface Types {
  readonly locales: string
  readonly queries: object
  readonly types: object
}

describe('the timeout of the client', () => {
  let server: Server
  let requests = 0
  beforeEach(async () => {
    requests = 0
    server = createServer((request, response) => {
      requests += 1
      // The head arrives at once, the rest never.
      if (request.url?.includes('begun')) response.writeHead(200).write('[')
      if (request.url?.includes('upload')) request.resume().on('end', () => response.end('[{}]'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
  })

  const client = (retries: number) =>
    createClient<Types>(
      {},
      {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        timeoutMs: 200,
        retries,
      },
    )

  const errorOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  for (const path of ['silent', 'begun']) {
    it(`fails with a TimeoutError for a response that is ${path}`, async () => {
      const error = await errorOf(client(0).$send({ method: 'GET', path }))
      expect(error).to.be.instanceOf(TimeoutError).and.instanceOf(TypeError)
      expect((error as Error).message).to.equal('No response within 200 ms')
    })
  }

  it('retries a repeatable request', async () => {
    const error = await errorOf(client(1).$send({ method: 'GET', path: 'silent' }))
    expect(error).to.be.instanceOf(TimeoutError)
    expect(requests).to.equal(2)
  })

  it('adds the time that the server may wait', async () => {
    const ended = new AbortController()
    const call = { method: 'GET', path: 'silent', waitMs: 60_000, signal: ended.signal } as const
    const failure = errorOf(client(0).$send(call))
    await errorOf(client(0).$send({ method: 'GET', path: 'silent' }))
    const reason = new Error('the test is over')
    ended.abort(reason)
    expect(await failure).to.equal(reason)
  })

  it('rejects with the reason of a signal that has already aborted', async () => {
    const reason = new Error('too late')
    const call = { method: 'GET', path: 'silent', signal: AbortSignal.abort(reason) } as const
    expect(await errorOf(client(0).$send(call))).to.equal(reason)
  })

  it('sets no timeout for uploads', async () => {
    const body = new FormData()
    body.append('files', new Blob(['x']))
    expect(await client(0).$send({ method: 'POST', path: 'upload', body })).to.deep.equal([{}])
  })
})
