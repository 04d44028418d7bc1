import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { expect } from 'chai'
import { sendRequest } from '../../../src/changes/webhooks/send-request.ts'

const message = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
})

describe('sending a message', () => {
  let receiver: Server
  let port: number
  let seen: string[]
  let answer: (request: IncomingMessage, response: ServerResponse) => void

  before(async () => {
    receiver = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      answer(request, response)
    })
    receiver.listen(0, '::')
    await once(receiver, 'listening')
    port = (receiver.address() as AddressInfo).port
  })
  beforeEach(() => {
    seen = []
    answer = (_, response) => response.writeHead(204).end()
  })
  after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })

  const send = (host: string, more: object = {}) =>
    sendRequest(message(`http://${host}:${port}/in`), {
      version: '1',
      allowHosts: ['127.0.0.1'],
      ...more,
    })

  describe('refuses inner addresses', () => {
    const refused = [
      ['loopback', '127.0.0.1'],
      ['loopback with another number', '127.8.8.8'],
      ['loopback as a number', '2130706433'],
      ['loopback in hexadecimal', '0x7f.1'],
      ['loopback in octal', '0177.0.0.1'],
      ['a name of loopback', 'localhost'],
      ['any address', '0.0.0.0'],
      ['IPv6 loopback', '[::1]'],
      ['IPv6 any address', '[::]'],
      ['IPv4-mapped loopback', '[::ffff:127.0.0.1]'],
      ['IPv4-mapped loopback in hexadecimal', '[::ffff:7f00:1]'],
      ['NAT64 of loopback', '[64:ff9b::7f00:1]'],
      ['6to4 of loopback', '[2002:7f00:1::]'],
      ['link-local with cloud credentials', '169.254.169.254'],
      ['IPv4-mapped link-local', '[::ffff:169.254.169.254]'],
      ['IPv4-compatible loopback', '[::127.0.0.1]'],
      ['IPv4-translated loopback', '[::ffff:0:127.0.0.1]'],
      ['NAT64 of this network', '[64:ff9b:1::7f00:1]'],
      ['Teredo', '[2001:0:7f00:1::1]'],
      ['IPv6 documentation', '[2001:db8::1]'],
      ['loopback in octal with zeros', '0000177.000.000.01'],
      ['this network', '0.1.2.3'],
      ['IETF assignments', '192.0.0.8'],
      ['reserved', '240.0.0.1'],
      ['IPv6 link-local', '[fe80::1]'],
      ['IPv6 unique local', '[fd00::1]'],
      ['IPv6 site-local', '[fec0::1]'],
      ['IPv6 multicast', '[ff02::1]'],
      ['private 10', '10.0.0.1'],
      ['private 172.16', '172.16.0.1'],
      ['private 192.168', '192.168.1.1'],
      ['carrier-grade NAT', '100.64.0.1'],
      ['benchmarks', '198.18.0.1'],
      ['broadcast', '255.255.255.255'],
      ['multicast', '224.0.0.1'],
    ] as const
    for (const [label, host] of refused) {
      it(`before it sends a request: ${label}: ${host}`, async () => {
        const { error, status } = await send(host, { allowHosts: [] })
        expect({ error, status }).to.deep.equal({ error: 'address_refused', status: null })
        expect(seen).to.deep.equal([])
      })
    }

    it('of names on every lookup, to prevent DNS rebinding', async () => {
      const answers = ['203.0.113.1', '127.0.0.1', '::ffff:127.0.0.1', '::1']
      let looks = 0
      /** Returns a different address each time, like a DNS rebinding attack. */
      const lookup = ((
        _name: string,
        options: { all?: boolean },
        done: (...told: unknown[]) => void,
      ) => {
        const address = answers[looks] ?? '::1'
        looks += 1
        const family = address.includes(':') ? 6 : 4
        if (options.all === true) done(null, [{ address, family }])
        else done(null, address, family)
      }) as LookupFunction
      const first = await send('rebind.example', { allowHosts: [], lookup, timeoutMs: 300 })
      expect(first.error, 'a documentation address is no inner one that could answer').to.be.oneOf([
        'address_refused',
        'timeout',
        'unreachable',
      ])
      for (const _ of answers.slice(1)) {
        const { error } = await send('rebind.example', { allowHosts: [], lookup })
        expect(error).to.equal('address_refused')
      }
      expect(looks).to.equal(answers.length)
      expect(seen).to.deep.equal([])
    })

    it('if one of several addresses is inner', async () => {
      const lookup = ((_name: string, _options: object, done: (...told: unknown[]) => void) => {
        done(null, [
          { address: '93.184.216.34', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ])
      }) as LookupFunction
      const { error } = await send('two.example', { allowHosts: [], lookup })
      expect(error).to.equal('address_refused')
    })
  })

  it('reaches allowed inner hosts by name or with port', async () => {
    expect((await send('127.0.0.1')).error).to.equal(null)
    expect((await send('127.0.0.1', { allowHosts: [`127.0.0.1:${port}`] })).error).to.equal(null)
    const other = await send('127.0.0.1', { allowHosts: ['127.0.0.1:1'] })
    expect(other.error).to.equal('address_refused')
    expect(seen).to.deep.equal(['POST /in', 'POST /in'])
  })

  it('sends its body unchanged', async () => {
    let body = ''
    answer = (request, response) => {
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => response.writeHead(200).end('answer that nobody reads'))
    }
    const text = JSON.stringify({ name: 'Ünïcode' })
    const target = { ...message(`http://127.0.0.1:${port}/`), body: text }
    const { status, error } = await sendRequest(target, { version: '1', allowHosts: ['127.0.0.1'] })
    expect({ status, error, body }).to.deep.equal({ status: 200, error: null, body: text })
  })

  it('fails on a redirect and does not follow it', async () => {
    answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()
    const { status, error } = await send('127.0.0.1')
    expect({ status, error }).to.deep.equal({ status: 307, error: 'redirect' })
    expect(seen).to.deep.equal(['POST /in'])
  })

  it('fails on any other status and returns Retry-After', async () => {
    answer = (_, response) => response.writeHead(503, { 'retry-after': '7' }).end()
    const { status, error, retryAfterMs } = await send('127.0.0.1')
    expect({ status, error, retryAfterMs }).to.deep.equal({
      status: 503,
      error: 'status',
      retryAfterMs: 7_000,
    })
  })

  it('fails if the receiver is silent or closes the connection', async () => {
    answer = () => undefined
    expect((await send('127.0.0.1', { timeoutMs: 100 })).error).to.equal('timeout')
    answer = (request) => request.socket.destroy()
    expect((await send('127.0.0.1')).error).to.equal('unreachable')
  })
  it('fails if the receiver switches to another protocol', async () => {
    answer = (request) =>
      request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
      )
    expect((await send('127.0.0.1')).error).to.equal('unreachable')
  })
})
