import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { readConfig } from '../../src/base/config/config.ts'
import type { ConnectionLimits } from '../../src/base/config/sections.ts'
import { type RunningServer, serve } from '../../src/server/serve.ts'

const HEAD = 'HTTP/1.1\r\nHost: localhost\r\n'

describe('limits of the server for clients', () => {
  let server: RunningServer | null = null
  const sockets: Socket[] = []

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server?.stop()
    server = null
  })

  async function serving(
    limits: Partial<ConnectionLimits>,
    listener: RequestListener,
  ): Promise<RunningServer> {
    const { connections, ...http } = readConfig({ HOST: '127.0.0.1', PORT: '0' }).http
    server = await serve(
      { callback: () => listener },
      { http: { ...http, connections: { ...connections, ...limits } } },
    )
    return server
  }

  async function open({ port }: RunningServer): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  /** Collects all bytes until the connection ends or breaks. */
  async function heard(socket: Socket): Promise<string> {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    // If the client still sends, Node 24 reports an error and Node 20 only closes.
    const cut = new Promise<void>((resolve, reject) => {
      socket.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve()
        else reject(error)
      })
      socket.once('close', () => resolve())
    })
    if (!socket.closed) await cut
    return text
  }

  /** Sends a byte periodically while the connection is open. */
  function dribble(socket: Socket): void {
    const timer = setInterval(() => socket.write('x'), 10)
    socket.once('close', () => clearInterval(timer))
  }

  it('close connections that send headers byte by byte', async () => {
    let asked = 0
    const running = await serving({ headersTimeoutMs: 100 }, () => (asked += 1))
    const socket = await open(running)
    socket.write(`GET / ${HEAD}X-Slow: `)
    dribble(socket)
    expect(await heard(socket)).to.match(/^HTTP\/1\.1 408 /)
    expect(asked).to.equal(0)
  })

  it('close connections that send no bytes', async () => {
    const socket = await open(await serving({ headersTimeoutMs: 100 }, () => undefined))
    expect(await heard(socket)).to.match(/^HTTP\/1\.1 408 /)
  })

  it('close connections that send a body byte by byte and abort the request', async () => {
    let ended: (how: string) => void = () => undefined
    const letGo = new Promise<string>((resolve) => (ended = resolve))
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 }
    const running = await serving(limits, (request) => {
      request.resume()
      request.once('error', ({ message }) => ended(message))
    })
    const socket = await open(running)
    socket.write(`POST / ${HEAD}Content-Length: 100000\r\n\r\n`)
    dribble(socket)
    expect(await heard(socket)).to.match(/^HTTP\/1\.1 408 /)
    expect(await letGo).to.equal('aborted')
  })

  it('close connections that send chunks byte by byte', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 }
    const socket = await open(await serving(limits, (request) => request.resume()))
    socket.write(`POST / ${HEAD}Transfer-Encoding: chunked\r\n\r\nfffff\r\n`)
    dribble(socket)
    expect(await heard(socket)).to.match(/^HTTP\/1\.1 408 /)
  })

  it('keep a fast connection open until it is idle', async () => {
    const running = await serving({ keepAliveTimeoutMs: 50 }, (_, response) => response.end('ok'))
    const socket = await open(running)
    const said = heard(socket)
    socket.write(`GET / ${HEAD}\r\nGET / ${HEAD}\r\n`)
    expect((await said).match(/HTTP\/1\.1 200 /g)).to.have.length(2)
  })

  it('stop producing a stream that is not read and close the connection', async () => {
    let madeBytes = 0
    let closed: () => void = () => undefined
    const letGo = new Promise<void>((resolve) => (closed = resolve))
    const endless = function* (): Generator<Buffer> {
      for (;;) {
        madeBytes += 65_536
        yield Buffer.alloc(65_536)
      }
    }
    const running = await serving({ silenceTimeoutMs: 200 }, (_, response) => {
      const answer = Readable.from(endless())
      response.once('close', () => {
        answer.destroy()
        closed()
      })
      answer.pipe(response)
    })
    const socket = await open(running)
    socket.pause()
    socket.write(`GET / ${HEAD}\r\n`)
    await letGo
    expect(madeBytes, 'what the kernels of both sides hold').to.be.below(64 * 2 ** 20)
  })

  it('close a connection if the client never reads a response held in memory', async () => {
    let closed: () => void = () => undefined
    const letGo = new Promise<void>((resolve) => (closed = resolve))
    const running = await serving({ silenceTimeoutMs: 200 }, (_, response) => {
      response.once('close', closed)
      response.end(Buffer.alloc(64 * 2 ** 20))
    })
    const socket = await open(running)
    socket.pause()
    socket.write(`GET / ${HEAD}\r\n`)
    await letGo
  })

  it('stop processing pipelined requests if their responses are not read', async () => {
    let asked = 0
    const running = await serving({}, (_, response) => {
      asked += 1
      response.end(Buffer.alloc(2 ** 20))
    })
    const socket = await open(running)
    socket.write(`GET / ${HEAD}\r\n`.repeat(2000))
    await heard(socket)
    expect(asked, 'of 2000').to.be.within(1, 64)
  })

  it('respond with 431 to headers above the limit', async () => {
    const limits = { maxHeaderBytes: 2048 }
    const socket = await open(await serving(limits, (_, response) => response.end()))
    socket.write(`GET / ${HEAD}X-Long: ${'x'.repeat(3000)}\r\n\r\n`)
    expect(await heard(socket)).to.match(/^HTTP\/1\.1 431 /)
  })

  it('close connections above the limit and accept new ones when others have ended', async () => {
    const running = await serving({ maxConnections: 2 }, (_, response) => response.end('ok'))
    const [first] = [await open(running), await open(running)]
    expect(await heard(await open(running))).to.equal('')
    first.destroy()
    const ask = async (): Promise<string> => {
      const socket = await open(running)
      socket.write(`GET / ${HEAD}Connection: close\r\n\r\n`)
      return heard(socket)
    }
    let said = ''
    while (!said.startsWith('HTTP/1.1 200 ')) said = await ask()
  })
})
