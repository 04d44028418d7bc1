import { expect } from 'chai'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { addAdministrator, signIn } from '../../support/admin-client.ts'
import { serve, type TestServer } from '../../support/server.ts'

describe('the origins of files', () => {
  let s3: S3Server
  let server: TestServer

  before(async () => {
    s3 = await startS3Server()
    server = await serve('file_origins', {
      contentTypes: {},
      environment: {
        ...s3.environment,
        PUBLIC_URL: 'https://cms.example.org',
        S3_PUBLIC_URL: 'https://files.example.org/media',
      },
    })
  })
  after(async () => {
    await server.close()
    await s3.close()
  })

  it('are those of the public addresses of the server and of its bucket', async () => {
    await addAdministrator(server, 'Ada', ['editor'])
    const ada = await signIn(server, 'ada@example.org')
    const { body } = await ada.send('GET', '/admin/session')
    expect(body.data.fileOrigins).to.deep.equal([
      'https://cms.example.org',
      'https://files.example.org',
    ])
  })
})
