import { expect } from 'chai'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const UPLOAD = 'plugin::upload.content-api.upload'
const REGISTER = 'plugin::users-permissions.auth.register'

describe('replacing an upload', () => {
  let server: TestServer
  let owner: string
  let stranger: string
  before(async () => {
    server = await serve('replaced_uploads', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      permitted: [UPLOAD, REGISTER],
    })
    owner = await register('owner')
    stranger = await register('stranger')
    const granted = await server.send('PUT', '/admin/roles/authenticated', {
      body: { permissions: [UPLOAD] },
    })
    expect(granted.status, granted.text).to.equal(200)
  })
  after(() => server.close())

  const register = async (username: string): Promise<string> => {
    const body = { username, email: `${username}@example.org`, password: 'a long password' }
    const answer = await server.send('POST', '/api/auth/local/register', { body, token: null })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.jwt
  }
  const send = (token: string | null, content: string, target = '/api/upload'): Promise<Answer> =>
    server.send('POST', target, {
      headers: MULTIPART,
      body: multipart({ files: [{ name: 'a.txt', content }] }),
      token,
    })

  it('is allowed to the user who uploaded the file, and to API tokens', async () => {
    const [file] = (await send(owner, 'first')).body
    const target = `/api/upload?id=${file.id}`
    expect((await send(owner, 'second', target)).status).to.equal(200)
    const token = { name: 'editor', type: 'custom', permissions: [UPLOAD] }
    const { body } = await server.send('POST', '/admin/api-tokens', { body: token })
    expect((await send(body.data.accessKey, 'third', target)).status).to.equal(200)
    expect((await server.get(file.url, { token: null })).text).to.equal('third')
  })

  it('is forbidden to other users and without a credential', async () => {
    const [file] = (await send(owner, 'first')).body
    const [open] = (await send(null, 'open')).body
    const [managed] = (await send(await managedToken(), 'managed')).body
    for (const { id } of [file, open, managed]) {
      for (const token of [stranger, null]) {
        const target = `/api/upload?id=${id}`
        expect((await send(token, 'changed', target)).status).to.equal(403)
        const body = { fileInfo: { name: 'changed' } }
        expect((await server.send('POST', target, { body, token })).status).to.equal(403)
      }
    }
    const read = async ({ url }: { readonly url: string }): Promise<string> =>
      (await server.get(url, { token: null })).text
    expect(await read(file)).to.equal('first')
    expect(await read(open)).to.equal('open')
    expect(await read(managed)).to.equal('managed')
  })

  const managedToken = async (): Promise<string> => {
    const body = { name: 'manager', type: 'custom', permissions: [UPLOAD] }
    return (await server.send('POST', '/admin/api-tokens', { body })).body.data.accessKey
  }
})
