import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ConfigError } from '../../../src/base/errors.ts'
import { openLocalStorage } from '../../../src/media/storage/local-storage.ts'
import { useTempFolder } from '../../media/temp-folder.ts'
import { type Answer, serve, type TestServer } from '../../support/server.ts'
import { MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'

describe('a damaged folder of uploads', () => {
  const folder = useTempFolder()
  let server: TestServer
  let uploads: string

  before(async () => {
    server = await serve('odd_uploads', {
      contentTypes: MEDIA_TYPES,
      environment: { QUIRE_DATA_DIR: folder() },
    })
    uploads = path.join(folder(), 'uploads')
  })

  after(() => server.close())

  const upload = (): Promise<Answer> => {
    const body = multipart({ files: [{ name: 'a.txt', content: 'a', type: 'text/plain' }] })
    return server.send('POST', '/api/upload', { headers: MULTIPART, body })
  }

  it('serves no symbolic link and no folder', async () => {
    const outside = path.join(folder(), 'secret.txt')
    writeFileSync(outside, 'a secret')
    symlinkSync(outside, path.join(uploads, 'link.txt'))
    symlinkSync('/etc', path.join(uploads, 'etc'))
    symlinkSync('loop.txt', path.join(uploads, 'loop.txt'))
    mkdirSync(path.join(uploads, 'folder.txt'))
    for (const name of [
      'link.txt',
      'etc',
      'etc/passwd',
      'loop.txt',
      'folder.txt',
      'link.txt?width=64',
    ]) {
      const { status, text } = await server.get(`/uploads/${name}`, { token: null })
      expect(status, `${name} ${text}`).to.be.oneOf([404, 400])
      expect(text).to.not.include('a secret')
    }
    expect(server.takeLog()).to.deep.equal([])
  })

  it('does not follow a link that replaces a file during a read', async () => {
    const storage = await openLocalStorage(uploads)
    const file = path.join(uploads, 'swapped.txt')
    writeFileSync(file, 'a file')
    const found = await storage.get('swapped.txt')
    rmSync(file)
    symlinkSync(path.join(folder(), 'secret.txt'), file)
    const read = async (): Promise<string> => {
      let text = ''
      for await (const chunk of found?.read() ?? []) text += String(chunk)
      return text
    }
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'ELOOP' })
    rmSync(file)
  })

  it('responds with 503 to uploads while it is missing or not a folder', async () => {
    const elsewhere = `${uploads}.elsewhere`
    renameSync(uploads, elsewhere)
    try {
      expect((await upload()).status).to.equal(503)
      writeFileSync(uploads, 'no folder')
      const { status, body } = await upload()
      expect([status, body.error.name]).to.deep.equal([503, 'ServiceUnavailableError'])
      expect((await server.get('/uploads/a.txt')).status).to.equal(404)
    } finally {
      rmSync(uploads, { recursive: true, force: true })
      renameSync(elsewhere, uploads)
    }
    expect((await upload()).status).to.equal(201)
    expect(server.takeLog().filter(({ level }) => level > 40)).to.deep.equal([])
  })

  it('stops a server from starting, with a clear error', async () => {
    const file = path.join(folder(), 'file')
    writeFileSync(file, '')
    for (const wrong of [file, path.join(file, 'below')]) {
      const error = await openLocalStorage(wrong).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ConfigError)
      expect(String(error)).to.include(wrong)
    }
  })
})
