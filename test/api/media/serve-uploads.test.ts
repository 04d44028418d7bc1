import { expect } from 'chai'
import { png } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { openDatabaseProxy } from '../../support/database-proxy.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { testUri } from '../../support/test-database.ts'
import { MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'

for (const storage of ['local', 'gridfs', 's3']) {
  describe(`/uploads from ${storage}`, () => {
    let server: TestServer
    let url: string
    let s3: S3Server | null = null

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      server = await serve(`serve_${storage}`, {
        contentTypes: MEDIA_TYPES,
        environment: {
          CACHE_TAGS: 'surrogate-key',
          ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
        },
      })
      url = await upload('a.txt', '0123456789')
    })
    after(async () => {
      await server.close()
      await s3?.close()
    })

    const upload = async (
      name: string,
      content: string | Buffer,
      type = 'application/octet-stream',
    ): Promise<string> => {
      const body = multipart({ files: [{ name, content, type }] })
      const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
      expect(answer.body[0].provider).to.equal(storage)
      return answer.body[0].url
    }

    const get = (headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      server.get(url, { headers, token: null })

    it('serves a file to everyone with its type, for caches that revalidate', async () => {
      const { status, headers, text } = await get()
      expect([status, text]).to.deep.equal([200, '0123456789'])
      expect(headers['content-type']).to.equal('text/plain; charset=utf-8')
      expect(headers['content-length']).to.equal('10')
      expect(headers['cache-control']).to.equal('public, no-cache')
      expect(headers['x-content-type-options']).to.equal('nosniff')
      expect(headers['accept-ranges']).to.equal('bytes')
    })

    it('has the tag of the file in responses with its bytes, its formats and its variants', async () => {
      const files = [{ name: 'b.png', content: await png(800, 600), type: 'image/png' }]
      const uploaded = async (fileInfo: object): Promise<Json> => {
        const body = multipart({ files, fields: { fileInfo } })
        return (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body[0]
      }
      const file = await uploaded({})
      const variant = `${file.url}?width=256&format=webp`
      for (const path of [file.url, file.formats.small.url, variant, `${file.url}?v=1`]) {
        const { status, headers } = await server.get(path, { token: null })
        const tags = [status, headers['surrogate-key']]
        expect(tags, path).to.deep.equal([200, `uploads ${file.documentId}`])
      }
      const hidden = await uploaded({ private: true })
      const signed = await server.get(`/api/upload/files/${hidden.id}`)
      const { status, headers } = await server.get(signed.body.url, { token: null })
      expect([status, headers['surrogate-key']]).to.deep.equal([200, undefined])
    })

    it('responds to HEAD, and with 304 to a known ETag', async () => {
      const head = await server.send('HEAD', url)
      expect([head.status, head.text, head.headers['content-length']]).to.deep.equal([
        200,
        '',
        '10',
      ])
      const etag = head.headers.etag ?? ''
      expect((await get({ 'if-none-match': etag })).status).to.equal(304)
      expect((await get({ 'if-none-match': '"other"' })).status).to.equal(200)
    })

    it('sends the new bytes of a replaced file under the same URL, despite a known ETag', async () => {
      const files = [{ name: 'again.txt', content: 'before' }]
      const sent = { headers: MULTIPART, body: multipart({ files }) }
      const [file] = (await server.send('POST', '/api/upload', sent)).body
      const before = await server.get(file.url)
      const next = multipart({ files: [{ name: 'again.txt', content: 'behind' }] })
      const target = `/api/upload?id=${file.id}`
      const replaced = await server.send('POST', target, { headers: MULTIPART, body: next })
      expect(replaced.body.url).to.equal(file.url)
      const known = { 'if-none-match': before.headers.etag ?? '' }
      const after = await server.get(file.url, { headers: known })
      expect([after.status, after.text]).to.deep.equal([200, 'behind'])
      expect(after.headers['cache-control']).to.equal('public, no-cache')
    })

    it('allows caches to keep a versioned URL forever', async () => {
      const versioned = await server.get(`${url}?v=2024-03-01T12:00:00.000Z`)
      expect(versioned.headers['cache-control']).to.equal('public, max-age=31536000, immutable')
      const missing = await server.get('/uploads/none_0123456789.txt?v=1')
      expect([missing.status, missing.headers['cache-control']]).to.deep.equal([404, 'no-store'])
    })

    const ranges: readonly (readonly [string, number, string, string | undefined])[] = [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-50', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=5-500', 206, '56789', 'bytes 5-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=4-2', 200, '0123456789', undefined],
      ['bytes=1-2,4-5', 200, '0123456789', undefined],
      ['lines=1-2', 200, '0123456789', undefined],
    ]
    for (const [range, status, text, contentRange] of ranges) {
      it(`responds with ${status} to ${range}`, async () => {
        const answer = await get({ range })
        expect([answer.status, answer.text]).to.deep.equal([status, text])
        expect(answer.headers['content-range']).to.equal(contentRange)
      })
    }

    it('forbids caches to keep a 416, even of a versioned URL', async () => {
      const sent = { headers: { range: 'bytes=10-' } }
      const { status, headers } = await server.get(`${url}?v=2024-03-01T12:00:00.000Z`, sent)
      expect([status, headers['cache-control']]).to.deep.equal([416, 'no-store'])
    })

    it('accepts the range unit in any case, and ignores the range of HEAD', async () => {
      expect((await get({ range: 'Bytes=2-4' })).text).to.equal('234')
      const head = await server.send('HEAD', url, { headers: { range: 'bytes=2-4' } })
      const { 'content-length': length, 'content-range': range } = head.headers
      expect([head.status, length, range]).to.deep.equal([200, '10', undefined])
    })

    it('sends the whole file if If-Range does not match', async () => {
      const { status } = await get({ range: 'bytes=2-4', 'if-range': '"other"' })
      expect(status).to.equal(200)
    })

    it('prevents files from running scripts', async () => {
      const page = await server.get(await upload('page.html', '<script>alert(1)</script>'))
      expect(page.headers['content-disposition']).to.equal('attachment')
      expect(page.headers['content-security-policy']).to.match(/sandbox$/)
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><script/></svg>'
      const drawing = await server.get(await upload('drawing.svg', svg, 'image/svg+xml'))
      expect(drawing.headers['content-type']).to.equal('image/svg+xml')
      expect(drawing.headers['content-security-policy']).to.match(/^default-src 'none'.*sandbox$/)
      const picture = await server.get(await upload('picture.png', await png(4, 4)))
      expect(picture.headers['content-type']).to.equal('image/png')
      expect(picture.headers['content-disposition']).to.equal(undefined)
      const unknown = await server.get(await upload('blob.xyz', 'x'))
      expect(unknown.headers['content-type']).to.equal('application/octet-stream')
      expect(unknown.headers['content-disposition']).to.equal('attachment')
    })

    it('responds with 404 to all other paths', async () => {
      for (const path of ['nope.txt', '..%2f..%2fpackage.json', '%2e%2e', 'a%00.txt', 'a/b', '']) {
        const answer = await server.get(`/uploads/${path}`)
        expect([answer.status, answer.body?.error.name], path).to.deep.equal([404, 'NotFoundError'])
      }
    })
  })
}

describe('/uploads without a database', function () {
  this.timeout(60_000)
  it('serves public files without their tags', async () => {
    const proxy = await openDatabaseProxy(await testUri())
    const server = await serve('serve_outage', {
      uri: proxy.uri,
      contentTypes: MEDIA_TYPES,
      environment: { CACHE_TAGS: 'surrogate-key', UPLOAD_STORAGE: 'local' },
    })
    const files = [{ name: 'a.txt', content: '0123456789', type: 'text/plain' }]
    const body = multipart({ files })
    const { url } = (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body[0]
    proxy.shut()
    const { status, headers, text } = await server.get(`${url}?v=1`, { token: null })
    proxy.open()
    expect([status, text]).to.deep.equal([200, '0123456789'])
    expect(headers['surrogate-key']).to.equal('uploads')
    expect(headers['cache-control']).to.equal('public, no-cache')
    await server.close()
    await proxy.close()
  })
})
