import { randomBytes } from 'node:crypto'
import { createClient, type ClientOptions, QuireError } from '@quire/client'
import { sendParts } from '@quire/client/send-parts'
import { expect } from 'chai'
import { ROOT_TOKEN, serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const PART = 8_388_608
const LENGTH = 2 * PART + 1_000_000

interface Types {
  readonly locales: string
  readonly queries: object
  readonly types: object
}

describe('large files that the client uploads', () => {
  let server: TestServer
  let content: Buffer
  let blob: Blob

  before(async () => {
    server = await serve('client_parts', { contentTypes: {} })
    content = randomBytes(LENGTH)
    blob = new Blob([new Uint8Array(content)], { type: 'application/octet-stream' })
  })
  after(() => server.close())

  interface Sent {
    readonly method: string
    readonly path: string
    readonly bytes: number
  }

  /** `fails` says where the nth request of a method loses its connection. */
  const open = (
    fails: (method: string, nth: number) => 'before' | 'after' | null = () => null,
    options: Partial<ClientOptions> = {},
  ) => {
    const sent: Sent[] = []
    const flaky: typeof fetch = async (input, init = {}) => {
      const { method = 'GET', body } = init
      const nth = sent.filter((one) => one.method === method).length
      const path = (input as string).replace(/^.*\/api\//, '')
      sent.push({ method, path, bytes: body instanceof Blob ? body.size : 0 })
      const failure = fails(method, nth)
      if (failure === 'before') throw new TypeError('fetch failed')
      const answer = await fetch(input, init)
      if (failure !== 'after') return answer
      await answer.arrayBuffer()
      throw new TypeError('fetch failed')
    }
    const url = `http://127.0.0.1:${server.port}`
    const quire = createClient<Types>({}, { url, token: ROOT_TOKEN, fetch: flaky, ...options })
    return { quire, sent }
  }
  const bytesOf = async ({ url }: { readonly url: string }): Promise<Buffer> =>
    Buffer.from(await (await fetch(`http://127.0.0.1:${server.port}${url}`)).arrayBuffer())

  it('are sent in parts, with their texts', async () => {
    const { quire, sent } = open()
    const told: number[] = []
    const file = await quire.$files.upload(blob, {
      name: 'ä 日.bin',
      caption: 'ö',
      onProgress: (at) => told.push(at),
    })
    expect(file).to.include({ name: 'ä 日.bin', caption: 'ö' })
    expect((await bytesOf(file)).equals(content)).to.equal(true)
    expect(sent.map(({ method, bytes }) => [method, bytes])).to.deep.equal([
      ['POST', 0],
      ['PATCH', PART],
      ['PATCH', PART],
      ['PATCH', 1_000_000],
    ])
    expect(told.slice(0, 2)).to.deep.equal([PART, 2 * PART])
    expect(told.at(-1)).to.equal(LENGTH)
  })

  for (const failure of ['before', 'after'] as const) {
    it(`are resumed when connections are lost ${failure} each second request`, async function () {
      this.timeout(60_000)
      const { quire, sent } = open((_method, nth) => (nth % 2 === 0 ? failure : null))
      const count = await server.count('files')
      const file = await quire.$files.upload(blob)
      expect((await bytesOf(file)).equals(content)).to.equal(true)
      expect(await server.count('files')).to.equal(count + 1)
      expect(sent.filter(({ method }) => method === 'GET').length).to.be.greaterThan(2)
      const bytes = sent.reduce((sum, one) => sum + one.bytes, 0)
      if (failure === 'after') expect(bytes).to.equal(LENGTH) // nothing is sent twice
    })
  }

  it('are sent as a form to older servers', async () => {
    const asOld: typeof fetch = (input, init) =>
      (input as string).includes('resumable')
        ? Promise.resolve(new Response('{}', { status: 405 }))
        : fetch(input, init)
    const file = await open(undefined, { fetch: asOld }).quire.$files.upload(blob)
    expect((await bytesOf(file)).equals(content)).to.equal(true)
  })

  it('are a form at the limit of incomplete uploads, unless they can be resumed later', async () => {
    const refuse = (): Promise<never> =>
      Promise.reject(new QuireError(new Response(null, { status: 429 }), null))
    const upload = { send: refuse, file: blob, name: 'a.bin', info: {} }
    expect(await sendParts(upload)).to.equal(null)
    const error = await sendParts({ ...upload, key: 'film' }).catch((reason: unknown) => reason)
    expect(error).to.include({ status: 429 })
  })

  it('can be aborted, and leave nothing behind', async () => {
    const ended = new AbortController()
    const stored = await server.storedFiles()
    const { quire, sent } = open((method, nth) => {
      if (method === 'PATCH' && nth === 1) ended.abort(new Error('not wanted'))
      return null
    })
    const error = await quire.$files.upload(blob, { signal: ended.signal }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(String(error)).to.match(/not wanted/)
    await until(() => sent.some(({ method }) => method === 'DELETE'), 10_000)
    await until(async () => (await server.storedFiles()).length === stored.length, 10_000)
  })

  it('can be files of React Native that have slices', async () => {
    const uri = URL.createObjectURL(blob)
    const { quire, sent } = open()
    const native = { uri, name: 'film.bin', type: 'application/octet-stream', size: LENGTH }
    const file = await quire.$files.upload(native)
    URL.revokeObjectURL(uri)
    expect(file.name).to.equal('film.bin')
    expect((await bytesOf(file)).equals(content)).to.equal(true)
    expect(sent.filter(({ method }) => method === 'PATCH')).to.have.length(3)
  })

  it('fail with the error of the server', async () => {
    const { quire } = open()
    const error = await quire.$files.upload(blob, { caption: 'x'.repeat(300_000) }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.have.property('status', 400)
  })
})
