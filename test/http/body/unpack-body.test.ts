import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { readBody } from '../../../src/http/body/read-body.ts'
import { bodyOf } from '../../../src/http/body/read-request.ts'
import type { RequestState } from '../../../src/http/router/state.ts'

const LIMIT = 1_000
const TEXT = JSON.stringify({ title: 'Ünïcode 😀' })

describe('a JSON body', () => {
  let server: Server
  /** The last body as JSON, or the message of its error. */
  let body: Promise<string>
  let begun: () => void = () => undefined

  before(async () => {
    const koa = new Koa<RequestState>()
    koa.silent = true
    const read = readBody(LIMIT)
    koa.use(async (ctx) => {
      body = read(ctx, () => Promise.resolve()).then(
        () => JSON.stringify(bodyOf(ctx)),
        (error: unknown) => (error as Error).message,
      )
      begun()
      ctx.body = await body
    })
    const handle = koa.callback()
    server = createServer((incoming, response) => void handle(incoming, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const open = (headers: Readonly<Record<string, string | number>>) => {
    const { port } = server.address() as AddressInfo
    const type = { 'content-type': 'application/json', ...headers }
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', headers: type })
    outgoing.on('error', () => undefined) // the test closes the connection
    return outgoing
  }
  const send = async (sent: Buffer, coding: string): Promise<string> => {
    const outgoing = open({ 'content-encoding': coding })
    outgoing.end(sent)
    await once(outgoing, 'response')
    return body
  }

  for (const [coding, pack] of [
    ['identity', (text: Buffer) => text],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`is read from ${coding}`, async () => {
      expect(await send(pack(Buffer.from(TEXT)), coding)).to.equal(TEXT)
    })

    it(`is limited in size after unpacking ${coding}`, async () => {
      const sent = pack(Buffer.alloc(LIMIT + 1, 'x'))
      expect(await send(sent, coding)).to.equal('request entity too large')
    })

    it(`is rejected as ${coding} if the client disconnects`, async () => {
      const hasBegun = new Promise<void>((resolve) => (begun = resolve))
      const sent = pack(Buffer.from(TEXT))
      const outgoing = open({ 'content-encoding': coding, 'content-length': sent.length })
      outgoing.write(sent.subarray(0, 4))
      await hasBegun
      outgoing.destroy()
      expect(await body).to.be.oneOf(['request aborted', 'the request ended before its body did'])
    })
  }

  it('is rejected in an unknown coding', async () => {
    expect(await send(Buffer.from(TEXT), 'zip')).to.equal('Unsupported Content-Encoding: zip')
  })
})
