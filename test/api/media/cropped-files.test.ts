import { expect } from 'chai'
import sharp from 'sharp'
import { noisyPng } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const FILES = 'plugin::upload.content-api'
const FILE = 'plugin::upload.file'
const TYPES = {
  note: declare('note', {
    cover: { type: 'media' },
    scan: { type: 'media', privateFiles: true },
  }),
}
const RIGHTS = ['api::note.note.find', 'api::note.note.findOne']

interface Sent {
  readonly name: string
  readonly type: string
  readonly content: Buffer | string
}

/** Every side has another color: red left, green right, blue at the bottom of both. */
const quarters = (): Promise<Buffer> =>
  sharp({ create: { width: 600, height: 400, channels: 3, background: '#ff0000' } })
    .composite([
      { input: solid(300, 400, '#00ff00'), left: 300, top: 0 },
      { input: solid(600, 100, '#0000ff'), left: 0, top: 300 },
    ])
    .png()
    .toBuffer()
const solid = (width: number, height: number, background: string) => ({
  create: { width, height, channels: 3 as const, background },
})

const codeOf = ({ status, headers }: Answer): unknown => [status, headers['error-code']]

for (const storage of ['local', 'gridfs', 's3', 's3 with a public address']) {
  describe(`cropped files on ${storage}`, () => {
    let server: TestServer
    let editor: AdminClient
    let s3: S3Server | null = null
    const isPublic = storage.endsWith('address')

    before(async () => {
      s3 = storage.startsWith('s3') ? await startS3Server() : null
      const publicUrl = { S3_PUBLIC_URL: `${s3?.endpoint}/${s3?.options.bucket}` }
      server = await serve(`cropped_${storage.replaceAll(/\W/g, '_')}`, {
        contentTypes: TYPES,
        environment: {
          RATE_LIMIT: 'off',
          ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
          ...(isPublic && publicUrl),
        },
        permitted: RIGHTS,
      })
      await addAdministrator(server, 'Editor', ['editor'])
      editor = await signIn(server, 'editor@example.org')
    })
    after(async () => {
      await server.close()
      await s3?.close()
    })

    const send = (path: string, file: Sent, fields: object = {}): Promise<Answer> =>
      server.send('POST', path, {
        headers: MULTIPART,
        body: multipart({ files: [file], fields: { fileInfo: fields } }),
      })
    const upload = async (content: Buffer, info: object = {}): Promise<Json> => {
      const answer = await send(
        '/api/upload',
        { name: 'map.png', type: 'image/png', content },
        info,
      )
      expect(answer.status, answer.text).to.equal(201)
      return answer.body[0]
    }
    const crop = (file: Json, area: unknown): Promise<Answer> =>
      editor.send('PUT', `/admin/files/${file.id}/crop`, area)
    const cropped = async (file: Json, area: object): Promise<Json> => {
      const answer = await crop(file, area)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data
    }
    const reset = async (file: Json): Promise<Json> => {
      const answer = await editor.send('DELETE', `/admin/files/${file.id}/crop`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data
    }
    const fetchFrom = (url: string): Promise<Response> =>
      fetch(url.startsWith('/') ? `http://127.0.0.1:${server.port}${url}` : url)
    const bytesOf = async (url: string): Promise<Buffer> => {
      const response = await fetchFrom(url)
      expect(response.status, url).to.equal(200)
      return Buffer.from(await response.arrayBuffer())
    }
    const colorAt = async (url: string, left: number, top: number): Promise<string> => {
      const pixel = sharp(await bytesOf(url)).extract({ left, top, width: 1, height: 1 })
      return (await pixel.removeAlpha().raw().toBuffer()).toString('hex')
    }
    const shown = async (file: Json): Promise<Json> =>
      (await server.get(`/api/upload/files/${file.id}`)).body
    const details = async (file: Json, by = editor): Promise<Answer> =>
      by.send('GET', `/admin/files/${file.id}`)
    const end = async (file: Json): Promise<void> => {
      expect((await server.delete(`/api/upload/files/${file.id}`)).status).to.equal(200)
      const gone = await editor.send('DELETE', `/admin/trash/${FILE}/${file.documentId}`)
      expect(gone.status, gone.text).to.equal(204)
    }

    it('show a part, another part, and the same bytes as before', async () => {
      const stored = await server.storedFiles()
      const original = await quarters()
      const file = await upload(original, { focalPoint: { x: 75, y: 25 } })
      const { data: note } = (await server.post('/api/notes', { cover: file.id })).body
      await fetchFrom(`${file.url}?width=256`)

      const right = await cropped(file, { x: 300, y: 0, width: 300, height: 400 })
      expect(right).to.deep.include({ url: file.url, width: 300, height: 400, mime: 'image/png' })
      expect(right.focalPoint).to.deep.equal({ x: 50, y: 25 })
      expect(Object.keys(right.formats)).to.deep.equal(['thumbnail'])
      expect(right.size).to.be.below(file.size)
      expect(await colorAt(file.url, 0, 0)).to.equal('00ff00')
      expect(await sharp(await bytesOf(file.url)).metadata()).to.include({
        width: 300,
        height: 400,
      })
      expect(await sharp(await bytesOf(right.formats.thumbnail.url)).metadata()).to.include({
        width: 117,
        height: 156,
      })
      const { cover } = (await server.get(`/api/notes/${note.documentId}?populate=*`)).body.data
      expect(cover).to.deep.include({ url: file.url, width: 300, height: 400, size: right.size })

      const bottom = await cropped(file, { x: 0, y: 300, width: 600, height: 100 })
      expect(bottom).to.include({ width: 600, height: 100, focalPoint: null })
      expect(await colorAt(file.url, 299, 0)).to.equal('0000ff')

      const again = await reset(file)
      expect((await bytesOf(file.url)).equals(original)).to.equal(true)
      for (const name of [
        'width',
        'height',
        'size',
        'mime',
        'url',
        'formats',
        'thumbhash',
        'name',
      ]) {
        const before = name === 'thumbhash' ? again[name] : file[name]
        expect(again[name], name).to.deep.equal(before)
      }
      expect(again).to.not.have.property('original')
      await end(file)
      expect(await server.storedFiles()).to.deep.equal(stored)
    })

    it('move the focal point along, and back with a reset', async () => {
      const file = await upload(await quarters(), { focalPoint: { x: 60, y: 40 } })
      const one = await cropped(file, { x: 200, y: 100, width: 400, height: 200 })
      expect(one.focalPoint).to.deep.equal({ x: 40, y: 30 })
      const other = await cropped(file, { x: 300, y: 60, width: 100, height: 200 })
      expect(other.focalPoint).to.deep.equal({ x: 60, y: 50 })
      expect((await reset(file)).focalPoint).to.deep.equal({ x: 60, y: 40 })
      await end(file)
    })

    it('hide the original from readers, and show it to editors who may crop', async () => {
      const original = await quarters()
      const file = await upload(original)
      const before = await server.storedFiles()
      await cropped(file, { x: 0, y: 0, width: 100, height: 100 })
      expect(await shown(file)).to.not.have.any.keys('original', 'crop', 'generation')
      const list = (await editor.send('GET', '/admin/files')).body.data
      expect(list[0]).to.not.have.any.keys('original', 'crop')
      const added = (await server.storedFiles()).filter((name) => !before.includes(name))
      const hidden = added.find((name) => name.startsWith('original_')) ?? ''
      expect(hidden).to.match(/^original_private_[0-9a-f]{32}\.png$/)
      for (const path of [`/uploads/${hidden}`, `/uploads/${hidden}?width=256`]) {
        expect((await fetchFrom(path)).status, path).to.equal(404)
      }
      const answer = await details(file)
      expect(answer.headers['cache-control']).to.equal('private, no-store')
      expect(answer.body.data.original).to.deep.include({
        width: 600,
        height: 400,
        crop: { x: 0, y: 0, width: 100, height: 100 },
      })
      expect((await bytesOf(answer.body.data.original.url)).equals(original)).to.equal(true)
      await end(file)
      const { url } = answer.body.data.original
      expect((await fetchFrom(url)).status).to.be.oneOf([403, 404])
    })

    it('keep the original through a deletion and a restore', async () => {
      const original = await noisyPng(400, 300)
      const file = await upload(original)
      const { original: kept } = await cropped(file, { x: 10, y: 20, width: 200, height: 100 })
      expect((await server.delete(`/api/upload/files/${file.id}`)).status).to.equal(200)
      expect((await fetchFrom(kept.url)).status).to.be.oneOf([403, 404])
      expect((await crop(file, { x: 0, y: 0, width: 50, height: 50 })).status).to.equal(404)
      const path = `/admin/trash/${FILE}/${file.documentId}/restore`
      expect((await editor.send('POST', path, { data: {} })).status).to.equal(200)
      expect(await shown(file)).to.include({ width: 200, height: 100 })
      await reset(file)
      expect((await bytesOf(file.url)).equals(original)).to.equal(true)
      await end(file)
    })

    it('stay cropped when they become private, and can be reset then', async () => {
      const original = await noisyPng(400, 300)
      const file = await upload(original)
      const first = await cropped(file, { x: 10, y: 20, width: 200, height: 100 })
      const hide = async (isPrivate: boolean): Promise<void> => {
        const body = { private: isPrivate }
        const change = await editor.send('PUT', `/admin/files/${file.id}`, body)
        expect(change.status, change.text).to.equal(200)
      }
      await hide(true)
      if (!isPublic) expect((await fetchFrom(file.url)).status).to.equal(404)
      const { url } = (await details(file)).body.data.original
      expect((await bytesOf(url)).equals(original)).to.equal(true)
      await hide(false)
      await hide(true)
      for (const old of [first.original.url, url]) {
        expect((await fetchFrom(old)).status, old).to.be.oneOf([403, 404])
      }
      const smaller = await cropped(file, { x: 0, y: 0, width: 150, height: 100 })
      expect(await sharp(await bytesOf(smaller.url)).metadata()).to.include({ width: 150 })
      const again = await reset(file)
      expect(again.private).to.equal(true)
      expect((await bytesOf(again.url)).equals(original)).to.equal(true)
      await end(file)
    })

    it('lose the original when other bytes replace them', async () => {
      const stored = await server.storedFiles()
      const file = await upload(await noisyPng(400, 300))
      await cropped(file, { x: 10, y: 20, width: 200, height: 100 })
      const content = await noisyPng(500, 300)
      const sent = { name: 'new.png', type: 'image/png', content }
      expect((await send(`/api/upload?id=${file.id}`, sent)).status).to.equal(200)
      expect((await details(file)).body.data).to.not.have.property('original')
      expect(await reset(file)).to.include({ width: 500 })
      const names = (await server.storedFiles()).filter((name) => name.startsWith('original_'))
      expect(names).to.deep.equal([])
      await end(file)
      expect(await server.storedFiles()).to.deep.equal(stored)
    })

    it('can be reset after two crops at the same time', async () => {
      const stored = await server.storedFiles()
      const original = await noisyPng(400, 300)
      const file = await upload(original)
      const answers = await Promise.all(
        [100, 120, 140].map((width) => crop(file, { x: 0, y: 0, width, height: 100 })),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses).to.include(200)
      for (const answer of answers) {
        if (answer.status !== 200) expect(codeOf(answer)).to.deep.equal([409, 'file_changed'])
      }
      const hidden = (await server.storedFiles()).filter((name) => name.startsWith('original_'))
      expect(hidden).to.have.length(1)
      await reset(file)
      expect((await bytesOf(file.url)).equals(original)).to.equal(true)
      await end(file)
      expect(await server.storedFiles()).to.deep.equal(stored)
    })
  })
}

describe('crops of files', () => {
  let server: TestServer
  let editor: AdminClient

  before(async () => {
    server = await serve('crops', {
      contentTypes: TYPES,
      environment: { RATE_LIMIT: 'off', UPLOAD_STORAGE: 'gridfs' },
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const upload = async (file: Sent, fileInfo: object = {}): Promise<Json> => {
    const body = multipart({ files: [file], fields: { fileInfo } })
    const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body[0]
  }
  const crop = (file: Json, area: unknown, by = editor): Promise<Answer> =>
    by.send('PUT', `/admin/files/${file.id}/crop`, area)
  const bytesOf = async (url: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`http://127.0.0.1:${server.port}${url}`)).arrayBuffer())
  const AREA = { x: 0, y: 0, width: 100, height: 50 }
  const png = async (): Promise<Sent> => {
    return { name: 'a.png', type: 'image/png', content: await noisyPng(200, 100) }
  }
  it('keep the format', async () => {
    const image = sharp(await noisyPng(200, 100))
    for (const format of ['jpeg', 'png', 'webp', 'tiff', 'avif', 'gif'] as const) {
      const content = await image.clone().toFormat(format).toBuffer()
      const file = await upload({ name: `a.${format}`, type: `image/${format}`, content })
      const { status, body, text } = await crop(file, AREA)
      expect(status, `${format} ${text}`).to.equal(200)
      expect(body.data, format).to.include({ mime: file.mime, width: 100, height: 50 })
      const written = await sharp(await bytesOf(body.data.url)).metadata()
      const name = format === 'avif' ? 'heif' : format
      expect(written, format).to.include({ format: name, width: 100, height: 50 })
      const back = await editor.send('DELETE', `/admin/files/${file.id}/crop`)
      expect([body.data.formats, back.body.data.formats], format).to.deep.equal([
        file.formats,
        file.formats,
      ])
    }
  })

  it('count from the corner of a rotated photograph as it is seen, and drop its EXIF data', async () => {
    const content = await sharp(await quarters())
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Somebody' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const file = await upload({ name: 'a.jpg', type: 'image/jpeg', content })
    // A quarter turn to the right: the bottom is now left.
    expect(file).to.include({ width: 400, height: 600 })
    const { body } = await crop(file, { x: 0, y: 0, width: 90, height: 600 })
    expect(body.data).to.include({ width: 90, height: 600 })
    const written = sharp(await bytesOf(body.data.url))
    const { exif, orientation } = await written.metadata()
    expect([exif, orientation]).to.deep.equal([undefined, undefined])
    const { data } = await written.raw().toBuffer({ resolveWithObject: true })
    expect([data[0], data[2]].map((value) => Math.round((value ?? 0) / 255))).to.deep.equal([0, 1])
    const { data: back } = (await editor.send('DELETE', `/admin/files/${file.id}/crop`)).body
    expect((await bytesOf(back.url)).equals(content)).to.equal(true)
  })

  it('of the whole picture change nothing, or restore the original', async () => {
    const sent = await png()
    const file = await upload(sent)
    const whole = { x: 0, y: 0, width: 200, height: 100 }
    const answer = await crop(file, whole)
    expect(answer.status).to.equal(200)
    expect(answer.body.data.updatedAt).to.equal(file.updatedAt)
    expect((await crop(file, AREA)).body.data.width).to.equal(100)
    expect((await crop(file, whole)).body.data).to.not.have.property('original')
    expect((await bytesOf(file.url)).equals(Buffer.from(sent.content))).to.equal(true)
  })

  it('are refused for animated pictures, drawings, broken pictures and other files', async () => {
    const frames = sharp(await noisyPng(60, 120), { pages: 1 })
    const raw = await frames.raw().toBuffer({ resolveWithObject: true })
    const animated = await sharp(raw.data, {
      raw: { width: 60, height: 120, channels: raw.info.channels, pageHeight: 60 },
    })
      .gif()
      .toBuffer()
    const whole = await noisyPng(200, 100)
    const pyramid = await sharp(await quarters())
      .tiff({ pyramid: true, tile: true })
      .toBuffer()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>'
    const refused: readonly Sent[] = [
      { name: 'moving.gif', type: 'image/gif', content: animated },
      { name: 'pyramid.tiff', type: 'image/tiff', content: pyramid },
      { name: 'drawing.svg', type: 'image/svg+xml', content: svg },
      { name: 'broken.png', type: 'image/png', content: whole.subarray(0, 10_000) },
      { name: 'text.txt', type: 'text/plain', content: 'text' },
    ]
    const before = await server.storedFiles()
    for (const one of refused) {
      const file = await upload(one)
      const answer = await crop(file, { x: 0, y: 0, width: 20, height: 20 })
      expect(codeOf(answer), one.name).to.deep.equal([400, 'cannot_crop'])
      expect(answer.text, one.name).to.not.include('nimated')
      expect((await bytesOf(file.url)).equals(Buffer.from(one.content)), one.name).to.equal(true)
      await server.delete(`/api/upload/files/${file.id}`)
      await editor.send('DELETE', `/admin/trash/${FILE}/${file.documentId}`)
    }
    expect(await server.storedFiles()).to.deep.equal(before)
  })

  it('refuse every body that is no area of whole pixels', async () => {
    const file = await upload(await png())
    const before = await server.storedFiles()
    const bodies: readonly unknown[] = [
      {},
      [],
      { ...AREA, x: undefined },
      { ...AREA, x: -1 },
      { ...AREA, x: 0.5 },
      { ...AREA, x: '0' },
      { ...AREA, x: null },
      { ...AREA, y: { $gt: 0 } },
      { ...AREA, width: 15 },
      { ...AREA, height: 0 },
      { ...AREA, width: 1e300 },
      { ...AREA, width: Number.MAX_SAFE_INTEGER },
      { ...AREA, angle: 90 },
      { ...AREA, __proto__: null, constructor: 1 },
    ]
    for (const body of bodies) {
      const answer = await crop(file, body)
      expect(codeOf(answer), JSON.stringify(body)).to.deep.equal([400, 'invalid_payload'])
    }
    for (const area of [
      { ...AREA, x: 101 },
      { ...AREA, y: 51 },
      { ...AREA, width: 201 },
      { ...AREA, x: 199, width: 16 },
    ]) {
      expect(codeOf(await crop(file, area)), JSON.stringify(area)).to.deep.equal([
        400,
        'cannot_crop',
      ])
    }
    const path = `/admin/files/${file.id}/crop`
    const headers = { cookie: editor.cookie, 'sec-fetch-site': 'same-origin' }
    const malformed = await server.send('PUT', path, { token: null, headers, body: '{' })
    expect(malformed.status).to.equal(400)
    for (const id of ['0', '999999', 'unknown', '%00', '__proto__']) {
      const missing = await editor.send('PUT', `/admin/files/${id}/crop`, AREA)
      expect(missing.status, id).to.be.oneOf([400, 404])
    }
    expect((await bytesOf(file.url)).equals(await noisyPng(200, 100))).to.equal(true)
    expect(await server.storedFiles()).to.deep.equal(before)
  })

  it('compare the entity tag of the file', async () => {
    const file = await upload(await png())
    const path = `/admin/files/${file.id}`
    const tag = String((await editor.send('GET', path)).headers['etag'])
    const send = (method: string, match: string, body?: object): Promise<Answer> =>
      server.send(method, `${path}/crop`, {
        token: null,
        headers: { cookie: editor.cookie, 'sec-fetch-site': 'same-origin', 'if-match': match },
        ...(body !== undefined && { body }),
      })
    await editor.send('PUT', path, { caption: 'Another' })
    expect(codeOf(await send('PUT', tag, AREA))).to.deep.equal([412, 'precondition_failed'])
    const now = String((await editor.send('GET', path)).headers['etag'])
    const done = await send('PUT', now, AREA)
    expect(done.status, done.text).to.equal(200)
    expect((await send('DELETE', now)).status).to.equal(412)
    expect((await send('DELETE', 'no tag')).status).to.equal(400)
    expect((await send('DELETE', String(done.headers['etag']))).status).to.equal(200)
  })

  it('need the permission to upload, and the right to see a private file', async () => {
    await addRole(server, 'reader', [`${FILES}.find`, `${FILES}.findOne`])
    await addRole(server, 'uploader', [`${FILES}.upload`])
    await addAdministrator(server, 'Reader', ['reader'])
    await addAdministrator(server, 'Uploader', ['uploader'])
    const reader = await signIn(server, 'reader@example.org')
    const uploader = await signIn(server, 'uploader@example.org')
    const file = await upload(await png())
    const secret = await upload(await png(), { private: true })
    expect((await crop(file, AREA)).status).to.equal(200)
    const path = `/admin/files/${file.id}`
    expect((await crop(file, AREA, reader)).status).to.equal(403)
    expect((await reader.send('DELETE', `${path}/crop`)).status).to.equal(403)
    const { body } = await reader.send('GET', path)
    expect(body.data.width).to.equal(100)
    expect(body.data).to.not.have.property('original')
    expect((await crop(secret, AREA, uploader)).status).to.equal(404)
    expect((await crop(file, { ...AREA, x: 5 }, uploader)).status).to.equal(200)
    for (const method of ['PUT', 'DELETE']) {
      const anonymous = await server.send(method, `${path}/crop`, { token: null })
      expect(anonymous.status, method).to.equal(401)
    }
  })
})
