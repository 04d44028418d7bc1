import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { documentIdFrom } from '@quire/schema/derived-id'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { UPLOADS } from '../../../src/media/resumable/upload-rows.ts'
import {
  addAdministrator,
  addRole,
  type AdminClient,
  asAdministrator,
  signIn,
} from '../../support/admin-client.ts'
import { type Answer, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const PATH = '/admin/files/resumable'
const TUS = { 'Tus-Resumable': '1.0.0' }
const OWN = { 'sec-fetch-site': 'same-origin' }
const UPLOAD = 'plugin::upload.content-api.upload'
const FIND = 'plugin::upload.content-api.find'
const MAX_BYTES = 9_000_000

describe('resumable uploads of administrators', () => {
  let server: TestServer
  let database: MongoClient
  let editor: AdminClient
  let other: AdminClient
  let editorId: string

  before(async () => {
    server = await serve('admin_resumable', {
      contentTypes: {},
      environment: { RATE_LIMIT: 'off', MAX_UPLOAD_BYTES: String(MAX_BYTES) },
    })
    database = await MongoClient.connect(server.uri)
    editorId = (await addAdministrator(server, 'Editor', ['editor']))['id']
    await addAdministrator(server, 'Other', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    other = await signIn(server, 'other@example.org')
  })
  after(async () => {
    await database.close()
    await server.close()
  })

  type Headers = Readonly<Record<string, string>>
  const send = (
    { cookie }: Pick<AdminClient, 'cookie'>,
    method: string,
    path: string,
    headers: Headers = {},
    body?: Buffer | string,
  ): Promise<Answer> =>
    server.send(method, path, {
      token: null,
      headers: { ...TUS, ...OWN, cookie, ...headers },
      ...(body !== undefined && { body }),
    })
  const create = (who: AdminClient, length: number, headers: Headers = {}): Promise<Answer> =>
    send(who, 'POST', PATH, { 'Upload-Length': String(length), ...headers })
  const begin = async (who: AdminClient, length: number, headers: Headers = {}) => {
    const { status, text, headers: answered } = await create(who, length, headers)
    expect(status, text).to.equal(201)
    return answered.location ?? ''
  }
  const partHeaders = (offset: number): Headers => ({
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(offset),
  })
  const patch = (
    who: Pick<AdminClient, 'cookie'>,
    path: string,
    offset: number,
    body: Buffer | string,
    headers: Headers = {},
  ): Promise<Answer> => send(who, 'PATCH', path, { ...partHeaders(offset), ...headers }, body)
  const offsetOf = async (who: AdminClient, path: string): Promise<number> => {
    const answer = await send(who, 'HEAD', path)
    expect(answer.status).to.equal(200)
    return Number(answer.headers['upload-offset'])
  }
  const metadata = (values: Headers): Headers => ({
    'Upload-Metadata': Object.entries(values)
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(','),
  })
  const bytesOf = async ({ url }: Json): Promise<Buffer> =>
    Buffer.from(await (await fetch(`http://127.0.0.1:${server.port}${url}`)).arrayBuffer())
  const makeFolder = async (name: string): Promise<string> =>
    (await editor.send('POST', '/admin/folders', { name })).body.data.id

  /** Begins a PATCH with half of its body. */
  const openPatch = async (
    { cookie }: AdminClient,
    path: string,
    body: Buffer,
  ): Promise<{ finish(): Promise<number> }> => {
    const outgoing: ClientRequest = request({
      host: '127.0.0.1',
      port: server.port,
      method: 'PATCH',
      path,
      headers: { ...TUS, ...OWN, ...partHeaders(0), cookie, 'content-length': body.length },
    })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    const middle = Math.floor(body.length / 2)
    outgoing.write(body.subarray(0, middle))
    const rows = database.db(server.database).collection<{ _id: string; holder: string }>(UPLOADS)
    const isHeld = async (): Promise<boolean> => {
      const row = await rows.findOne({ _id: path.split('/').at(-1) ?? '' })
      return typeof row?.holder === 'string'
    }
    await until(isHeld, 10_000)
    return {
      finish: async () => {
        outgoing.end(body.subarray(middle))
        const [response] = await answered
        response.resume()
        return response.statusCode ?? 0
      },
    }
  }

  it('become a file of the administrator in its folder, with the envelope of the Studio', async () => {
    const content = randomBytes(3_000)
    const folder = await makeFolder('Films')
    const described = metadata({
      filename: 'film.bin',
      filetype: 'application/octet-stream',
      fileInfo: JSON.stringify({ caption: 'c', private: true, name: 'film.bin' }),
      folder,
    })
    const created = await create(editor, content.length, described)
    expect(created.status, created.text).to.equal(201)
    expect(created.body.data).to.include({ offset: 0, length: 3_000 })
    const path = created.headers.location ?? ''
    expect(path).to.equal(`${PATH}/${created.body.data.id}`)
    const first = await patch(editor, path, 0, content.subarray(0, 2_000))
    expect([first.status, first.text]).to.deep.equal([204, ''])
    const shown = await send(editor, 'GET', path)
    expect(shown.body.data.offset).to.equal(2_000)
    const last = await patch(editor, path, 2_000, content.subarray(2_000))
    expect(last.status, last.text).to.equal(200)
    const [file] = last.body.data
    expect(file).to.include({ name: 'film.bin', caption: 'c', private: true, folder })
    expect(file.documentId).to.equal(created.body.data.id)
    expect((await bytesOf(file)).equals(content)).to.equal(true)
    const again = await patch(editor, path, 3_000, '')
    expect(again.headers['idempotency-replayed']).to.equal('true')
    expect(again.body.data[0].id).to.equal(file.id)
    const row = await database
      .db(server.database)
      .collection('files')
      .findOne({ documentId: file.documentId })
    expect(row?.['uploadedBy']).to.equal(`administrator:${editorId}`)
  })

  it('belong to their administrator, also at the other routes', async () => {
    const path = await begin(editor, 10)
    const id = path.split('/').at(-1) ?? ''
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      expect((await send(other, method, path)).status, method).to.equal(404)
    }
    expect((await patch(other, path, 0, 'x')).status).to.equal(404)
    const asRoot = { headers: { ...TUS, ...partHeaders(0) }, body: 'x', token: ROOT_TOKEN }
    for (const target of [path, `/api/upload/resumable/${id}`]) {
      expect((await server.send('PATCH', target, asRoot)).status, target).to.equal(404)
    }
    expect(await offsetOf(editor, path)).to.equal(0)
  })

  it('need the permission, a session, and a page of the same origin', async () => {
    await addRole(server, 'viewer', [FIND])
    await addAdministrator(server, 'Viewer', ['viewer'])
    const viewer = await signIn(server, 'viewer@example.org')
    const path = await begin(editor, 10)
    expect((await create(viewer, 10)).status).to.equal(403)
    expect((await create(asAdministrator(server, ''), 10)).status).to.equal(401)
    for (const site of ['cross-site', 'same-site', 'none']) {
      const foreign = { 'sec-fetch-site': site }
      for (const answer of [
        await create(editor, 10, foreign),
        await patch(editor, path, 0, 'x', foreign),
        await send(editor, 'DELETE', path, foreign),
      ]) {
        const told = [answer.status, answer.headers['error-code']]
        expect(told, site).to.deep.equal([403, 'cross_site'])
      }
    }
    const read = await send(editor, 'HEAD', path, { 'sec-fetch-site': 'cross-site' })
    expect(read.status).to.equal(403)
    expect(await offsetOf(editor, path)).to.equal(0)
  })

  it('continue in a new session after the end of the old one', async () => {
    const brief = await signIn(server, 'editor@example.org')
    const path = await begin(brief, 10)
    expect((await patch(brief, path, 0, 'hello')).status).to.equal(204)
    expect((await brief.send('DELETE', '/admin/session')).status).to.equal(204)
    expect((await patch(brief, path, 5, 'world')).status).to.equal(401)
    expect((await send(brief, 'HEAD', path)).status).to.equal(401)
    const again = await signIn(server, 'editor@example.org')
    expect(await offsetOf(again, path)).to.equal(5)
    const last = await patch(again, path, 5, 'world')
    expect(last.status, last.text).to.equal(200)
    expect((await bytesOf(last.body.data[0])).toString()).to.equal('helloworld')
  })

  it('store no file if the session ends while the last bytes arrive', async () => {
    const content = randomBytes(200_000)
    const brief = await signIn(server, 'editor@example.org')
    const count = await server.count('files')
    const path = await begin(brief, content.length)
    const open = await openPatch(brief, path, content)
    expect((await brief.send('DELETE', '/admin/session')).status).to.equal(204)
    expect(await open.finish()).to.equal(401)
    expect(await server.count('files')).to.equal(count)
    const offset = await offsetOf(editor, path)
    expect(offset).to.equal(content.length - 1)
    const last = await patch(editor, path, offset, content.subarray(offset))
    expect(last.status, last.text).to.equal(200)
    expect((await bytesOf(last.body.data[0])).equals(content)).to.equal(true)
  })

  it('store no file after the permission has ended', async () => {
    await addRole(server, 'sender', [UPLOAD])
    await addAdministrator(server, 'Sender', ['sender'])
    const sender = await signIn(server, 'sender@example.org')
    const permit = async (actions: readonly string[]): Promise<void> => {
      const permissions = actions.map((action) => ({ action }))
      const body = { permissions }
      const changed = await server.send('PUT', '/admin/administrator-roles/sender', { body })
      expect(changed.status, changed.text).to.equal(200)
    }
    const content = randomBytes(200_000)
    const count = await server.count('files')
    const between = await begin(sender, 10)
    expect((await patch(sender, between, 0, 'hello')).status).to.equal(204)
    const during = await begin(sender, content.length)
    const open = await openPatch(sender, during, content)
    await permit([FIND])
    expect(await open.finish()).to.equal(403)
    expect((await patch(sender, between, 5, 'world')).status).to.equal(403)
    expect((await send(sender, 'DELETE', between)).status).to.equal(403)
    expect(await server.count('files')).to.equal(count)
    await permit([UPLOAD])
    expect((await patch(sender, between, 5, 'world')).status).to.equal(200)
    expect(await server.count('files')).to.equal(count + 1)
  })

  it('refuse files above the limit, unknown folders and invalid texts', async () => {
    expect((await create(editor, MAX_BYTES + 1)).status).to.equal(413)
    const path = await begin(editor, 10)
    expect((await patch(editor, path, 0, 'x'.repeat(11))).status).to.equal(413)
    const unknown = await create(editor, 10, metadata({ filename: 'a', folder: 'x'.repeat(24) }))
    expect(unknown.status).to.equal(400)
    expect(unknown.body.error.details.errors[0].path).to.deep.equal(['folder'])
    for (const fileInfo of ['{', '{"caption":1}', '{"private":"yes"}']) {
      expect((await create(editor, 10, metadata({ fileInfo }))).status, fileInfo).to.equal(400)
    }
    expect((await create(editor, 10, { 'Tus-Resumable': '0.2.2' })).status).to.equal(412)
    const options = await send(editor, 'OPTIONS', PATH)
    expect(options.headers).to.include({
      'tus-extension': 'creation,expiration,termination',
      'tus-max-size': String(MAX_BYTES),
    })
  })

  it('place the file at the root if its folder was deleted meanwhile', async () => {
    const folder = await makeFolder('Short')
    const path = await begin(editor, 5, metadata({ filename: 'late.txt', folder }))
    expect((await editor.send('DELETE', `/admin/folders/${folder}`)).status).to.equal(200)
    const last = await patch(editor, path, 0, 'hello')
    expect(last.status, last.text).to.equal(200)
    expect(last.body.data[0].folder).to.equal(null)
  })

  it('are resumed by their Idempotency-Key after their folder was deleted', async () => {
    const folder = await makeFolder('Brief')
    const headers = {
      ...metadata({ filename: 'resumed.txt', folder }),
      'Idempotency-Key': 'resumed',
    }
    const path = await begin(editor, 5, headers)
    await patch(editor, path, 0, 'he')
    expect((await editor.send('DELETE', `/admin/folders/${folder}`)).status).to.equal(200)
    const again = await create(editor, 5, headers)
    expect(again.status, again.text).to.equal(201)
    expect([again.headers.location, again.body.data.offset]).to.deep.equal([path, 2])
    const last = await patch(editor, path, 2, 'llo')
    expect(last.status, last.text).to.equal(200)
    expect(last.body.data[0].folder).to.equal(null)
    const another = await create(editor, 5, { ...headers, 'Idempotency-Key': 'another' })
    expect(another.status).to.equal(400)
  })

  it('are deleted with their bytes', async () => {
    const before = await server.storedFiles()
    const path = await begin(editor, 10)
    await patch(editor, path, 0, 'hello')
    expect(await server.storedFiles()).to.have.length(before.length + 1)
    expect((await send(editor, 'DELETE', path)).status).to.equal(204)
    expect(await server.storedFiles()).to.deep.equal(before)
    expect((await send(editor, 'HEAD', path)).status).to.equal(404)
  })

  it('have the documentId of their Idempotency-Key, and so have forms', async () => {
    const key = { 'Idempotency-Key': 'film' }
    const documentId = documentIdFrom('f', `file:administrator:${editorId}:film`)
    const path = await begin(editor, 5, key)
    expect(path).to.equal(`${PATH}/${documentId}`)
    await patch(editor, path, 0, 'he')
    const again = await create(editor, 5, key)
    expect(again.body.data).to.include({ id: documentId, offset: 2 })
    const form = (who: AdminClient, more: Headers): Promise<Answer> =>
      send(
        who,
        'POST',
        '/admin/files',
        { ...MULTIPART, ...more },
        multipart({ files: [{ name: 'a.txt', content: 'text', type: 'text/plain' }] }),
      )
    const count = await server.count('files')
    const first = await form(editor, { 'Idempotency-Key': 'form' })
    const second = await form(editor, { 'Idempotency-Key': 'form' })
    expect([first.status, second.status]).to.deep.equal([201, 201])
    expect(second.headers['idempotency-replayed']).to.equal('true')
    expect(second.body.data).to.deep.equal(first.body.data)
    await form(other, { 'Idempotency-Key': 'form' })
    expect(await server.count('files')).to.equal(count + 2)
  })

  it('leave a repeated form its file after the folder was deleted', async () => {
    const folder = await makeFolder('Fleeting')
    const form = (key: string): Promise<Answer> =>
      send(
        editor,
        'POST',
        '/admin/files',
        { ...MULTIPART, 'Idempotency-Key': key },
        multipart({
          fields: { folder },
          files: [{ name: 'b.txt', content: 'text', type: 'text/plain' }],
        }),
      )
    const first = await form('stored')
    expect(first.status, first.text).to.equal(201)
    const [{ documentId }] = first.body.data
    const toRoot = { ids: [documentId], folder: null }
    expect((await editor.send('POST', '/admin/files/move', toRoot)).status).to.equal(200)
    expect((await editor.send('DELETE', `/admin/folders/${folder}`)).status).to.equal(200)
    const again = await form('stored')
    expect(again.status, again.text).to.equal(201)
    expect(again.headers['idempotency-replayed']).to.equal('true')
    expect(again.body.data[0]).to.include({ documentId, folder: null })
    expect((await form('unknown')).status).to.equal(400)
  })
})
