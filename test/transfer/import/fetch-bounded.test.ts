import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { fetchBounded } from '../../../src/transfer/import/fetch-bounded.ts'

describe('fetchBounded', () => {
  let server: Server
  let origin: string
  const sockets = new Set<Socket>()

  before(async () => {
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('fails if the server switches to another protocol', async () => {
    const options = {
      credentials: {},
      credentialsOrigin: '',
      trustedOrigins: new Set([origin]),
      maxBytes: 1_000,
    }
    const failure = await fetchBounded(new URL(origin), options).catch((error: unknown) => error)
    expect(failure).to.have.property('message').that.includes('hung up')
  })
})
