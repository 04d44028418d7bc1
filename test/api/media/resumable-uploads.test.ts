import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { documentIdFrom } from '@quire/schema/derived-id'
import { expect } from 'chai'
import { array, assert, asyncProperty, integer } from 'fast-check'
import { MongoClient } from 'mongodb'
import * as tus from 'tus-js-client'
import { UPLOADS } from '../../../src/media/resumable/upload-rows.ts'
import { noisyPng } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { addMember, type Member, RULED_TYPES, setRules } from '../people/rules-world.ts'
import { type Answer, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const UPLOAD = 'plugin::upload.content-api.upload'
const TUS = { 'Tus-Resumable': '1.0.0' }
const PATH = '/api/upload/resumable'
const MAX_BYTES = 20_000_000
const PART = 8_388_608

for (const storage of ['local', 'gridfs', 's3']) {
  describe(`resumable uploads to ${storage}`, () => {
    let s3: S3Server | null = null
    let server: TestServer
    let admin: MongoClient
    let anna: Member
    let bert: Member

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      server = await serve(`resumable_${storage}`, {
        contentTypes: RULED_TYPES,
        environment: {
          ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
          MAX_UPLOAD_BYTES: String(MAX_BYTES),
          CORS_ORIGIN: 'https://app.example',
        },
        permitted: ['plugin::users-permissions.auth.register', UPLOAD],
      })
      admin = await MongoClient.connect(server.uri)
      await setRules(server, 'authenticated', [], [UPLOAD])
      anna = await addMember(server, 'anna')
      bert = await addMember(server, 'bert')
    })
    const begun = new Set<string>()
    afterEach(async () => {
      for (const path of begun) {
        await server.send('DELETE', path, { headers: TUS, token: anna.token })
      }
      begun.clear()
    })
    after(async () => {
      await admin.close()
      await server.close()
      await s3?.close()
    })

    type Headers = Readonly<Record<string, string>>
    const create = (length: number | string, headers: Headers = {}, token = anna.token) =>
      server.send('POST', PATH, {
        headers: { ...TUS, 'Upload-Length': String(length), ...headers },
        token,
      })
    const begin = async (length: number, headers: Headers = {}): Promise<string> => {
      const { status, text, headers: answered } = await create(length, headers)
      expect(status, text).to.equal(201)
      const path = answered.location ?? ''
      begun.add(path)
      return path
    }
    const patch = (
      path: string,
      offset: number,
      body: Buffer | string,
      { headers = {}, token = anna.token }: { headers?: Headers; token?: string | null } = {},
    ): Promise<Answer> =>
      server.send('PATCH', path, {
        headers: {
          ...TUS,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
          ...headers,
        },
        body,
        token,
      })
    const head = (path: string, token = anna.token): Promise<Answer> =>
      server.send('HEAD', path, { headers: TUS, token })
    const offsetOf = async (path: string): Promise<number> => {
      const answer = await head(path)
      expect(answer.status).to.equal(200)
      return Number(answer.headers['upload-offset'])
    }
    const bytesOf = async ({ url }: { readonly url: string }): Promise<Buffer> =>
      Buffer.from(await (await fetch(`http://127.0.0.1:${server.port}${url}`)).arrayBuffer())
    const metadata = (values: Headers): Headers => ({
      'Upload-Metadata': Object.entries(values)
        .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
        .join(','),
    })

    /** As clients do: a request of a cut connection may still hold the lock, or arrive late. */
    const resume = async (path: string, content: Buffer): Promise<Answer> => {
      for (;;) {
        const offset = await offsetOf(path)
        const answer = await patch(path, offset, content.subarray(offset))
        if (![409, 423].includes(answer.status)) return answer
      }
    }

    /** Requests would take the lock themselves, or interrupt its holder. */
    const isHeld = async (path: string): Promise<boolean> => {
      const rows = admin.db(server.database).collection<{ _id: string; holder: string }>(UPLOADS)
      const row = await rows.findOne({ _id: path.split('/').at(-1) ?? '' })
      return typeof row?.holder === 'string'
    }

    /** Sends part of a body, and disconnects: at once, or when the request holds the lock. */
    const cutAfter = async (
      path: string,
      offset: number,
      sent: Buffer,
      waits = false,
    ): Promise<void> => {
      const outgoing = request({
        host: '127.0.0.1',
        port: server.port,
        method: 'PATCH',
        path,
        headers: {
          ...TUS,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': offset,
          'transfer-encoding': 'chunked',
          authorization: `Bearer ${anna.token}`,
        },
      })
      outgoing.on('error', () => undefined) // the test disconnects
      await new Promise<void>((resolve) => outgoing.write(sent, () => resolve()))
      if (waits) await until(() => isHeld(path), 10_000)
      await new Promise<void>((resolve) => {
        outgoing.once('close', resolve)
        outgoing.destroy()
      })
    }

    it('become a file with its detected type, formats and texts', async () => {
      const content = await noisyPng(300, 200)
      const info = { caption: 'c', alternativeText: 'ä', name: 'shown.png' }
      const path = await begin(
        content.length,
        metadata({ filename: 'a/b.jpg', filetype: 'image/jpeg', fileInfo: JSON.stringify(info) }),
      )
      const part = await patch(path, 0, content.subarray(0, 1000))
      expect(part.status, part.text).to.equal(204)
      expect(part.headers).to.include({ 'upload-offset': '1000', 'tus-resumable': '1.0.0' })
      const left = Date.parse(part.headers['upload-expires'] as string) - Date.now()
      expect(left).to.be.within(80_000_000, 86_400_000)
      const last = await patch(path, 1000, content.subarray(1000))
      expect(last.status, last.text).to.equal(200)
      expect(last.headers['upload-offset']).to.equal(String(content.length))
      const [file] = last.body
      expect(file).to.include({ ...info, mime: 'image/png', width: 300 })
      expect(path).to.equal(`${PATH}/${file.documentId}`)
      expect(file.formats.thumbnail.width).to.be.greaterThan(0)
      expect((await bytesOf(file)).equals(content)).to.equal(true)
    })

    it('leave only the file in the storage, and return it again after a lost response', async () => {
      const stored = await server.storedFiles()
      const path = await begin(10)
      await patch(path, 0, 'hello')
      expect(await server.storedFiles()).to.have.length(stored.length + 1)
      const first = await patch(path, 5, 'world')
      expect(await server.storedFiles()).to.have.length(stored.length + 1)
      expect(await offsetOf(path)).to.equal(10)
      const count = await server.count('files')
      const again = await patch(path, 10, '')
      expect(again.status, again.text).to.equal(200)
      expect(again.headers['idempotency-replayed']).to.equal('true')
      expect(again.body).to.deep.equal(first.body)
      expect(await server.count('files')).to.equal(count)
      expect((await bytesOf(again.body[0])).toString()).to.equal('helloworld')
    })

    it('keep the bytes of cut connections, and become one file with equal bytes', async function () {
      this.timeout(120_000)
      let cuts = 0
      let kept = 0
      const pieces = array(integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 5 })
      await assert(
        asyncProperty(pieces, integer({ min: 1, max: 1_500_000 }), async (sizes, length) => {
          const content = randomBytes(length)
          const path = await begin(length)
          const count = await server.count('files')
          let offset = 0
          let end = 0 // of all bytes that were sent, because a cut request may arrive late
          for (const size of sizes) {
            if (offset + size >= length) break
            end = Math.max(end, offset + size)
            const sent = content.subarray(offset, offset + size)
            if (size % 2 === 0) {
              await cutAfter(path, offset, sent, size % 4 === 0)
              const known = await offsetOf(path)
              expect(known).to.be.within(offset, end)
              cuts += 1
              if (known > offset) kept += 1
              offset = known
            } else {
              const { status } = await patch(path, offset, sent)
              if (status === 204) offset += size
              else offset = await offsetOf(path)
            }
          }
          const last = await resume(path, content)
          expect(last.status, last.text).to.equal(200)
          expect((await bytesOf(last.body[0])).equals(content)).to.equal(true)
          expect(await server.count('files')).to.equal(count + 1)
        }),
        { numRuns: 15, endOnFailure: true },
      )
      expect(cuts).to.be.greaterThan(3)
      expect(kept).to.be.greaterThan(0)
    })

    it('refuse tiny requests at once, except for the last one', async () => {
      const path = await begin(200_000)
      const tiny = await patch(path, 0, 'x'.repeat(100))
      expect([tiny.status, tiny.headers['error-code']]).to.deep.equal([400, 'invalid_upload'])
      expect(tiny.text).to.include('at least 200 bytes')
      expect((await patch(path, 0, 'x'.repeat(199_950))).status).to.equal(204)
      expect((await patch(path, 199_950, 'x'.repeat(50))).status).to.equal(200)
    })

    it('have parts of at most 8 MiB, that no address serves', async () => {
      const before = await server.storedFiles()
      const path = await begin(PART + 2_000_000)
      const sent = await patch(path, 0, Buffer.alloc(PART + 1_000_000, 'x'))
      expect(sent.status, sent.text).to.equal(204)
      const parts = (await server.storedFiles()).filter((name) => !before.includes(name))
      expect(parts).to.have.length(2)
      for (const name of parts) {
        expect(name).to.match(/^part_private_[0-9a-f]{32}$/)
        expect((await server.get(`/uploads/${name}`)).status).to.equal(404)
      }
      expect(
        (await server.send('DELETE', path, { headers: TUS, token: anna.token })).status,
      ).to.equal(204)
      expect(await server.storedFiles()).to.deep.equal(before)
      expect((await head(path)).status).to.equal(404)
    })

    it('can be private', async () => {
      const path = await begin(6, metadata({ filename: 'a.txt', fileInfo: '{"private":true}' }))
      const { body } = await patch(path, 0, 'secret')
      expect(body[0].url).to.include('signature=')
      expect((await server.get(body[0].url, { token: null })).text).to.equal('secret')
    })

    it('belong to their caller', async () => {
      const path = await begin(10)
      for (const token of [bert.token, ROOT_TOKEN]) {
        expect((await head(path, token)).status).to.equal(404)
        expect((await patch(path, 0, 'x', { token })).status).to.equal(404)
        const removed = await server.send('DELETE', path, { headers: TUS, token })
        expect(removed.status).to.equal(404)
      }
      expect((await patch(path, 0, 'x', { token: null })).status).to.equal(400)
      expect(await offsetOf(path)).to.equal(0)
    })

    it('refuse a wrong offset, and bytes beyond the length', async () => {
      const path = await begin(10)
      await patch(path, 0, 'abc')
      for (const offset of [0, 2, 4, 10]) {
        const answer = await patch(path, offset, 'd')
        expect([answer.status, answer.headers['error-code']]).to.deep.equal([409, 'upload_offset'])
      }
      expect((await patch(path, 3, 'defghijk')).status).to.equal(413)
      await cutAfter(path, 3, Buffer.alloc(100_000, 'x'))
      expect(await offsetOf(path)).to.equal(3)
      const last = await resume(path, Buffer.from('abcdefghij'))
      expect((await bytesOf(last.body[0])).toString()).to.equal('abcdefghij')
    })

    it('take one PATCH at a time, which a HEAD interrupts', async () => {
      const path = await begin(1_000_000)
      const outgoing = request({
        host: '127.0.0.1',
        port: server.port,
        method: 'PATCH',
        path,
        headers: {
          ...TUS,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': 0,
          'content-length': 900_000,
          authorization: `Bearer ${anna.token}`,
        },
      })
      const answered = once(outgoing, 'response')
      outgoing.write(Buffer.alloc(100_000, 'x'))
      await until(() => isHeld(path), 10_000)
      expect((await patch(path, 0, '')).status).to.equal(423)
      const offset = await offsetOf(path)
      expect(offset).to.be.within(0, 100_000)
      const [response] = await answered
      expect(response.statusCode).to.equal(409)
      outgoing.destroy()
      const last = await patch(path, offset, Buffer.alloc(1_000_000 - offset, 'x'))
      expect(last.status, last.text).to.equal(200)
      expect((await bytesOf(last.body[0])).equals(Buffer.alloc(1_000_000, 'x'))).to.equal(true)
    })

    it('store one file when requests race for the last byte', async () => {
      const path = await begin(5)
      const count = await server.count('files')
      const answers = await Promise.all(Array.from({ length: 6 }, () => patch(path, 0, 'hello')))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).to.have.length(1)
      expect(statuses.filter((status) => ![200, 409, 423].includes(status))).to.deep.equal([])
      expect(await server.count('files')).to.equal(count + 1)
    })

    it('have the documentId of their Idempotency-Key, and are created once', async () => {
      const key = { 'Idempotency-Key': 'film' }
      const path = await begin(10, key)
      expect(path).to.equal(`${PATH}/${documentIdFrom('f', `file:user:${anna.documentId}:film`)}`)
      await patch(path, 0, 'hello')
      const again = await create(10, key)
      expect([again.status, again.headers.location, again.body.offset]).to.deep.equal([
        201,
        path,
        5,
      ])
      expect((await create(11, key)).status).to.equal(422)
    })

    it('count all bytes but one until the file exists, and store it with this byte', async () => {
      const path = await begin(5)
      await patch(path, 0, 'hell')
      const _id = path.split('/').at(-1) ?? ''
      const rows = admin.db(server.database).collection<{ _id: string }>(UPLOADS)
      await rows.updateOne({ _id }, { $set: { length: 4 } }) // as after a kill before the file
      expect(await offsetOf(path)).to.equal(3)
      const last = await patch(path, 3, 'l')
      expect(last.status, last.text).to.equal(200)
      expect((await bytesOf(last.body[0])).toString()).to.equal('hell')
    })

    it('refuse hostile headers', async () => {
      const path = await begin(10)
      const long = 'x'.repeat(9_000)
      const refused: readonly (readonly [number, string, () => Promise<Answer>])[] = [
        [412, 'another version', () => create(10, { 'Tus-Resumable': '0.2.2' })],
        [400, 'no length', () => create('')],
        [400, 'a negative length', () => create('-1')],
        [400, 'an exponent', () => create('1e3')],
        [400, 'a huge length', () => create('9'.repeat(400))],
        [400, 'an empty file', () => create(0)],
        [413, 'a large file', () => create(MAX_BYTES + 1)],
        [400, 'a deferred length', () => create(10, { 'Upload-Defer-Length': '1' })],
        [400, 'no Base64', () => create(10, { 'Upload-Metadata': 'filename a*b' })],
        [400, 'no UTF-8', () => create(10, { 'Upload-Metadata': 'filename /w==' })],
        [400, 'a key twice', () => create(10, { 'Upload-Metadata': 'a YQ==,a YQ==' })],
        [400, 'three words', () => create(10, { 'Upload-Metadata': 'a YQ== YQ==' })],
        [400, 'no key', () => create(10, { 'Upload-Metadata': ',,,' })],
        [400, 'long metadata', () => create(10, { 'Upload-Metadata': `filename ${long}` })],
        [400, 'no JSON', () => create(10, metadata({ fileInfo: '{' }))],
        [400, 'two entries', () => create(10, metadata({ fileInfo: '[{},{}]' }))],
        [400, 'a wrong text', () => create(10, metadata({ fileInfo: '{"caption":1}' }))],
        [
          400,
          'a long name',
          () => create(10, metadata({ fileInfo: `{"name":"${'x'.repeat(300)}"}` })),
        ],
        [
          400,
          'no caller',
          () =>
            server.send('POST', PATH, { headers: { ...TUS, 'Upload-Length': '1' }, token: null }),
        ],
        [
          400,
          'another type',
          () => patch(path, 0, 'x', { headers: { 'Content-Type': 'text/plain' } }),
        ],
        [400, 'a coding', () => patch(path, 0, 'x', { headers: { 'Content-Encoding': 'gzip' } })],
        [400, 'no offset', () => patch(path, 0, 'x', { headers: { 'Upload-Offset': 'x' } })],
        [404, 'another id', () => patch(`${PATH}/..%2f..%2fetc`, 0, 'x')],
        [404, 'an unknown id', () => head(`${PATH}/${'a'.repeat(24)}`)],
      ]
      for (const [status, what, send] of refused) {
        const answer = await send()
        expect(answer.status, `${what}: ${answer.text}`).to.equal(status)
      }
      const named = await create(10, { 'Upload-Metadata': 'filetype YQ==,filename a*b' })
      expect(named.body.error.message).to.include('filename')
      expect(await offsetOf(path)).to.equal(0)
    })

    it('show their metadata and the limits of the server', async () => {
      const sent = metadata({ filename: 'ä.txt' })
      const { headers } = await head(await begin(10, sent))
      expect(headers).to.include({
        'upload-metadata': sent['Upload-Metadata'],
        'upload-length': '10',
        'cache-control': 'no-store',
      })
      const options = await server.send('OPTIONS', PATH, { token: null })
      expect(options.headers).to.include({
        'tus-version': '1.0.0',
        'tus-extension': 'creation,expiration,termination',
        'tus-max-size': String(MAX_BYTES),
      })
      const cors = await create(10, { Origin: 'https://app.example' })
      expect(cors.headers['access-control-expose-headers']).to.include('Upload-Offset')
    })

    it('work with tus-js-client', async () => {
      const content = randomBytes(2_500_000)
      const { lastResponse } = await new Promise<tus.OnSuccessPayload>((resolve, reject) => {
        new tus.Upload(content, {
          endpoint: `http://127.0.0.1:${server.port}${PATH}`,
          headers: { Authorization: `Bearer ${anna.token}` },
          metadata: { filename: 'film.bin', filetype: 'application/octet-stream' },
          chunkSize: 1_000_000,
          onError: reject,
          onSuccess: resolve,
        }).start()
      })
      const [file] = JSON.parse(lastResponse.getBody())
      expect(file.name).to.equal('film.bin')
      expect((await bytesOf(file)).equals(content)).to.equal(true)
    })

    it('are limited for each caller, also for concurrent requests', async () => {
      const createMany = (count: number): Promise<readonly number[]> =>
        Promise.all(
          Array.from({ length: count }, async () => (await create(10, {}, bert.token)).status),
        )
      const first = await createMany(40)
      const accepted = first.filter((status) => status === 201).length
      expect(accepted).to.be.at.most(20)
      expect([...new Set(first)].toSorted((a, b) => a - b)).to.include(429)
      let left = 20 - accepted
      for (; left > 0; left -= 1) {
        expect((await create(10, {}, bert.token)).status).to.equal(201)
      }
      const full = await create(10, {}, bert.token)
      expect([full.status, full.headers['retry-after']]).to.deep.equal([429, '60'])
    })

    it('are resumed by their Idempotency-Key at the limit of their caller', async () => {
      const { token } = await addMember(server, 'carl')
      const key = (nth: number): Headers => ({ 'Idempotency-Key': `film-${nth}` })
      const paths: (string | undefined)[] = []
      for (let nth = 0; nth < 20; nth += 1) {
        const { status, headers } = await create(10, key(nth), token)
        expect(status).to.equal(201)
        paths.push(headers.location)
      }
      expect((await create(10, key(20), token)).status).to.equal(429)
      for (const nth of [0, 19]) {
        const again = await create(10, key(nth), token)
        expect([again.status, again.headers.location]).to.deep.equal([201, paths[nth]])
      }
      expect((await create(11, key(0), token)).status).to.equal(422)
    })
  })
}
