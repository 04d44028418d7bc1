import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { PreconditionFailedError, ValidationError } from '../../../src/base/errors.ts'
import type { Extension } from '../../../src/extensions/extension.ts'
import { openS3Storage } from '../../../src/media/storage/s3-storage.ts'
import { noisyPng } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const TYPES = {
  note: declare('note', {
    title: { type: 'string' },
    scan: { type: 'media', privateFiles: true },
    cover: { type: 'media', allowedTypes: ['images'] },
  }),
}

/** Refuses files on entries with this title. */
const EXTENSION: Extension = {
  name: 'covers',
  contentTypes: {
    'api::note.note': {
      beforeWrite({ operation, previous }) {
        if (operation === 'update' && previous?.['title'] === 'closed') {
          throw new ValidationError('The hook refuses this')
        }
      },
    },
  },
}

interface Form {
  readonly key: string
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly maxBytes: number
}

describe('direct uploads', () => {
  let s3: S3Server
  let server: TestServer

  before(async () => {
    s3 = await startS3Server()
    server = await serve('direct_uploads', {
      contentTypes: TYPES,
      extensions: [EXTENSION],
      environment: { ...s3.environment, S3_KEY_PREFIX: 'media/', MAX_UPLOAD_BYTES: '100000' },
    })
  })
  after(async () => {
    await server.close()
    await s3.close()
  })

  const presign = async (): Promise<Form> => {
    const answer = await server.send('POST', '/api/upload/presign')
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers['cache-control']).to.equal('private, no-store')
    return answer.body
  }

  /** Sends the file as a browser would. Returns the key. */
  const store = async (content: string | Buffer): Promise<string> => {
    const { key, url, fields } = await presign()
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob([content]), 'x')
    const { status } = await fetch(url, { method: 'POST', body: form })
    expect(status).to.equal(204)
    return key
  }

  const complete = (body: object, token?: string | null): Promise<Answer> =>
    server.send('POST', '/api/upload/complete', { body, ...(token !== undefined && { token }) })

  const incoming = (key: string): string =>
    `${s3.endpoint}/${s3.options.bucket}/incoming/media/${key}`

  it('get a form for one key, one size range and a quarter of an hour', async () => {
    const { fields, maxBytes, url } = await presign()
    const policy = JSON.parse(Buffer.from(fields['policy'] ?? '', 'base64').toString())
    expect(url).to.equal(`${s3.endpoint}/${s3.options.bucket}`)
    expect(maxBytes).to.equal(100_000)
    expect(policy.conditions).to.deep.include(['content-length-range', 1, 100_000])
    expect(policy.conditions).to.deep.include({ key: fields['key'] })
    expect(fields['key']).to.match(/^incoming\/media\/[0-9a-f]{32}$/)
    const left = new Date(policy.expiration).getTime() - Date.now()
    expect(left).to.be.greaterThan(0).and.at.most(900_000)
  })

  it('become files with their detected type, and with formats if they are images', async () => {
    const content = await noisyPng(150, 200)
    const key = await store(content)
    const answer = await complete({ key, name: 'a/b.jpg', fileInfo: { caption: 'c' } })
    expect(answer.status, answer.text).to.equal(201)
    const [file] = answer.body
    expect(file).to.include({
      name: 'b.jpg',
      mime: 'image/png',
      ext: '.png',
      width: 150,
      caption: 'c',
    })
    const served = await fetch(`http://127.0.0.1:${server.port}${file.url}`)
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).to.equal(true)
    expect((await fetch(incoming(key))).status).to.equal(404)
    expect((await complete({ key, name: 'b.jpg' })).status).to.equal(404)
  })

  it('get the headers of this server in the bucket', async () => {
    const key = await store('<script>alert(1)</script>')
    const [file] = (await complete({ key, name: 'page.html' })).body
    const { headers } = await fetch(`${s3.endpoint}/${s3.options.bucket}/media/${file.hash}.html`)
    expect(headers.get('content-type')).to.equal('text/html')
    expect(headers.get('content-disposition')).to.equal('attachment')
  })

  it('can be private, and attached to an entry', async () => {
    const { body } = await server.post('/api/notes', { title: 'a' })
    const at = { ref: 'api::note.note', refId: body.data.documentId, field: 'scan' }
    const [file] = (await complete({ key: await store('secret'), name: 'a.txt', ...at })).body
    expect(file.url).to.include('signature=')
    expect((await server.get(file.url, { token: null })).text).to.equal('secret')
    const read = await server.get(`/api/notes/${body.data.documentId}?populate=scan`)
    expect(read.body.data.scan.id).to.equal(file.id)
  })

  it('leave no file if the attribute refuses them', async () => {
    const { body } = await server.post('/api/notes', { title: 'a' })
    const count = await server.count('files')
    const at = { ref: 'api::note.note', refId: body.data.documentId, field: 'cover' }
    const key = await store('text')
    expect((await complete({ key, name: 'a.txt', ...at })).status).to.equal(400)
    expect(await server.count('files')).to.equal(count)
    expect((await complete({ key, name: 'a.txt' })).status).to.equal(201)
  })

  it('leave no file if a hook refuses the entry', async () => {
    const { body } = await server.post('/api/notes', { title: 'closed' })
    const count = await server.count('files')
    const at = { ref: 'api::note.note', refId: body.data.documentId, field: 'scan' }
    const answer = await complete({ key: await store('text'), name: 'a.txt', ...at })
    expect(answer.status, answer.text).to.equal(400)
    expect(answer.body.error.message).to.equal('The hook refuses this')
    expect(await server.count('files')).to.equal(count)
  })

  it('are refused above the limit, and if the bucket ignores the range of sizes', async () => {
    const key = await store(Buffer.alloc(100_001))
    expect((await complete({ key, name: 'a.bin' })).status).to.equal(413)
  })

  it('are a 404 for every key that is none', async () => {
    const stored = await server.send('POST', '/api/upload/presign')
    const keys = [stored.body.key, 'x', '../x', `${'a'.repeat(31)}/`, 'A'.repeat(32), '..', '%2e']
    for (const key of keys) {
      expect([key, (await complete({ key, name: 'x' })).status]).to.deep.equal([key, 404])
    }
  })

  it('need the permission to upload, and known members', async () => {
    for (const path of ['presign', 'complete']) {
      const { status } = await server.send('POST', `/api/upload/${path}`, { token: null, body: {} })
      expect([path, status]).to.deep.equal([path, 403])
    }
    for (const body of [{}, { key: 1, name: 'x' }, { key: 'x' }, { key: 'x', name: 'x', id: 1 }]) {
      expect((await complete(body)).status).to.equal(400)
    }
    expect((await complete({ key: await store('x'), name: 'x', fileInfo: [] })).status).to.equal(
      400,
    )
  })
})

