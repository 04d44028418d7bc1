import { expect } from 'chai'
import { ConfigError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import type { S3Config } from '../../../src/base/config/sections.ts'
import { openS3Storage } from '../../../src/media/storage/s3-storage.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

describe('openS3Storage', () => {
  let server: S3Server

  before(async () => {
    server = await startS3Server()
  })
  after(() => server.close())

  const options = (changes: Partial<S3Config> = {}): S3Config => ({
    ...server.options,
    ...changes,
  })

  const refusal = async (changes: Partial<S3Config>): Promise<string> => {
    const error: unknown = await openS3Storage(options(changes)).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ConfigError)
    return String(error)
  }

  it('names a missing bucket', async () => {
    expect(await refusal({ bucket: 'nowhere' })).to.match(/S3_BUCKET: there is no bucket nowhere/)
  })

  it('reports refused credentials', async () => {
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'wrong' }
    const said = await refusal({ credentials })
    expect(said).to.match(/S3_ACCESS_KEY_ID: .* refuses these credentials/)
    expect(said).to.not.include('wrong')
  })

  it('reports an unreachable endpoint', async () => {
    const gone = await startS3Server()
    await gone.close()
    expect(await refusal({ endpoint: gone.endpoint })).to.match(/S3_ENDPOINT: .* cannot be reached/)
  })

  it('distinguishes an outage from a missing file', async () => {
    const other = await startS3Server()
    const storage = await openS3Storage(options({ endpoint: other.endpoint }))
    expect(await storage.get('nope.txt')).to.equal(null)
    await other.close()
    const error: unknown = await storage.get('nope.txt').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ServiceUnavailableError)
  })

  it('adds the key prefix and the public address to URLs', async () => {
    const publicUrl = 'https://cdn.example/media'
    const own = await openS3Storage(options({ keyPrefix: 'a/b/', publicUrl }))
    expect(own.urlOf('one.png')).to.equal('https://cdn.example/media/a/b/one.png')
    const streamed = await openS3Storage(options({ keyPrefix: 'a/b/' }))
    expect(streamed.urlOf('one.png')).to.equal('/uploads/one.png')
  })
})
