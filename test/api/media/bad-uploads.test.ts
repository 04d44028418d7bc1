import { join } from 'node:path'
import { expect } from 'chai'
import { openGridFsStorage } from '../../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../../src/media/storage/local-storage.ts'
import { openS3Storage } from '../../../src/media/storage/s3-storage.ts'
import type { MediaStorage } from '../../../src/media/storage/storage.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { noisyPng, png } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { useTempFolder } from '../../media/temp-folder.ts'
import { type Answer, serve, type TestServer } from '../../support/server.ts'
import {
  filesIn,
  MEDIA_TYPES,
  MULTIPART,
  multipart,
  type Parts,
  stopHalfWay,
} from '../../support/uploads.ts'
import { until } from '../../support/until.ts'

const MAX = 300_000

/** A small PNG with a header that claims more pixels than the server decodes. */
function bomb(picture: Buffer): Buffer {
  const claimed = Buffer.from(picture)
  claimed.writeUInt32BE(60_000, 16)
  claimed.writeUInt32BE(60_000, 20)
  return claimed
}

/** Below the limit alone; two of these are above it. */
const LARGE_TEXT = 'x'.repeat(600_000)

for (const kind of ['local', 'gridfs', 's3']) {
  describe(`bad uploads to ${kind}`, () => {
    const folder = useTempFolder()
    let server: TestServer
    let s3: S3Server | null = null
    let database: Database
    let storage: MediaStorage

    before(async () => {
      s3 = kind === 's3' ? await startS3Server() : null
      server = await serve(`bad_${kind}`, {
        contentTypes: MEDIA_TYPES,
        environment: {
          ...(s3?.environment ?? { UPLOAD_STORAGE: kind }),
          QUIRE_DATA_DIR: folder(),
          MAX_UPLOAD_BYTES: String(MAX),
        },
      })
      const { uri, database: name } = server
      database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
      storage = await openAgain()
    })
    after(async () => {
      await database.close()
      await server.close()
      await s3?.close()
    })

    const openAgain = async (): Promise<MediaStorage> => {
      if (kind === 'local') return openLocalStorage(join(folder(), 'uploads'))
      if (s3 === null) return openGridFsStorage(database)
      return openS3Storage(s3.options)
    }

    const stored = async (): Promise<readonly string[]> => {
      const names: string[] = []
      for await (const { name } of storage.list()) names.push(name)
      return names.toSorted()
    }
    const waiting = (): readonly string[] => filesIn(join(folder(), 'incoming'))

    const upload = (parts: Parts, target = '/api/upload'): Promise<Answer> =>
      server.send('POST', target, { headers: MULTIPART, body: multipart(parts) })

    const leavesNothing = async <T>(send: () => Promise<T>): Promise<T> => {
      const [files, records] = [await stored(), await server.count('files')]
      const answer = await send()
      await until(() => waiting().length === 0, 10_000)
      expect(await stored()).to.deep.equal(files)
      expect(await server.count('files')).to.equal(records)
      return answer
    }

    const text = { name: 'a.txt', content: 'hello' }
    const refused: readonly (readonly [string, number, Parts])[] = [
      ['an empty file', 400, { files: [{ name: 'a.txt', content: '' }] }],
      ['one empty file of several', 400, { files: [text, { name: 'b.txt', content: '' }] }],
      ['a wrong field name', 400, { files: [{ ...text, field: 'file' }] }],
      [
        'more entries of fileInfo than files',
        400,
        { files: [text], fields: { fileInfo: '[{},{}]' } },
      ],
      ['a fileInfo that is not JSON', 400, { files: [text], fields: { fileInfo: '{' } }],
      [
        'text fields that are too large together',
        413,
        { files: [text], fields: { fileInfo: '{}', one: LARGE_TEXT, other: LARGE_TEXT } },
      ],
      [
        'a body over the limit',
        413,
        { files: [{ name: 'a.txt', content: Buffer.alloc(MAX + 1, 'x') }] },
      ],
    ]
    for (const [label, status, parts] of refused) {
      it(`refuses ${label} and stores no file`, async () => {
        const answer = await leavesNothing(() => upload(parts))
        expect(answer.status, answer.text).to.equal(status)
      })
    }

    it('refuses bytes of a type that the attribute does not allow, and stores no file', async () => {
      const { body } = await server.post('/api/authors', { name: 'one' })
      const fields = { ref: 'api::author.author', refId: String(body.data.id), field: 'avatar' }
      const pdf = { name: 'a.png', content: '%PDF-1.7 not a picture', type: 'image/png' }
      const answer = await leavesNothing(() => upload({ files: [pdf], fields }))
      expect(answer.status, answer.text).to.equal(400)
    })

    it('stores no file when the client aborts halfway', async () => {
      await leavesNothing(async () => {
        await stopHalfWay(server.port, () => waiting().some((name) => name.includes('file-')))
      })
    })

    it('removes paths from file names', async () => {
      for (const name of ['../../x.txt', '..\\\\..\\\\x.txt', '/etc/x.txt']) {
        const { status, body } = await upload({ files: [{ name, content: 'x' }] })
        expect([status, body[0].name], name).to.deep.equal([201, 'x.txt'])
        expect(body[0].url).to.match(/^\/uploads\/x_[0-9a-f]{10}\.txt$/)
      }
    })

    it('stores truncated pictures and decompression bombs without dimensions or formats', async () => {
      const whole = await noisyPng(200, 150)
      const rows: readonly (readonly [string, Buffer])[] = [
        ['truncated', whole.subarray(0, whole.length / 2)],
        ['bomb', bomb(await png(50, 50))],
      ]
      for (const [label, content] of rows) {
        const files = [{ name: `${label}.png`, content, type: 'image/png' }]
        const { status, body } = await upload({ files })
        expect(status, label).to.equal(201)
        const { mime, width, formats } = body[0]
        expect([mime, width, formats], label).to.deep.equal(['image/png', null, null])
        expect(await stored()).to.include(body[0].url.slice('/uploads/'.length))
      }
      expect(waiting()).to.deep.equal([])
    })

    it('serves a polyglot file as the picture in its bytes, for any name and type', async () => {
      const content = Buffer.concat([await png(20, 10), Buffer.from('<script>alert(1)</script>')])
      const files = [{ name: 'page.html', content, type: 'text/html' }]
      const { body } = await upload({ files })
      expect(body[0]).to.include({ mime: 'image/png', ext: '.png' })
      const { headers } = await server.get(body[0].url)
      expect(headers['content-type']).to.equal('image/png')
      expect(headers['x-content-type-options']).to.equal('nosniff')
    })
  })
}
