import { expect } from 'chai'
import { openFileAddresses } from '../../../src/media/file-addresses.ts'
import { noisyPng } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart, type Parts } from '../../support/uploads.ts'

const SECRET = 'a secret that only this test knows, 32+ characters'
const HOUR_MS = 3_600_000

const TYPES = {
  note: declare('note', {
    title: { type: 'string' },
    cover: { type: 'media' },
    scan: { type: 'media', privateFiles: true },
    scans: { type: 'media', multiple: true, privateFiles: true },
  }),
}

const PUBLIC_RIGHTS = [
  'api::note.note.find',
  'api::note.note.findOne',
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
]

interface FileJson {
  readonly id: number
  readonly documentId: string
  readonly name: string
  readonly hash: string
  readonly url: string
  readonly formats: Readonly<Record<string, { readonly url: string }>>
}

/** The address as the database, sync and webhooks show it. */
function bare(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

for (const storage of ['local', 'gridfs', 's3']) {
  describe(`private files on ${storage}`, () => {
    let server: TestServer
    let s3: S3Server | null = null

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      server = await serve(`private_${storage}`, {
        contentTypes: TYPES,
        environment: {
          JWT_SECRET: SECRET,
          ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
        },
        permitted: PUBLIC_RIGHTS,
      })
    })
    after(async () => {
      await server.close()
      await s3?.close()
    })

    const send = (parts: Parts, target = '/api/upload', sent: object = {}): Promise<Answer> =>
      server.send('POST', target, { headers: MULTIPART, body: multipart(parts), ...sent })

    const upload = async (fileInfo: object, name = 'scan.png'): Promise<FileJson> => {
      const files = [{ name, content: await noisyPng(600, 400), type: 'image/png' }]
      const answer = await send({ files, fields: { fileInfo } })
      expect(answer.status, answer.text).to.equal(201)
      return answer.body[0]
    }

    const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
      (await server.get(url, { token: null, headers })).status

    /** Again if an hour ended between both, because addresses change then. */
    const readTwice = async (target: string): Promise<readonly [Answer, Answer]> => {
      const hour = Math.floor(Date.now() / HOUR_MS)
      const first = await server.get(target, { token: null })
      const again = await server.get(target, { token: null })
      return hour === Math.floor(Date.now() / HOUR_MS) ? [first, again] : readTwice(target)
    }

    const isGone = async (url: string): Promise<void> => {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await server.send(method, url, { token: null })
        expect([method, url, answer.status]).to.deep.equal([method, url, 404])
        expect(answer.headers['cache-control']).to.equal('no-store')
      }
      expect([url, await statusOf(url, { range: 'bytes=0-9' })]).to.deep.equal([url, 404])
    }

    it('serves the bytes for a signed address only', async () => {
      const file = await upload({ private: true })
      expect(file.hash).to.match(/^scan_private_[0-9a-f]{32}$/)
      expect(file.url).to.match(
        /^\/uploads\/scan_private_\w+\.png\?expires=\d+&signature=[\w-]{43}$/,
      )
      const answer = await server.get(file.url, { token: null })
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'image/png'])
      expect(answer.headers['cache-control']).to.equal('private, no-cache')
      const part = await server.get(file.url, { token: null, headers: { range: 'bytes=0-9' } })
      expect([part.status, part.headers['content-length']]).to.deep.equal([206, '10'])
      const head = await server.send('HEAD', file.url, { token: null })
      expect([head.status, head.headers['cache-control']]).to.deep.equal([200, 'private, no-cache'])
      for (const { url } of Object.values(file.formats)) expect(await statusOf(url)).to.equal(200)
      await isGone(bare(file.url))
      for (const { url } of Object.values(file.formats)) await isGone(bare(url))
    })

    it('responds with 404 to every forged, borrowed, changed and expired signature', async () => {
      const [file, other] = [await upload({ private: true }), await upload({ private: true })]
      const path = bare(file.url)
      const [, expires = '', signature = ''] = /expires=(\d+)&signature=(.+)$/.exec(file.url) ?? []
      const signed = (one: string, two: string): string => `${path}?expires=${one}&signature=${two}`
      const past = openFileAddresses({
        secret: SECRET,
        now: () => new Date(Date.now() - 3 * HOUR_MS),
        storage: {},
      })
      const foreign = openFileAddresses({ secret: 'x', now: () => new Date(), storage: {} })
      const attempts = [
        signed(expires, ''),
        signed('', signature),
        signed(String(Number(expires) + 3600), signature),
        signed(`${expires}0`, signature),
        signed(`0${expires}`, signature),
        signed(`%20${expires}`, signature),
        signed(expires, signature.slice(0, -1)),
        signed(expires, `${signature}=`),
        signed(expires, signature.toUpperCase()),
        signed(expires, 'A'.repeat(43)),
        signed(expires, '%C3%A9'.repeat(43)),
        `${file.url}&signature=${signature}`,
        `${file.url}&expires=${expires}`,
        `${path}?expires[]=${expires}&signature=${signature}`,
        `${path}?expires=${expires}&signature[x]=${signature}`,
        other.url.replace(bare(other.url), path),
        (file.formats['thumbnail']?.url ?? '').replace(/^[^?]+/, path),
        file.url.replace('/uploads/', '/uploads/thumbnail_'),
        (await past.sign(path)) ?? '',
        (await foreign.sign(path)) ?? '',
      ]
      for (const url of attempts) expect([url, await statusOf(url)]).to.deep.equal([url, 404])
      expect(await statusOf(file.url)).to.equal(200)
    })

    it('cannot be reached by other spellings of the address', async () => {
      const { url, hash } = await upload({ private: true })
      const spellings = [
        `/uploads/${hash}-0.png`,
        `/uploads/${hash}.PNG`,
        `/uploads/${hash.toUpperCase()}.png`,
        `/uploads/${hash}.png/`,
        `/uploads//${hash}.png`,
        `/uploads/./${hash}.png`,
        `/uploads/x/../${hash}.png`,
        `/uploads/x/..%2f${hash}.png`,
        `/uploads/%2e%2e/uploads/${hash}.png`,
        `/uploads/..%5cuploads%5c${hash}.png`,
        `/uploads/private%2f${hash}.png`,
        `/uploads/private/${hash}.png`,
        `/uploads/${hash}.png%00`,
        `/uploads/${hash}.png%20`,
        `/uploads/${hash}.png.`,
        `/uploads/${hash}.png;x=1`,
        `/uploads/${hash.replace('_private_', '%5Fprivate%5F')}.png`,
        `/Uploads/${hash}.png`,
        `/UPLOADS/${hash}.png`,
        `/api/uploads/${hash}.png`,
        `/uploads/x_${hash}.png`,
        `/uploads/thumbnail_${hash}.png`,
        `/uploads/${hash}`,
      ]
      for (const path of spellings) {
        const { status, headers } = await server.get(path, { token: null })
        expect([path, status >= 400, headers['content-type']?.startsWith('image')]).to.deep.equal([
          path,
          true,
          false,
        ])
      }
      expect(await statusOf(url.replace(/\/uploads\//, '/uploads/'))).to.equal(200)
    })

    it('renders variants for a signed address only, also once they are stored', async () => {
      const { url, hash } = await upload({ private: true })
      const variant = `${url}&width=256&format=webp`
      const unsigned = `${bare(url)}?width=256&format=webp`
      await isGone(unsigned)
      const made = await server.get(variant, { token: null })
      expect([made.status, made.headers['content-type']]).to.deep.equal([200, 'image/webp'])
      expect(made.headers['cache-control']).to.equal('private, no-cache')
      expect(
        (await server.get(`${variant}&v=1`, { token: null })).headers['cache-control'],
      ).to.equal('private, no-cache')
      await isGone(unsigned)
      await isGone(`/uploads/${hash}-256x0-inside-75.webp`)
      expect(await statusOf(`${url}&width=257`)).to.equal(400)
      expect(await statusOf(`${bare(url)}?width=257`)).to.equal(404)
    })

    it('gives readers of an entry a stable signed address, in private responses', async () => {
      const file = await upload({ private: true })
      const { body } = await server.post('/api/notes', {
        title: 'a',
        scan: file.id,
        scans: [file.id],
      })
      const { documentId } = body.data
      for (const target of [
        `/api/notes/${documentId}?populate=*`,
        `/api/notes?populate[scan][fields]=url&filters[documentId]=${documentId}`,
        `/api/notes?populate=scan&fields=title&filters[documentId]=${documentId}`,
      ]) {
        const [first, again] = await readTwice(target)
        expect(first.status).to.equal(200)
        expect(first.headers['cache-control']).to.equal('private, no-store')
        expect([again.text, again.headers.etag]).to.deep.equal([first.text, first.headers.etag])
        const [url = ''] = /\/uploads\/[^"]+/.exec(first.text) ?? []
        expect([target, await statusOf(url)]).to.deep.equal([target, 200])
      }
      const plain = await server.get(`/api/notes/${documentId}`, { token: null })
      expect(plain.headers['cache-control']).to.match(/^public/)
      const v4 = await server.get(`/api/notes/${documentId}?populate=scan`, {
        token: null,
        headers: { 'strapi-response-format': 'v4' },
      })
      expect(await statusOf(v4.body.data.attributes.scan.data.attributes.url)).to.equal(200)
      expect(v4.headers['cache-control']).to.equal('private, no-store')
    })

    it('signs no address for readers of the entry after it has changed', async () => {
      const file = await upload({ private: true })
      const made = await server.post('/api/notes', { title: 'b', scan: file.id })
      const target = `/api/notes/${made.body.data.documentId}?populate=*`
      expect((await server.get(target, { token: null })).text).to.include('signature=')
      await server.put(`/api/notes/${made.body.data.documentId}`, { scan: null })
      expect((await server.get(target, { token: null })).text).to.not.include(file.hash)
      expect((await server.get(target, { token: null })).headers['cache-control']).to.match(
        /^public/,
      )
      await server.delete(`/api/upload/files/${file.id}`)
      await isGone(file.url)
    })

    it('is found by callers with the permission only, never by anonymous ones', async () => {
      const file = await upload({ private: true }, 'hidden.png')
      const lists = [
        '/api/upload/files?filters[name]=hidden.png',
        '/api/upload/files/page?filters[name]=hidden.png',
        '/api/upload/files?filters[$or][0][private]=true&filters[$or][1][name]=hidden.png',
      ]
      for (const list of lists) {
        expect((await server.get(list, { token: null })).text).to.not.include(file.hash)
        const own = await server.get(list)
        expect(own.text).to.include('signature=')
        expect(own.headers['cache-control']).to.equal('private, no-store')
      }
      for (const path of ['', '/address']) {
        const target = `/api/upload/files/${file.id}${path}`
        expect((await server.get(target, { token: null })).status).to.equal(404)
        const { body, headers } = await server.get(target)
        expect([body.isUrlSigned, headers['cache-control']]).to.deep.equal([
          true,
          'private, no-store',
        ])
        expect(await statusOf(body.url)).to.equal(200)
      }
      const shown = await upload({}, 'shown.png')
      const found = await server.get('/api/upload/files?filters[name]=shown.png', { token: null })
      expect(found.body.map(({ id }: FileJson) => id)).to.deep.equal([shown.id])
      expect(found.body[0].isUrlSigned).to.equal(false)
    })

    it('gets other names when its privacy changes, so that old addresses end', async () => {
      const file = await upload({}, 'moved.png')
      const old = [file.url, ...Object.values(file.formats).map(({ url }) => url)]
      const variant = `${file.url}?width=256&format=webp`
      expect(await statusOf(variant)).to.equal(200)
      const target = `/api/upload?id=${file.id}`
      const edit = (fileInfo: object): Promise<Answer> =>
        server.send('POST', target, { body: { fileInfo } })
      const hidden = (await edit({ private: true })).body
      for (const url of [...old, `/uploads/${file.hash}-0.png`]) await isGone(url)
      await isGone(variant)
      await isGone(`/uploads/${file.hash}-256x0-inside-75.webp`)
      expect(await statusOf(hidden.url)).to.equal(200)
      for (const { url } of Object.values(hidden.formats as FileJson['formats'])) {
        expect(await statusOf(url)).to.equal(200)
      }
      const content = await noisyPng(300, 200)
      const parts = { files: [{ name: 'moved.png', content, type: 'image/png' }] }
      const replaced = (await send(parts, target)).body
      expect([replaced.hash, replaced.width]).to.deep.equal([hidden.hash, 300])
      expect(await statusOf(replaced.url)).to.equal(200)
      await isGone(bare(replaced.url))
      const open = (await edit({ private: false })).body
      expect(open.hash).to.match(/^moved_[0-9a-f]{10}$/)
      expect(await statusOf(open.url)).to.equal(200)
      await isGone(hidden.url)
    })
  })
}
