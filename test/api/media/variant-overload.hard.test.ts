import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { expect } from 'chai'
import sharp from 'sharp'
import { until } from '../../support/until.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const IN_FLIGHT = 10
const WIDTHS = [384, 512, 640, 750, 828, 1080, 1200, 1920, 2048, 3840]
const FORMATS = ['avif', 'webp', 'jpeg', 'png']

describe('many simultaneous requests for pictures', () => {
  let server: TestServer
  let file: Json

  before(async () => {
    server = await serve('variant_overload', {
      contentTypes: MEDIA_TYPES,
      environment: { MAX_IN_FLIGHT: String(IN_FLIGHT) },
      permitted: ['plugin::upload.content-api.find'],
    })
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const create = { width: 3_000, height: 3_000, channels: 3 as const, background: '#888', noise }
    const content = await sharp({ create }).jpeg().toBuffer()
    const body = multipart({ files: [{ name: 'noise.jpg', content, type: 'image/jpeg' }] })
    const { body: added } = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    file = added[0]
  })

  after(() => server.close())

  function ask(query: string): ClientRequest {
    const asked = request({ host: '127.0.0.1', port: server.port, path: `${file.url}?${query}` })
    asked.on('error', () => undefined)
    asked.end()
    return asked
  }

  it('leaves room for other requests, and drops the work for disconnected clients', async () => {
    const queries = WIDTHS.flatMap((width) =>
      FORMATS.map((format) => `width=${width}&format=${format}&quality=90`),
    )
    const asked = queries.map(ask)
    await Promise.all(asked.map((one) => once(one, 'socket')))
    // Wait until their first reads of the database have ended.
    const reads = async (): Promise<boolean> =>
      (await server.get('/api/upload/files', { token: null })).status === 200
    await until(reads, 10_000)
    server.takeLog() // of requests that came too early
    for (let n = 0; n < IN_FLIGHT; n += 1) {
      const { status, text } = await server.get('/api/upload/files', { token: null })
      expect(status, text).to.equal(200)
    }
    for (const one of asked) one.destroy()
    // A new request does not wait for any of them.
    const elapsedMs = startOwnClock()
    const [response] = (await once(ask('width=16&format=jpeg&quality=50'), 'response')) as [Json]
    response.resume()
    expect(response.statusCode).to.equal(200)
    expect(elapsedMs(), 'ms').to.be.below(10_000)
    const [record] = (await server.get(`/api/upload/files?filters[id]=${file.id}`)).body
    expect(record.id).to.equal(file.id)
    expect(server.takeLog()).to.deep.equal([])
  })
})
