import { expect } from 'chai'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { type Answer, declare, serve, type TestServer } from '../support/server.ts'
import { MULTIPART, multipart } from '../support/uploads.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'

describe('a database that is lost after a file was stored', function () {
  this.slow(10_000)
  let proxy: DatabaseProxy
  let server: TestServer

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
    server = await serve('lost_reply', {
      uri: proxy.uri,
      contentTypes: { note: declare('note', { picture: { type: 'media' } }) },
    })
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  const upload = (fields: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    server.send('POST', '/api/upload', {
      headers: MULTIPART,
      body: multipart({ files: [{ name: 'a.txt', content: 'kept' }], fields }),
    })

  const isServed = async (): Promise<boolean> =>
    (await server.get('/api/upload/files')).status === 200

  async function expectFiles(count: number): Promise<void> {
    proxy.open()
    await until(isServed, 20_000)
    const { body } = await server.get('/api/upload/files')
    expect(body).to.have.length(count)
    for (const { url } of body) expect((await server.get(url)).text, url).to.equal('kept')
  }

  it('keeps no record without its file if the commit is unconfirmed', async () => {
    await upload() // reserves ids
    proxy.shutAtReplyTo('commitTransaction')
    expect((await upload()).status).to.equal(503)
    await expectFiles(2)
  })

  it('keeps no record without its file if the change of the entry is unconfirmed', async () => {
    const note = await server.post('/api/notes', {})
    const { documentId } = note.body.data
    proxy.shutAtReplyTo('findAndModify')
    const fields = { ref: 'api::note.note', refId: documentId, field: 'picture' }
    expect((await upload(fields)).status).to.equal(503)
    await expectFiles(3)
  })
})

describe('a lost database that also holds the files', function () {
  this.slow(10_000)

  it('causes a 503 for uploads and downloads', async () => {
    const proxy = await openDatabaseProxy(await testUri())
    const server = await serve('lost_files', {
      uri: proxy.uri,
      contentTypes: { note: declare('note', { picture: { type: 'media' } }) },
      environment: { UPLOAD_STORAGE: 'gridfs' },
    })
    try {
      const body = multipart({ files: [{ name: 'a.txt', content: 'kept' }] })
      const store = (): Promise<Answer> =>
        server.send('POST', '/api/upload', { headers: MULTIPART, body })
      const stored = await store()
      expect(stored.status).to.equal(201)
      proxy.shut()
      const answers = await Promise.all([store(), server.get(stored.body[0].url)])
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503])
    } finally {
      await server.close()
      await proxy.close()
    }
  })
})
