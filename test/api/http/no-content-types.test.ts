import { expect } from 'chai'
import { serve, type TestServer } from '../../support/server.ts'
import { multipart, MULTIPART } from '../../support/uploads.ts'

describe('a server without content-types', () => {
  let server: TestServer

  before(async () => {
    server = await serve('no_content_types', {
      contentTypes: {},
      permitted: ['plugin::users-permissions.auth.register'],
    })
  })
  after(() => server.close())

  it('logs at the start that it serves users and files only', () => {
    const messages = server.takeLog().map(({ msg }) => String(msg))
    expect(messages.join()).to.match(/no content-type is declared here.*only users and files/)
  })

  it('serves users', async () => {
    const body = { username: 'ada', email: 'ada@quire.test', password: 'a long password' }
    const answer = await server.send('POST', '/api/auth/local/register', { body })
    expect(answer.status, answer.text).to.equal(200)
    const users = await server.get('/api/users')
    expect(users.body).to.have.lengthOf(1)
  })

  it('serves files', async () => {
    const files = [{ name: 'a.txt', type: 'text/plain', content: 'text' }]
    const body = multipart({ files })
    const answer = await server.send('POST', '/api/upload', { body, headers: MULTIPART })
    expect(answer.status, answer.text).to.equal(201)
    const list = await server.get('/api/upload/files')
    expect(list.body).to.have.lengthOf(1)
    const file = await server.get(list.body[0].url)
    expect([file.status, file.text]).to.deep.equal([200, 'text'])
  })

  it('has no content', async () => {
    expect((await server.get('/api/articles')).status).to.equal(404)
    expect((await server.get('/_health')).status).to.equal(204)
  })
})
