import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import { handleErrors } from '../../../src/http/middleware/handle-errors.ts'
import { limitInFlight } from '../../../src/http/middleware/limit-in-flight.ts'
import type { RequestState } from '../../../src/http/router/state.ts'

describe('limitInFlight', () => {
  let close: () => void = () => undefined
  let base = ''
  let port = 0
  /** Functions that end the requests in progress. */
  let working: ((failure?: Error) => void)[] = []
  let onWork: () => void = () => undefined

  beforeEach(async () => {
    working = []
    const app = new Koa<RequestState>({})
    app.use(handleErrors(pino({ level: 'silent' })))
    app.use(
      limitInFlight(2)(async (ctx) => {
        await new Promise<void>((resolve, reject) => {
          working.push((failure) => (failure === undefined ? resolve() : reject(failure)))
          onWork()
        })
        ctx.body = 'done'
      }),
    )
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
    base = `http://127.0.0.1:${port}`
    close = () => {
      server.closeAllConnections()
      server.close()
    }
  })

  afterEach(() => close())

  async function untilWorking(count: number): Promise<void> {
    while (working.length < count) await new Promise<void>((resolve) => (onWork = resolve))
  }

  it('refuses requests above the limit immediately with a Retry-After header', async () => {
    const admitted = [fetch(base), fetch(base)]
    await untilWorking(2)
    const refused = await fetch(base)
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1'])
    expect(await refused.json()).to.deep.equal({
      data: null,
      error: {
        status: 503,
        name: 'ServiceUnavailableError',
        message: 'Too many requests at a time',
        details: {},
      },
    })
    for (const end of working) end()
    expect((await Promise.all(admitted)).map(({ status }) => status)).to.deep.equal([200, 200])
  })

  it('frees a slot after success and after failure', async () => {
    for (const failure of [undefined, new Error('of the test'), undefined]) {
      const before = working.length
      const admitted = [fetch(base), fetch(base)]
      await untilWorking(before + 2)
      for (const end of working.slice(before)) end(failure)
      const status = failure === undefined ? 200 : 500
      expect((await Promise.all(admitted)).map((answer) => answer.status)).to.deep.equal([
        status,
        status,
      ])
    }
  })

  it('does not count a request with an incomplete body', async () => {
    const slow = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    for (const socket of slow) {
      socket.on('error', () => undefined) // the server may close first
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx')
    }
    await untilWorking(2)
    const quick = fetch(base)
    await untilWorking(3)
    for (const end of working) end()
    expect((await quick).status).to.equal(200)
    for (const socket of slow) socket.destroy()
  })

  it('counts a request with an announced body that is never read', async () => {
    const slow = ['GET', 'DELETE'].map((method) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx`)
      return socket
    })
    await untilWorking(2)
    const quick = fetch(base)
    onWork = () => working.at(-1)?.()
    expect((await quick).status).to.equal(503)
    for (const end of working) end()
    for (const socket of slow) socket.destroy()
  })
})
