import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { probeDownload } from '../../../src/server/deployment/probe-download.ts'
import { startOwnClock } from '../../support/own-clock.ts'

describe('probeDownload', () => {
  let server: Server | null = null
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
    server = null
  })

  async function listen(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('returns the length of an available download', async () => {
    const url = await listen((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 200 : 500, { 'content-length': '42' }).end()
    })
    const probed = await probeDownload({ url, deadlineMs: 1000, env: {} })
    expect(probed).to.deep.equal({ bytes: 42 })
  })

  it('gives up if DNS does not answer before the deadline', async () => {
    const lookup = (): void => undefined
    const elapsedMs = startOwnClock()
    const url = 'https://download.invalid/mongodb.tgz'
    const probed = await probeDownload({ url, deadlineMs: 100, env: {}, lookup })
    expect(probed).to.deep.equal({ unavailable: 'download.invalid did not answer within 0.1 s' })
    expect(elapsedMs()).to.be.below(10_000)
  })

  it('gives up if the server does not answer before the deadline', async () => {
    const url = await listen(() => undefined)
    const probed = await probeDownload({ url, deadlineMs: 100, env: {} })
    expect(probed).to.have.property('unavailable').that.includes('did not answer within 0.1 s')
  })

  it('reports a host that refuses the download', async () => {
    const url = await listen((_, response) => response.writeHead(403).end())
    const probed = await probeDownload({ url, deadlineMs: 1000, env: {} })
    expect(probed).to.have.property('unavailable').that.includes('it answered 403')
  })

  it('connects through a proxy', async () => {
    const proxy = await listen(() => undefined)
    let asked = ''
    server?.on('connect', (request, socket) => {
      asked = String(request.url)
      socket.end('HTTP/1.1 200 Connection established\r\n\r\n')
    })
    const env = { https_proxy: proxy }
    const url = 'https://download.invalid/mongodb.tgz'
    const probed = await probeDownload({ url, deadlineMs: 1000, env })
    expect(asked).to.equal('download.invalid:443')
    expect(probed).to.deep.equal({ bytes: null })
  })

  it('reports a proxy that refuses the connection', async () => {
    const proxy = await listen(() => undefined)
    server?.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    const env = { HTTPS_PROXY: proxy }
    const url = 'https://download.invalid/mongodb.tgz'
    const probed = await probeDownload({ url, deadlineMs: 1000, env })
    expect(probed).to.have.property('unavailable')
  })
})
