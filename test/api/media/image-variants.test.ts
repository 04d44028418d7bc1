import { expect } from 'chai'
import { request } from 'node:http'
import path from 'node:path'
import sharp from 'sharp'
import { thumbHashToRGBA } from 'thumbhash'
import { signVariant } from '../../../src/media/images/variant-request.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { useTempFolder } from '../../media/temp-folder.ts'
import { filesIn, MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'

const BROWSER = 'image/avif,image/webp,*/*;q=0.8'

interface Picture {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

function fetchPicture(port: number, url: string, accept = '*/*'): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: url, headers: { accept } })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })
      })
    })
    outgoing.end()
  })
}

/** A picture with a red left half and a blue right half. */
function halves(width: number, height: number, right = { r: 0, g: 0, b: 255 }): Promise<Buffer> {
  const half = { width: width / 2, height, channels: 3 as const, background: right }
  return sharp({ create: { width, height, channels: 3, background: { r: 255, g: 0, b: 0 } } })
    .composite([{ input: { create: half }, left: width / 2, top: 0 }])
    .png()
    .toBuffer()
}

/** The dominant channel of the pixel in the middle. */
async function colourOf(bytes: Buffer): Promise<string> {
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels
  const channels = [...data.subarray(at, at + 3)]
  return ['red', 'green', 'blue'][channels.indexOf(Math.max(...channels))] ?? ''
}

