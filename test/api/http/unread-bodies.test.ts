import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Device, permitPushes, pushed } from '../../support/push-world.ts'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

// A proxy reuses its connections for other clients, so the unread bytes of one request would become
// part of the next one.
describe('bodies that are refused halfway', () => {
  let server: TestServer
  let user: string

  before(async () => {
    server = await serve('unread-bodies', {
      contentTypes: { note: pushed(declare('note', { text: { type: 'string' } })) },
    })
    await permitPushes(server, ['api::note.note.push'])
    user = (await Device.of(server, 'anna')).member.token
  })

  after(() => server.close())

  const json = (length: number): Buffer => Buffer.from(`{"identifier":"${'a'.repeat(length)}"}`)
  const JSON_TYPE = 'Content-Type: application/json'
  const LINES = [`Authorization: Bearer ${ROOT_TOKEN}`, 'Content-Type: application/x-ndjson']
  const OF_USER = ['Authorization: Bearer <user>', 'Content-Type: application/x-ndjson']
  const SIGN_IN = '/api/auth/local'

  const cases: readonly (readonly [string, string, readonly string[], Buffer])[] = [
    ['a small body', SIGN_IN, [JSON_TYPE], json(5)],
    ['a body that is too long', SIGN_IN, [JSON_TYPE], json(1_500_000)],
    ['a gzip bomb', SIGN_IN, [JSON_TYPE, 'Content-Encoding: gzip'], bomb(gzipSync)],
    ['a Brotli bomb', SIGN_IN, [JSON_TYPE, 'Content-Encoding: br'], bomb(brotliCompressSync)],
    ['invalid gzip', SIGN_IN, [JSON_TYPE, 'Content-Encoding: gzip'], Buffer.alloc(1_000_000, 'x')],
    [
      'an unknown encoding',
      SIGN_IN,
      [JSON_TYPE, 'Content-Encoding: x'],
      Buffer.alloc(1_000_000, 'x'),
    ],
    ['a long body of a sign-in', '/admin/session', [JSON_TYPE], json(1_500_000)],
    ['too many lines', '/api/_bulk', LINES, Buffer.alloc(3_000_000, '\n')],
    ['too many lines of a push', '/api/_push', OF_USER, Buffer.alloc(1_000_000, '{}\n')],
    ['a push that is too long', '/api/_push', OF_USER, json(3_000_000)],
    ['a gzip bomb of a push', '/api/_push', [...OF_USER, 'Content-Encoding: gzip'], bomb(gzipSync)],
    ['a body to an unknown path', '/nothing', [JSON_TYPE], json(1_500_000)],
  ]
  for (const [label, path, headers, body] of cases) {
    for (const isChunked of [false, true]) {
      it(`responds to the request after ${label}${isChunked ? ' in chunks' : ''}`, async () => {
        const framed = isChunked ? chunked(body) : body
        const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
        const own = headers.map((header) => header.replace('<user>', user))
        const head = [`POST ${path} HTTP/1.1`, 'Host: a', ...own, length, '', ''].join('\r\n')
        const follower = 'GET /_health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        const answers = await exchange(server.port, [head, framed, follower])
        expect(answers.at(-1)).to.equal(204)
      })
    }
  }
})

/**
 * Ten megabytes compressed to a few kilobytes, followed by more bytes than the buffers on the way
 * hold.
 */
function bomb(pack: (body: Buffer) => Buffer): Buffer {
  return Buffer.concat([pack(Buffer.alloc(10_000_000, '[')), Buffer.alloc(500_000, 'x')])
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += 65_536) {
    const part = body.subarray(at, at + 65_536)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/**
 * Sends all parts at once. Returns the statuses of the responses until the server closes the
 * connection.
 */
function exchange(port: number, parts: readonly (string | Buffer)[]): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer after ${text}`)))
    socket.on('data', (data) => (text += String(data)))
    socket.on('error', reject)
    socket.on('close', () => {
      resolve([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)))
    })
    for (const part of parts) socket.write(part)
  })
}
