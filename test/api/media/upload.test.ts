import { join } from 'node:path'
import { expect } from 'chai'
import { noisyPng, png } from '../../media/sample-images.ts'
import { useTempFolder } from '../../media/temp-folder.ts'
import { type Answer, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import {
  filesIn,
  MEDIA_TYPES,
  MULTIPART,
  multipart,
  type Parts,
  stopHalfWay,
} from '../../support/uploads.ts'
import { until } from '../../support/until.ts'

const MAX = 200_000

describe('upload', () => {
  const folder = useTempFolder()
  let server: TestServer

  before(async () => {
    server = await serve('upload', {
      contentTypes: MEDIA_TYPES,
      environment: { QUIRE_DATA_DIR: folder(), MAX_UPLOAD_BYTES: String(MAX) },
      permitted: ['plugin::upload.content-api.upload', 'plugin::upload.content-api.find'],
    })
  })
  after(() => server.close())

  const upload = (parts: Parts, target = '/api/upload', token = ROOT_TOKEN): Promise<Answer> =>
    server.send('POST', target, { headers: MULTIPART, body: multipart(parts), token })

  const uploadText = async (name = 'a.txt', content = 'hello'): Promise<Answer['body']> =>
    (await upload({ files: [{ name, content }] })).body[0]

  const stored = (): readonly string[] => filesIn(join(folder(), 'uploads')).toSorted()
  const waiting = (): readonly string[] => filesIn(join(folder(), 'incoming'))

  /** A refused upload stores no file. */
  const leavesNothing = async (send: () => Promise<Answer>): Promise<Answer> => {
    const [files, records] = [stored(), await server.count('files')]
    const answer = await send()
    expect(stored()).to.deep.equal(files)
    expect(await server.count('files')).to.equal(records)
    expect(waiting()).to.deep.equal([])
    return answer
  }

  const refuses = async (parts: Parts, message: string | RegExp, status = 400): Promise<void> => {
    const answer = await leavesNothing(() => upload(parts))
    expect(answer.status, answer.text).to.equal(status)
    expect(answer.body.error.message).to.match(
      typeof message === 'string' ? new RegExp(`^${message}$`) : message,
    )
  }

  describe('a file', () => {
    it('is returned in the format of Strapi', async () => {
      const { status, body } = await upload({ files: [{ name: 'a b.txt', content: 'hello' }] })
      expect(status).to.equal(201)
      expect(Object.keys(body[0]).join(' ')).to.equal(
        'id documentId name alternativeText caption focalPoint width height formats hash ext mime ' +
          'size url previewUrl provider provider_metadata createdAt updatedAt publishedAt isUrlSigned',
      )
      const { hash, url } = body[0]
      expect(hash).to.match(/^a_b_[0-9a-f]{10}$/)
      expect(url).to.equal(`/uploads/${hash}.txt`)
      expect(body[0]).to.include({ name: 'a b.txt', mime: 'text/plain', ext: '.txt', size: 0.01 })
      expect(stored()).to.include(`${hash}.txt`)
      expect(waiting()).to.deep.equal([])
    })

    it('keeps its name, also in Unicode, but no path', async () => {
      expect((await uploadText('日本語.txt')).name).to.equal('日本語.txt')
      const { name, url } = await uploadText('../../../etc/passwd')
      expect(name).to.equal('passwd')
      expect(url).to.match(/^\/uploads\/passwd_[0-9a-f]{10}\.txt$/)
    })

    it('is found, listed and deleted', async () => {
      const file = await uploadText('found.txt')
      expect((await server.get(`/api/upload/files/${file.id}`)).body).to.deep.equal(file)
      expect((await server.get(`/api/upload/files/${file.documentId}`)).body).to.deep.equal(file)
      const list = await server.get('/api/upload/files?filters[name]=found.txt&fields=name')
      expect(list.body).to.deep.equal([
        { id: file.id, documentId: file.documentId, name: 'found.txt', isUrlSigned: false },
      ])
      const deleted = await server.delete(`/api/upload/files/${file.id}`)
      expect([deleted.status, deleted.body]).to.deep.equal([200, file])
      expect(stored()).to.not.include(`${file.hash}.txt`)
      for (const method of ['GET', 'DELETE']) {
        const gone = await server.send(method, `/api/upload/files/${file.id}`)
        expect([gone.status, gone.body.error.message]).to.deep.equal([404, 'file.notFound'])
      }
      expect((await server.get('/api/upload/files/abc')).status).to.equal(404)
    })

    it('is listed by start and limit', async () => {
      for (const name of ['l1.txt', 'l2.txt', 'l3.txt']) await uploadText(name)
      const query = 'filters[name][$startsWith]=l&sort=name&fields=name'
      const list = await server.get(`/api/upload/files?${query}&start=1&limit=1`)
      expect(list.body.map((file: { name: string }) => file.name)).to.deep.equal(['l2.txt'])
    })

    it('is listed by page with the pagination', async () => {
      for (const name of ['of-page-1.txt', 'of-page-2.txt', 'of-page-3.txt']) await uploadText(name)
      const query =
        'filters[name][$startsWith]=of-page&sort=name&pagination[pageSize]=2&pagination[page]=2'
      const { status, body } = await server.get(`/api/upload/files/page?${query}`)
      expect(status).to.equal(200)
      expect(body.data.map((file: { name: string }) => file.name)).to.deep.equal(['of-page-3.txt'])
      expect(body.data[0].isUrlSigned).to.equal(false)
      const pagination = { page: 2, pageSize: 2, pageCount: 2, total: 3 }
      expect(body.meta).to.deep.equal({ pagination })
    })

    it('requires permissions', async () => {
      const file = await uploadText()
      const asPublic = { token: null }
      expect((await server.get('/api/upload/files', asPublic)).status).to.equal(200)
      const one = `/api/upload/files/${file.id}`
      expect((await server.get(one, asPublic)).status).to.equal(403)
      expect((await server.delete(one, asPublic)).status).to.equal(403)
    })
  })

  describe('an image', () => {
    it('has formats, which are deleted with it', async () => {
      const { body } = await upload({
        files: [{ name: 'big.png', content: await png(800, 600), type: 'image/png' }],
      })
      const { hash, formats, width, height } = body[0]
      expect([width, height]).to.deep.equal([800, 600])
      expect(Object.keys(formats)).to.deep.equal(['small', 'medium', 'thumbnail'])
      const { size, sizeInBytes, ...small } = formats.small
      expect(small).to.deep.equal({
        ext: '.png',
        url: `/uploads/small_${hash}.png`,
        hash: `small_${hash}`,
        mime: 'image/png',
        name: 'small_big.png',
        path: null,
        width: 500,
        height: 375,
      })
      expect(Math.abs(sizeInBytes / 1000 - size)).to.be.lessThan(0.0051)
      expect((await server.get(formats.small.url)).status).to.equal(200)
      await server.delete(`/api/upload/files/${body[0].id}`)
      expect(stored().filter((name) => name.includes(hash))).to.deep.equal([])
    })

    it('has the type of its bytes, not the declared one', async () => {
      const { body } = await upload({
        files: [{ name: 'evil.html', content: await png(20, 10), type: 'text/html' }],
      })
      expect(body[0]).to.include({ name: 'evil.html', ext: '.png', mime: 'image/png', width: 20 })
    })

    it('is stored without dimensions if it is broken', async () => {
      const whole = await noisyPng(200, 150)
      for (const content of ['no picture', whole.subarray(0, whole.length / 2)]) {
        const { status, body } = await upload({
          files: [{ name: 'broken.png', content, type: 'image/png' }],
        })
        expect(status).to.equal(201)
        expect(body[0]).to.include({ mime: 'image/png', width: null, height: null, formats: null })
      }
    })
  })

  describe('several files', () => {
    const files = ['x.txt', 'y.txt'].map((name) => ({ name, content: 'hello' }))

    it('returns them in the sent order, each with its own information', async () => {
      const image = { name: 'z.png', content: await png(300, 200), type: 'image/png' }
      const fileInfo = [{ caption: 'first' }, null, { name: 'renamed.png' }]
      const { body } = await upload({ files: [image, ...files], fields: { fileInfo } })
      expect(body.map((file: Answer['body']) => [file.name, file.caption])).to.deep.equal([
        ['z.png', 'first'],
        ['x.txt', null],
        ['renamed.png', null],
      ])
    })

    it('refuses all of them if one is invalid', async () => {
      await refuses({ files: [...files, { name: 'empty.txt', content: '' }] }, 'Files are empty')
    })
  })

  describe('invalid uploads', () => {
    it('refuses an upload without a file', async () => {
      await refuses({}, 'Files are empty')
      await refuses({ files: [{ name: 'e.txt', content: '' }] }, 'Files are empty')
      await refuses({ files: [{ name: 'a.txt', content: 'x', field: 'file' }] }, 'Files are empty')
      const json = await server.send('POST', '/api/upload', { body: { files: [] } })
      expect([json.status, json.body.error.message]).to.deep.equal([400, 'Files are empty'])
      const nothing = await server.send('POST', '/api/upload')
      expect([nothing.status, nothing.body.error.message]).to.deep.equal([400, 'Files are empty'])
    })

    it('refuses invalid file information', async () => {
      const files = [{ name: 'a.txt', content: 'hello' }]
      await refuses({ files, fields: { fileInfo: '{bad' } }, /fileInfo/)
      await refuses({ files, fields: { fileInfo: { caption: 5 } } }, /fileInfo.caption/)
    })

    it('refuses an upload above the limit, with or without a length', async () => {
      const content = Buffer.alloc(MAX + 1, 'x')
      await refuses({ files: [{ name: 'a.txt', content }] }, 'The upload is too large', 413)
      const halves = [1, 2].map((half) => ({
        name: `${half}.txt`,
        content: Buffer.alloc(MAX / 2 + 1, 'x'),
      }))
      await refuses({ files: halves }, 'The upload is too large', 413)
      const announced = await leavesNothing(() =>
        upload({ files: [{ name: 'a.txt', content: Buffer.alloc(MAX + 2_000_000, 'x') }] }),
      )
      expect(announced.status).to.equal(413)
    })

    it('refuses an unfinished body, and a body that is not multipart', async () => {
      const whole = multipart({ files: [{ name: 'a.txt', content: 'hello' }] })
      for (const [headers, body] of [
        [MULTIPART, whole.subarray(0, whole.length - 30)],
        [{ 'content-type': 'multipart/form-data' }, whole],
        [MULTIPART, Buffer.from('nothing of it')],
      ] as const) {
        const answer = await leavesNothing(() =>
          server.send('POST', '/api/upload', { headers, body }),
        )
        expect([answer.status, answer.body.error.name]).to.deep.equal([400, 'SyntaxError'])
      }
    })

    it('stores no file when the client aborts halfway', async () => {
      const records = await server.count('files')
      await stopHalfWay(server.port, () => waiting().some((name) => name.includes('file-')))
      await until(() => waiting().length === 0, 10_000)
      expect(await server.count('files')).to.equal(records)
      expect(stored().filter((name) => name.startsWith('half'))).to.deep.equal([])
      expect(server.takeLog().filter(({ level }) => level >= 50)).to.deep.equal([])
    })
  })

  describe('a change of a file', () => {
    it('changes its information', async () => {
      const file = await uploadText()
      const target = `/api/upload?id=${file.id}`
      const fileInfo = { caption: 'new', focalPoint: { x: 1, y: 2 } }
      const changed = await upload({ fields: { fileInfo } }, target)
      expect(changed.status).to.equal(200)
      expect(changed.body).to.deep.equal({
        ...file,
        ...fileInfo,
        updatedAt: changed.body.updatedAt,
      })
      const json = await server.send('POST', target, { body: { fileInfo: { name: 'b.txt' } } })
      expect(json.body).to.include({ id: file.id, name: 'b.txt', caption: 'new' })
    })

    it('replaces its bytes under the same id and URL', async () => {
      const image = { name: 'a.png', content: await png(300, 200), type: 'image/png' }
      const [file] = (await upload({ files: [image] })).body
      const before = await server.get(file.url)
      const target = `/api/upload?id=${file.id}`
      const next = { name: 'b.png', content: await png(30, 20), type: 'image/png' }
      const { status, body } = await upload({ files: [next] }, target)
      expect(status).to.equal(200)
      const { id, hash, url } = file
      expect(body).to.include({ id, hash, url, name: 'b.png', width: 30 })
      expect(body.formats).to.deep.equal({})
      expect((await server.get(url)).headers.etag).to.not.equal(before.headers.etag)
      expect((await server.get(file.formats.thumbnail.url)).status).to.equal(404)
    })

    it('responds with 404 for an unknown file', async () => {
      for (const id of ['424242', 'abc']) {
        const answer = await upload({ fields: { fileInfo: { name: 'x' } } }, `/api/upload?id=${id}`)
        expect([answer.status, answer.body.error.message]).to.deep.equal([404, 'Entity not found'])
      }
    })

    it('refuses an empty change', async () => {
      const { id } = await uploadText()
      expect((await upload({}, `/api/upload?id=${id}`)).status).to.equal(400)
    })
  })
})