for (const storage of ['local', 'gridfs']) {
  describe(`image variants from ${storage}`, () => {
    const folder = useTempFolder()
    let server: TestServer
    let file: Json

    before(async () => {
      server = await serve(`variants_${storage}`, {
        contentTypes: MEDIA_TYPES,
        environment: { UPLOAD_STORAGE: storage, QUIRE_DATA_DIR: folder() },
      })
      file = await upload('halves.png', await halves(1200, 600))
    })
    after(() => server.close())

    const upload = async (
      name: string,
      content: Buffer,
      {
        fileInfo = {},
        id = '',
      }: { readonly fileInfo?: object; readonly id?: string | number } = {},
    ): Promise<Json> => {
      const body = multipart({
        files: [{ name, content, type: 'image/png' }],
        fields: { fileInfo },
      })
      const query = id === '' ? '' : `?id=${id}`
      const answer = await server.send('POST', `/api/upload${query}`, { headers: MULTIPART, body })
      expect(answer.status, answer.text).to.be.oneOf([200, 201])
      return id === '' ? answer.body[0] : answer.body
    }
    const storedCount = async (): Promise<number> =>
      storage === 'local'
        ? filesIn(path.join(folder(), 'uploads')).length
        : server.count('quire_uploads.files')
    const get = (query: string, accept?: string, url: string = file.url): Promise<Picture> =>
      fetchPicture(server.port, `${url}?${query}`, accept)

    it('returns the requested size and format', async () => {
      const { status, headers, bytes } = await get('width=640&format=webp&quality=50')
      expect([status, headers['content-type']]).to.deep.equal([200, 'image/webp'])
      expect(headers['content-length']).to.equal(String(bytes.length))
      const { width, height, format } = await sharp(bytes).metadata()
      expect([width, height, format]).to.deep.equal([640, 320, 'webp'])
    })

    it('returns the best format that the browser accepts', async () => {
      const avif = await get('width=64', BROWSER)
      expect(avif.headers['content-type']).to.equal('image/avif')
      expect(avif.headers['vary']).to.include('Accept')
      const plain = await get('width=64')
      expect(plain.headers['content-type']).to.equal('image/png')
      expect((await sharp(plain.bytes).metadata()).width).to.equal(64)
    })

    it('never enlarges a picture', async () => {
      const { width } = await sharp((await get('width=3840&format=jpeg')).bytes).metadata()
      expect(width).to.equal(1200)
    })

    it('crops around the focal point', async () => {
      const square = 'width=128&height=128&fit=cover&format=png'
      const left = await upload('l.png', await halves(1200, 600), {
        fileInfo: { focalPoint: { x: 5, y: 50 } },
      })
      const one = await get(square, '*/*', left.url)
      expect(await colourOf(one.bytes)).to.equal('red')
      expect(await sharp(one.bytes).metadata()).to.include({ width: 128, height: 128 })
      const moved = await server.send('POST', `/api/upload?id=${left.id}`, {
        body: { fileInfo: { focalPoint: { x: 95, y: 50 } } },
      })
      expect(moved.status, moved.text).to.equal(200)
      expect(await colourOf((await get(square, '*/*', left.url)).bytes)).to.equal('blue')
    })

    it('returns the same variant to simultaneous requests', async () => {
      const asked = Array.from({ length: 8 }, () => get('width=512&format=webp'))
      const answers = await Promise.all(asked)
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
      expect(new Set(answers.map(({ headers }) => headers['etag'])).size).to.equal(1)
      const etag = String(answers[0]?.headers['etag'])
      const again = await server.get(`${file.url}?width=512&format=webp`, {
        token: null,
        headers: { 'if-none-match': etag },
      })
      expect(again.status).to.equal(304)
    })

    it('replaces and deletes the variants together with the file', async () => {
      const before = await storedCount()
      const other = await upload('other.png', await halves(600, 600))
      expect(
        await colourOf((await get('width=64&height=64&fit=fill', '*/*', other.url)).bytes),
      ).to.equal('blue')
      await upload('other.png', await halves(600, 600, { r: 0, g: 255, b: 0 }), { id: other.id })
      expect(
        await colourOf((await get('width=64&height=64&fit=fill', '*/*', other.url)).bytes),
      ).to.equal('green')
      expect(await storedCount()).to.equal(before + 4) // the file, two formats and the variant
      expect((await server.delete(`/api/upload/files/${other.id}`)).status).to.equal(200)
      expect(await storedCount()).to.equal(before + 3) // the trash keeps no variants
      expect((await get('width=64', '*/*', other.url)).status).to.equal(404)
      const trashed = `/admin/trash/plugin::upload.file/${other.documentId}`
      expect((await server.delete(trashed)).status).to.equal(204)
      expect(await storedCount()).to.equal(before)
    })

    it('derives a variant from a smaller format', async () => {
      const { bytes, status } = await get('width=64', '*/*', file.formats.small.url)
      expect(status).to.equal(200)
      expect((await sharp(bytes).metadata()).width).to.equal(64)
    })

    it('keeps an animation', async () => {
      const frame = await sharp(await halves(40, 20)).toBuffer()
      const moving = await sharp([frame, await sharp(frame).flop().toBuffer()], {
        join: { animated: true },
      })
        .gif({ delay: [100, 100] })
        .toBuffer()
      const gif = await upload('moving.gif', moving)
      const { bytes, headers } = await get('width=16', BROWSER, gif.url)
      expect(headers['content-type']).to.equal('image/webp')
      const { pages, width } = await sharp(bytes, { animated: true }).metadata()
      expect([pages, width]).to.deep.equal([2, 16])
    })

    it('refuses other sizes, and files that are not pictures', async () => {
      const odd = await get('width=641')
      expect([odd.status, JSON.parse(String(odd.bytes)).error.name]).to.deep.equal([
        400,
        'ValidationError',
      ])
      const body = multipart({ files: [{ name: 'a.txt', content: 'text' }] })
      const [text] = (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body
      expect((await get('width=64', '*/*', text.url)).status).to.equal(400)
      expect((await get('v=1', '*/*', text.url)).status).to.equal(200)
      for (const missing of [
        '/uploads/none_0123456789.png',
        '/uploads/..%2Fpackage.json',
        '/uploads/a',
      ])
        expect((await get('width=64', '*/*', missing)).status, missing).to.equal(404)
    })

    it('returns a placeholder on request', async () => {
      expect(file).to.not.have.property('thumbhash')
      const { body } = await server.get(`/api/upload/files/${file.id}?fields=thumbhash`)
      const { rgba, w, h } = thumbHashToRGBA(Buffer.from(body.thumbhash, 'base64'))
      expect(w / h).to.be.closeTo(2, 0.3)
      const row = Math.floor(h / 2) * w
      const redAndBlue = (column: number): readonly number[] => {
        const at = (row + column) * 4
        return [rgba[at] ?? 0, rgba[at + 2] ?? 0]
      }
      const [red = 0, blue = 0] = redAndBlue(1)
      expect(red).to.be.above(blue)
      const [redRight = 0, blueRight = 0] = redAndBlue(w - 2)
      expect(redRight).to.be.below(blueRight)
    })
  })
}

describe('signed image variants', () => {
  it('allows any size with a valid signature', async () => {
    const key = path.basename(import.meta.url).padEnd(32, '-')
    const server = await serve('variants_signed', {
      contentTypes: MEDIA_TYPES,
      environment: { IMAGE_SIGNING_KEY: key },
    })
    try {
      const content = await halves(400, 200)
      const body = multipart({ files: [{ name: 'a.png', content, type: 'image/png' }] })
      const [file] = (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body
      const signature = signVariant(key, path.basename(file.url), { width: '123' })
      const signed = await fetchPicture(server.port, `${file.url}?width=123&signature=${signature}`)
      expect((await sharp(signed.bytes).metadata()).width).to.equal(123)
      for (const query of ['width=123', `width=64&signature=${signature}`]) {
        expect((await fetchPicture(server.port, `${file.url}?${query}`)).status).to.equal(403)
      }
      expect((await fetchPicture(server.port, file.url)).status).to.equal(200)
    } finally {
      await server.close()
    }
  })
})
