import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { pino } from 'pino'
import { GatewayTimeoutError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import { createFailureReport } from '../../../src/http/answer/report-failures.ts'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const SECRET = 'hunter2 the secret'

describe('the log of requests', () => {
  let server: TestServer

  before(async () => {
    server = await serve('logs', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
    })
  })

  after(() => server.close())

  async function open(head: readonly string[]): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const lines = [...head, 'Host: localhost', `Authorization: Bearer ${ROOT_TOKEN}`]
    socket.write([...lines, 'Content-Type: application/json', '', ''].join('\r\n'))
    return socket
  }

  async function answerOf(socket: Socket): Promise<string> {
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    return text
  }

  it('contains no bytes of a request with malformed chunks', async () => {
    for (const path of ['/api/auth/local', '/api/tags', '/admin/api-tokens']) {
      const socket = await open([`POST ${path} HTTP/1.1`, 'Transfer-Encoding: chunked'])
      socket.write(`2a\r\n{"identifier":"a","password":"${SECRET}"\r\nzz\r\n${SECRET}\r\n`)
      expect(await answerOf(socket), path).to.match(/^(HTTP\/1\.1 400|$)/)
    }
    const lines = JSON.stringify(server.takeLog())
    const bytes = JSON.stringify([...Buffer.from(SECRET)]).slice(1, -1)
    expect(lines).to.not.include('hunter2').and.not.include(bytes).and.not.include('rawPacket')
    expect(lines).to.equal('[]')
  })

  it('contains no warning about a disconnected client', async () => {
    const half = await open(['POST /api/tags HTTP/1.1', 'Content-Length: 1000'])
    half.write('{"data":')
    half.resetAndDestroy()
    const unread = await open(['GET /api/tags HTTP/1.1'])
    unread.resetAndDestroy()
    for (let n = 0; n < 20; n += 1) expect((await server.get('/api/tags')).status).to.equal(200)
    expect(server.takeLog()).to.deep.equal([])
  })
})

describe('createFailureReport', () => {
  it('writes one line without a stack for a thousand equal failures', () => {
    const lines: string[] = []
    const report = createFailureReport(pino({}, { write: (line: string) => lines.push(line) }))
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', rawPacket: SECRET })
    for (let n = 0; n < 1_000; n += 1) {
      report(new ServiceUnavailableError('Too many requests at a time', {}, { cause }), 'a')
      report(new GatewayTimeoutError('The database is too slow'), 'b')
    }
    expect(lines).to.have.length(2)
    expect(lines.join('').length).to.be.below(600)
    expect(lines[0]).to.include('ECONNREFUSED').and.not.include('hunter2')
  })

  it('limits the number of lines if every message is different', () => {
    let written = 0
    const report = createFailureReport(pino({}, { write: () => (written += 1) }))
    for (let n = 0; n < 1_000; n += 1) report(new ServiceUnavailableError(`failed ${n}`), 'a')
    expect(written).to.equal(51)
  })
})