describe('direct uploads elsewhere', () => {
  it('are a 400 without a bucket', async () => {
    const server = await serve('direct_local', { contentTypes: TYPES })
    try {
      for (const path of ['presign', 'complete']) {
        const body = path === 'complete' ? { key: 'a'.repeat(32), name: 'x' } : {}
        const answer = await server.send('POST', `/api/upload/${path}`, { body })
        expect([answer.status, answer.body.error.message]).to.deep.equal([
          400,
          'Direct uploads need a bucket: UPLOAD_STORAGE=s3',
        ])
      }
    } finally {
      await server.close()
    }
  })

  it('are refused if the bytes have changed since the check', async () => {
    const seen: IncomingHttpHeaders[] = []
    const bucket = createServer((request, response) => {
      seen.push(request.headers)
      response.statusCode = request.method === 'PUT' ? 412 : 200
      response.end(
        request.method === 'PUT' ? '<Error><Code>PreconditionFailed</Code></Error>' : undefined,
      )
    })
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = bucket.address() as AddressInfo
      const storage = await openS3Storage({
        bucket: 'files',
        region: 'us-east-1',
        endpoint: `http://127.0.0.1:${port}`,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        forcePathStyle: true,
        keyPrefix: '',
        publicUrl: null,
      })
      const error: unknown = await storage.direct
        ?.take('a'.repeat(32), '"old"', 'a_0123456789.svg')
        .catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(PreconditionFailedError)
      expect(seen.at(-1)).to.include({
        'x-amz-copy-source-if-match': '"old"',
        'x-amz-copy-source': `files/incoming/${'a'.repeat(32)}`,
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': 'image/svg+xml',
        'content-disposition': 'attachment',
      })
    } finally {
      bucket.close()
    }
  })
})
