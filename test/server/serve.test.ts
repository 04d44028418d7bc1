import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { readConfig } from '../../src/base/config/config.ts'
import { ConfigError } from '../../src/base/errors.ts'
import { serve } from '../../src/server/serve.ts'
import type { RunningServer } from '../../src/server/serve.ts'
import { until } from '../support/until.ts'
import { startOwnClock } from '../support/own-clock.ts'

const { connections } = readConfig({ KEEP_ALIVE_TIMEOUT_MS: '60000' }).http
const config = { http: { host: '127.0.0.1', port: 0, connections } }

describe('serve', () => {
  let server: RunningServer | null = null
  afterEach(async () => {
    await server?.stop()
    server = null
  })

  async function serving(listener: RequestListener, finishMs?: number): Promise<RunningServer> {
    server = await serve({ callback: () => listener }, config, finishMs)
    return server
  }

  it('returns its actual port', async () => {
    const { port, address } = await serving((_, response) => response.end('ok'))
    expect(address).to.equal(`http://127.0.0.1:${port}`)
    expect((await fetch(address)).status).to.equal(200)
  })

  it('accepts a query string with a thousand ids', async () => {
    const { address } = await serving((request, response) =>
      response.end(String(request.url?.length)),
    )
    const query = Array.from(
      { length: 1000 },
      (_, at) => `filters[documentId][$in][${at}]=${'x'.repeat(24)}`,
    )
    expect((await fetch(`${address}/?${query.join('&')}`)).status).to.equal(200)
  })

  it('reports an address in use in one sentence', async () => {
    const { port } = await serving((_, response) => response.end())
    const second = serve(
      { callback: () => () => undefined },
      {
        http: { ...config.http, port },
      },
    )
    const error = await second.catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ConfigError)
  })

  it('does not wait for idle connections when it stops', async () => {
    const { address, stop } = await serving((_, response) => response.end('ok'))
    const agent = new Agent({ keepAlive: true })
    const [response] = (await once(get(address, { agent }), 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    const elapsedMs = startOwnClock()
    await stop()
    expect(elapsedMs(), 'where an idle one is kept for a minute').to.be.below(30_000)
    agent.destroy()
  })

  it('drops unfinished requests after the time limit', async () => {
    let begun: (response: ServerResponse) => void = () => undefined
    const inFlight = new Promise<ServerResponse>((resolve) => (begun = resolve))
    const { address, stop } = await serving((_, response) => begun(response), 100)
    const slow = fetch(address).catch(() => 'dropped')
    await inFlight
    await stop()
    expect(await slow).to.equal('dropped')
  })

  it('closes every response of a closed connection, including pipelined ones', async () => {
    const LARGE = Buffer.alloc(1_000_000, 'x')
    let [opened, closed] = [0, 0]
    const { port } = await serving((_, response) => {
      opened += 1
      response.once('close', () => (closed += 1))
      setTimeout(() => response.end(LARGE), opened % 7)
    })
    const clients = Array.from({ length: 30 }, () => {
      const client = connect(port, '127.0.0.1')
      client.on('error', () => undefined)
      client.write('GET / HTTP/1.1\r\nHost: quire\r\n\r\n'.repeat(6))
      return client.pause()
    })
    await until(() => opened === 180, 10_000)
    for (const client of clients) client.destroy()
    await until(
      () => closed === opened,
      10_000,
      () => `${closed} of ${opened}`,
    )
  })
})
