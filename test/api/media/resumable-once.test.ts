import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { addMember, type Member, RULED_TYPES, setRules } from '../people/rules-world.ts'

const UPLOAD = 'plugin::upload.content-api.upload'
const PATH = '/api/upload/resumable'
const TUS = { 'Tus-Resumable': '1.0.0' }
const CONTENT = 'hello'
const LENGTH = CONTENT.length

describe('an upload in parts of a stored file', () => {
  let server: TestServer
  let anna: Member
  let editor: AdminClient

  before(async () => {
    server = await serve('resumable_once', {
      contentTypes: RULED_TYPES,
      permitted: ['plugin::users-permissions.auth.register', UPLOAD],
    })
    await setRules(server, 'authenticated', [], [UPLOAD])
    anna = await addMember(server, 'anna')
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
  })
  after(() => server.close())

  const begin = (key: string): Promise<Answer> =>
    server.send('POST', PATH, {
      headers: { ...TUS, 'Upload-Length': String(LENGTH), 'Idempotency-Key': key },
      token: anna.token,
    })
  const patch = (id: string, offset: number, body = ''): Promise<Answer> =>
    server.send('PATCH', `${PATH}/${id}`, {
      headers: {
        ...TUS,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(offset),
      },
      body,
      token: anna.token,
    })
  const find = (id: string): Promise<Answer> =>
    server.send('GET', `${PATH}/${id}`, { token: anna.token })
  const sendForm = (key: string): Promise<Answer> =>
    server.send('POST', '/api/upload', {
      headers: { ...MULTIPART, 'Idempotency-Key': key },
      body: multipart({ files: [{ name: 'a.txt', content: CONTENT }] }),
      token: anna.token,
    })
  const remove = ({ id }: Json): Promise<Answer> =>
    server.send('DELETE', `/api/upload/files/${id}`, { token: ROOT_TOKEN })
  /** Stores a file in one part. */
  const store = async (key: string): Promise<Json> => {
    const { body: begun } = await begin(key)
    const { status, text, body } = await patch(begun.id, 0, CONTENT)
    expect(status, text).to.equal(200)
    return body[0]
  }
  const codeOf = ({ status, headers }: Answer): unknown => [status, headers['error-code']]

  it('returns the file of a form with the same key, without its bytes', async () => {
    const [file] = (await sendForm('form-first')).body
    const begun = await begin('form-first')
    expect(begun.body).to.include({ id: file.documentId, offset: LENGTH, length: LENGTH })
    const { status, headers, body } = await patch(file.documentId, LENGTH)
    expect([status, headers['idempotency-replayed']]).to.deep.equal([200, 'true'])
    expect(body[0].id).to.equal(file.id)
  })

  it('returns the file also at the limit of incomplete uploads', async () => {
    const [file] = (await sendForm('at-the-limit')).body
    const incomplete: string[] = []
    for (let nth = 0; nth < 20; nth += 1) incomplete.push((await begin(`part-${nth}`)).body.id)
    expect((await begin('one-more')).status).to.equal(429)
    expect((await begin('at-the-limit')).body).to.include({ id: file.documentId, offset: LENGTH })
    for (const id of incomplete) {
      await server.send('DELETE', `${PATH}/${id}`, { headers: TUS, token: anna.token })
    }
  })

  it('is returned to a form with the same key', async () => {
    const file = await store('parts-first')
    const { headers, body } = await sendForm('parts-first')
    expect([headers['idempotency-replayed'], body[0].id]).to.deep.equal(['true', file.id])
  })

  it('is refused while the file is in the trash', async () => {
    const file = await store('in-the-trash')
    await remove(file)
    const answers = [
      await find(file.documentId),
      await patch(file.documentId, LENGTH),
      await begin('in-the-trash'),
    ]
    expect(answers.map(codeOf)).to.deep.equal(answers.map(() => [409, 'file_changed']))
    const path = `/admin/trash/plugin::upload.file/${file.documentId}/restore`
    expect((await editor.send('POST', path, { data: {} })).status).to.equal(200)
    expect((await find(file.documentId)).body).to.include({ offset: LENGTH })
    expect((await patch(file.documentId, LENGTH)).body[0].id).to.equal(file.id)
  })

  it('begins again after the file was deleted for good', async () => {
    const file = await store('gone')
    await remove(file)
    await editor.send('DELETE', `/admin/trash/plugin::upload.file/${file.documentId}`)
    expect((await find(file.documentId)).status).to.equal(404)
    expect((await patch(file.documentId, LENGTH)).status).to.equal(404)
    expect((await begin('gone')).body).to.include({ id: file.documentId, offset: 0 })
    const again = await store('gone')
    expect(again.documentId).to.equal(file.documentId)
    expect((await server.get(again.url)).text).to.equal(CONTENT)
  })
})
