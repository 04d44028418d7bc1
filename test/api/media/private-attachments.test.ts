import { expect } from 'chai'
import { startS3Server } from '../../media/storage/s3-server.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const TYPES = {
  note: declare('note', {
    title: { type: 'string' },
    cover: { type: 'media' },
    scan: { type: 'media', privateFiles: true },
    scans: { type: 'media', multiple: true, privateFiles: true },
    part: { type: 'component', component: 'shared.part' },
  }),
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: {
      open: { type: 'media' },
      closed: { type: 'media', privateFiles: true },
    },
  },
}

const NOTE = ['find', 'findOne', 'create', 'update'].map((verb) => `api::note.note.${verb}`)
const UPLOAD = 'plugin::upload.content-api.upload'
const FIND = 'plugin::upload.content-api.find'

interface FileJson {
  readonly id: number
  readonly documentId: string
  readonly hash: string
  readonly url: string
}

describe('private attachments', () => {
  let server: TestServer
  let writer: string
  let other: string
  let finder: string

  before(async () => {
    server = await serve('private_attachments', { contentTypes: TYPES })
    writer = await tokenFor('writer', [...NOTE, UPLOAD])
    other = await tokenFor('other', [...NOTE, UPLOAD])
    finder = await tokenFor('finder', [...NOTE, FIND])
  })
  after(() => server.close())

  const tokenFor = async (name: string, permissions: readonly string[]): Promise<string> => {
    const body = { name, type: 'custom', permissions }
    const answer = await server.send('POST', '/admin/api-tokens', { body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.accessKey
  }

  const send = (
    fields: Readonly<Record<string, unknown>>,
    token?: string,
    target = '/api/upload',
  ): Promise<Answer> => {
    const body = multipart({ files: [{ name: 'a.txt', content: 'secret' }], fields })
    return server.send('POST', target, { headers: MULTIPART, body, ...(token && { token }) })
  }

  const upload = async (isPrivate: boolean, token?: string): Promise<FileJson> => {
    const answer = await send({ fileInfo: { private: isPrivate } }, token)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body[0]
  }

  const refusedAt = async (
    data: object,
    path: readonly string[],
    taken: 'private' | 'public',
  ): Promise<void> => {
    const { status, body } = await server.post('/api/notes', data)
    const [fault] = body.error.details.errors
    expect([status, fault.path]).to.deep.equal([400, path])
    expect(fault.message).to.include(`${path.join('.')} takes ${taken} files only`)
  }

  it('are refused by public attributes, and public files by attributes of private files', async () => {
    const [closed, open] = [await upload(true), await upload(false)]
    await refusedAt({ cover: closed.id }, ['cover'], 'public')
    await refusedAt({ cover: closed.documentId }, ['cover'], 'public')
    await refusedAt({ cover: { connect: [closed.id] } }, ['cover'], 'public')
    await refusedAt({ scan: open.id }, ['scan'], 'private')
    await refusedAt({ scans: { set: [closed.id, open.id] } }, ['scans'], 'private')
    await refusedAt({ part: { open: closed.id } }, ['part', 'open'], 'public')
    await refusedAt({ part: { closed: open.id } }, ['part', 'closed'], 'private')
    const part = { open: open.id, closed: closed.id }
    const made = await server.post('/api/notes', { cover: open.id, scans: [closed.id], part })
    expect(made.status, made.text).to.equal(201)
  })

  it('are refused in bulk as well', async () => {
    const closed = await upload(true)
    const documentId = 'b'.repeat(24)
    const data = { title: 'x', cover: closed.documentId }
    const line = { op: 'upsert', type: 'note', documentId, data }
    const answer = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(line)}\n`,
    })
    expect(answer.text).to.include('cover takes public files only')
  })

  it('stay attached after a file becomes private, and entries can still be saved', async () => {
    const file = await upload(false)
    const { body } = await server.post('/api/notes', { title: 'a', cover: file.id })
    const target = `/api/notes/${body.data.documentId}?populate=cover`
    await server.send('POST', `/api/upload?id=${file.id}`, {
      body: { fileInfo: { private: true } },
    })
    const read = await server.get(target)
    expect(read.body.data.cover.url).to.include('signature=')
    const saved = await server.put(target, { title: 'b', cover: file.id })
    expect([saved.status, saved.headers['cache-control']]).to.deep.equal([200, 'private, no-store'])
    const moved = await server.put(target, { part: { open: file.id } })
    expect(moved.status).to.equal(400)
  })

  it('accept own uploads, and other files only with the permission to find files', async () => {
    const file = await upload(true, writer)
    expect(file.url).to.include('signature=')
    const create = (token: string, scan: unknown): Promise<Answer> =>
      server.post('/api/notes', { title: 'a', scan }, { token })
    const missing = await create(other, 'a'.repeat(24))
    const hidden = await create(other, file.documentId)
    expect([hidden.status, hidden.text.replaceAll(file.documentId, 'a'.repeat(24))]).to.deep.equal([
      missing.status,
      missing.text,
    ])
    const byId = await create(other, file.id)
    const noId = await create(other, 999_999)
    const withoutId = (text: string): string => text.replaceAll(/\b(999999|\d+)\b/g, 'n')
    expect([byId.status, withoutId(byId.text)]).to.deep.equal([noId.status, withoutId(noId.text)])
    for (const token of [writer, finder]) {
      const made = await create(token, file.documentId)
      expect(made.status, made.text).to.equal(201)
    }
  })

  it('can be kept, but not moved or copied, without the right to see the file', async () => {
    const file = await upload(true, writer)
    const made = await server.post('/api/notes', { scan: file.documentId }, { token: writer })
    const target = `/api/notes/${made.body.data.documentId}`
    const put = async (data: object): Promise<number> =>
      (await server.put(target, data, { token: other })).status
    expect(await put({ title: 'x', scan: file.documentId })).to.equal(200)
    expect(await put({ scans: [file.documentId] })).to.equal(400)
    expect(await put({ scan: null })).to.equal(200)
    expect(await put({ scan: file.documentId })).to.equal(400)
  })

  it('are a 404 for changes without the right to see the file', async () => {
    const file = await upload(true, writer)
    const target = `/api/upload?id=${file.id}`
    const body = { fileInfo: { private: false } }
    const refused = await server.send('POST', target, { body, token: other })
    const missing = await server.send('POST', '/api/upload?id=999999', { body, token: other })
    expect([refused.status, refused.text]).to.deep.equal([missing.status, missing.text])
    expect((await send({}, other, target)).status).to.equal(404)
    expect((await server.get(file.url, { token: null })).text).to.equal('secret')
    expect((await server.send('POST', target, { body, token: writer })).status).to.equal(200)
  })

  it('become private by an upload to an attribute of private files', async () => {
    const { body } = await server.post('/api/notes', { title: 'a' })
    const to = (field: string, fileInfo: object = {}): Promise<Answer> =>
      send({ ref: 'api::note.note', refId: body.data.documentId, field, fileInfo })
    expect((await to('scans')).body[0].url).to.include('signature=')
    expect((await to('cover')).body[0].url).to.not.include('?')
    const count = await server.count('files')
    expect((await to('scans', { private: false })).status).to.equal(400)
    expect((await to('cover', { private: true })).status).to.equal(400)
    expect(await server.count('files')).to.equal(count)
  })

  it('are refused with another value than true and false', async () => {
    for (const value of ['true', 1, null, {}]) {
      expect((await send({ fileInfo: { private: value } })).status).to.equal(400)
    }
  })

  it('have addresses without a signature in sync', async () => {
    const file = await upload(true)
    await server.post('/api/notes', { title: 'synced', scan: file.id })
    await server.settled()
    const { text, status } = await server.get('/api/_sync?types=note,upload.file')
    expect(status).to.equal(200)
    expect(text).to.include(`/uploads/${file.hash}.txt`)
    expect(text).to.not.include('signature=')
  })
})

describe('private files in a bucket with a public address', () => {
  it('have addresses that the bucket signed, in private responses, below a prefix of their own', async () => {
    const s3 = await startS3Server()
    const server = await serve('private_presigned', {
      contentTypes: TYPES,
      environment: {
        ...s3.environment,
        S3_PUBLIC_URL: `${s3.endpoint}/${s3.options.bucket}`,
        S3_KEY_PREFIX: 'media/',
      },
    })
    try {
      const files = [{ name: 'a.txt', content: 'secret' }]
      const send = async (isPrivate: boolean, target = '/api/upload'): Promise<Answer> => {
        const fields = { fileInfo: { private: isPrivate } }
        return server.send('POST', target, {
          headers: MULTIPART,
          body: multipart({ files, fields }),
        })
      }
      const [open] = (await send(false)).body
      expect(open.url).to.equal(`${s3.endpoint}/${s3.options.bucket}/media/${open.hash}.txt`)
      const added = await send(true)
      const [file] = added.body
      expect(added.headers['cache-control']).to.equal('private, no-store')
      expect(file.isUrlSigned).to.equal(true)
      const url = new URL(file.url)
      expect(url.pathname).to.equal(`/${s3.options.bucket}/private/media/${file.hash}.txt`)
      expect(url.searchParams.get('X-Amz-Expires')).to.equal('7200')
      expect(await (await fetch(file.url)).text()).to.equal('secret')
      const replaced = (await send(true, `/api/upload?id=${file.id}`)).body
      expect(await (await fetch(replaced.url)).text()).to.equal('secret')
      expect((await server.get(`/uploads/${file.hash}.txt`, { token: null })).status).to.equal(404)
      const edit = { body: { fileInfo: { private: true } } }
      const hidden = (await server.send('POST', `/api/upload?id=${open.id}`, edit)).body
      expect(await (await fetch(hidden.url)).text()).to.equal('secret')
      expect((await fetch(open.url)).status).to.equal(404)
    } finally {
      await server.close()
      await s3.close()
    }
  })
})
