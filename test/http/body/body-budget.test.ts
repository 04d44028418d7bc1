import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { openBodyBudget } from '../../../src/http/body/body-budget.ts'
import { readBody } from '../../../src/http/body/read-body.ts'
import type { RequestState } from '../../../src/http/router/state.ts'

const KIB = 1_024
const MAX_BODY = 64 * KIB
const TOGETHER = 256 * KIB

describe('incomplete request bodies', () => {
  let server: Server
  let port: number
  let opened: Socket[]

  beforeEach(async () => {
    opened = []
    const koa = new Koa<RequestState>()
    koa.silent = true
    koa.use(readBody(MAX_BODY, openBodyBudget(TOGETHER)))
    koa.use((ctx) => {
      ctx.status = 204
    })
    const handle = koa.callback()
    server = createServer((request, response) => void handle(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })

  afterEach(() => {
    for (const socket of opened) socket.destroy()
    server.closeAllConnections()
    server.close()
  })

  /** Sends `part` of a body of `length` bytes. */
  async function send(part: Buffer | string, length: number, more = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    opened.push(socket)
    socket.on('error', () => undefined)
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}`
    socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
    await new Promise((resolve) => socket.write(part, resolve))
    return socket
  }

  const closed = (socket: Socket): Promise<unknown> =>
    socket.destroyed ? Promise.resolve() : once(socket, 'close')

  async function answered(socket: Socket): Promise<string> {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    return chunk.toString('latin1').split('\r\n')[0] ?? ''
  }

  const part = `"${'x'.repeat(60 * KIB)}`

  it('are limited in total by closing the oldest connection', async () => {
    const slow: Socket[] = []
    for (let n = 0; n < 4; n += 1) {
      slow.push(await send(part, MAX_BODY))
      // The slow bodies are counted now, because the server processes bytes in order.
      expect(await answered(await send('{}', 2))).to.equal('HTTP/1.1 204 No Content')
    }
    expect(slow.map(({ destroyed }) => destroyed)).to.deep.equal([false, false, false, false])
    const [first, ...others] = slow
    if (first === undefined) throw new Error('none')
    await Promise.all([closed(first), send(part, MAX_BODY)])
    expect(others.map(({ destroyed }) => destroyed)).to.deep.equal([false, false, false])
  })

  it('do not block a client that sends its body immediately', async () => {
    for (let n = 0; n < 12; n += 1) await send(part, MAX_BODY)
    const body = JSON.stringify({ text: 'x'.repeat(60 * KIB) })
    expect(await answered(await send(body, body.length))).to.equal('HTTP/1.1 204 No Content')
  })

  it('no longer count after completion or disconnect', async () => {
    for (let n = 0; n < 20; n += 1) {
      const body = JSON.stringify({ text: 'x'.repeat(60 * KIB) })
      expect(await answered(await send(body, body.length))).to.equal('HTTP/1.1 204 No Content')
      const gone = await send(part, MAX_BODY)
      gone.destroy()
      await closed(gone)
    }
    const kept = [await send(part, MAX_BODY), await send(part, MAX_BODY)]
    expect(await answered(await send('{}', 2))).to.equal('HTTP/1.1 204 No Content')
    expect(kept.map(({ destroyed }) => destroyed)).to.deep.equal([false, false])
  })

  it('count with their maximum unpacked size if compressed', async () => {
    const packed = gzipSync(`{"text":"${'x'.repeat(60 * KIB)}"}`)
    const slow: Socket[] = []
    for (let n = 0; n < 4; n += 1) {
      slow.push(await send(packed.subarray(0, -10), packed.length, 'Content-Encoding: gzip\r\n'))
    }
    const [first] = slow
    if (first === undefined) throw new Error('none')
    await Promise.all([
      closed(first),
      send(packed.subarray(0, -10), packed.length, 'Content-Encoding: gzip\r\n'),
    ])
    const whole = await send(packed, packed.length, 'Content-Encoding: gzip\r\n')
    expect(await answered(whole)).to.equal('HTTP/1.1 204 No Content')
  })
})
