import { expect } from 'chai'
import { noisyPng } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import { addAdministrator, addRole, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const TYPES = {
  note: declare('note', {
    title: { type: 'string' },
    cover: { type: 'media' },
    pictures: { type: 'media', multiple: true },
    scan: { type: 'media', privateFiles: true },
  }),
}
const FILE = 'plugin::upload.file'
const FILES = 'plugin::upload.content-api'
const RIGHTS = ['api::note.note.find', 'api::note.note.findOne']

for (const storage of ['local', 'gridfs', 's3']) {
  describe(`deleted files on ${storage}`, () => {
    let server: TestServer
    let editor: AdminClient
    let s3: S3Server | null = null

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      server = await serve(`deleted_files_${storage}`, {
        contentTypes: TYPES,
        environment: { RATE_LIMIT: 'off', ...(s3?.environment ?? { UPLOAD_STORAGE: storage }) },
        permitted: RIGHTS,
      })
      await addAdministrator(server, 'Editor', ['editor'])
      editor = await signIn(server, 'editor@example.org')
    })
    after(async () => {
      await server.close()
      await s3?.close()
    })

    const upload = async (fileInfo: object = {}): Promise<Json> => {
      const files = [{ name: 'map.png', content: await noisyPng(600, 400), type: 'image/png' }]
      const body = multipart({ files, fields: { fileInfo } })
      const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
      expect(answer.status, answer.text).to.equal(201)
      return answer.body[0]
    }
    const remove = async (file: Json): Promise<void> => {
      const answer = await server.delete(`/api/upload/files/${file.id}`)
      expect(answer.status, answer.text).to.equal(200)
    }
    const trashed = async (documentId: string): Promise<Json[]> => {
      const { body } = await editor.send('GET', `/admin/trash?uid=${FILE}&pagination[pageSize]=100`)
      return body.data.filter((row: Json) => row.documentId === documentId)
    }
    const restore = (file: Json, data: object = {}): Promise<Answer> =>
      editor.send('POST', `/admin/trash/${FILE}/${file.documentId}/restore`, { data })
    const end = (file: Json): Promise<Answer> =>
      editor.send('DELETE', `/admin/trash/${FILE}/${file.documentId}`)
    const get = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
      server.get(url, { token: null, headers })
    const statusesOf = async (urls: readonly string[]): Promise<readonly number[]> =>
      Promise.all(urls.map(async (url) => (await get(url)).status))

    it('are not served, and are served again with their ids after a restore', async () => {
      const file = await upload({ alternativeText: 'A map' })
      const variant = `${file.url}?width=256&format=webp`
      const { body: note } = await server.post('/api/notes', {
        cover: file.id,
        pictures: [file.id],
      })
      const urls = [file.url, variant, file.formats.small.url, file.formats.thumbnail.url]
      expect(await statusesOf(urls)).to.deep.equal([200, 200, 200, 200])
      const bytes = (await get(file.url)).text
      await remove(file)

      expect(await statusesOf(urls)).to.deep.equal([404, 404, 404, 404])
      expect((await get(file.url, { range: 'bytes=0-3' })).status).to.equal(404)
      expect((await server.send('HEAD', file.url)).status).to.equal(404)
      expect((await get(`${file.url}?v=1`)).status).to.equal(404)
      expect((await server.get(`/api/upload/files/${file.id}`)).status).to.equal(404)
      expect((await editor.send('GET', '/admin/files')).body.data).to.deep.equal([])
      const entry = `/api/notes/${note.data.documentId}?populate=*`
      const without = (await server.get(entry)).body.data
      expect([without.cover, without.pictures ?? []]).to.deep.equal([null, []])
      const [row, ...others] = await trashed(file.documentId)
      expect(others).to.deep.equal([])
      expect(row).to.deep.include({ uid: FILE, title: 'map.png' })
      expect(row.file).to.deep.equal({
        mime: 'image/png',
        ext: '.png',
        size: file.size,
        width: 600,
        height: 400,
        private: false,
      })

      const answer = await restore(file, { deletion: row.id })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.data[0].documentId).to.equal(file.documentId)
      expect(await trashed(file.documentId)).to.deep.equal([])
      const { updatedAt: _, ...again } = (await server.get(`/api/upload/files/${file.id}`)).body
      const { updatedAt: _then, ...before } = file
      expect(again).to.deep.equal(before)
      expect(await statusesOf(urls)).to.deep.equal([200, 200, 200, 200])
      expect((await get(file.url)).text).to.equal(bytes)
      const shown = (await server.get(entry)).body.data
      expect(shown.cover.documentId).to.equal(file.documentId)
      expect(shown.pictures.map((one: Json) => one.documentId)).to.deep.equal([file.documentId])
      await remove(file)
      await end(file)
    })

    it('keep bytes that were replaced before', async () => {
      const file = await upload()
      const files = [{ name: 'new.png', content: await noisyPng(500, 300), type: 'image/png' }]
      const replaced = await server.send('POST', `/api/upload?id=${file.id}`, {
        headers: MULTIPART,
        body: multipart({ files }),
      })
      expect(replaced.status, replaced.text).to.equal(200)
      const bytes = (await get(file.url)).text
      await remove(file)
      expect((await get(file.url)).status).to.equal(404)
      expect((await restore(file)).status).to.equal(200)
      expect((await get(file.url)).text).to.equal(bytes)
      await remove(file)
      await end(file)
    })

    it('leave no bytes after a permanent deletion', async () => {
      const before = await server.storedFiles()
      const file = await upload()
      await get(`${file.url}?width=256&format=webp`)
      await remove(file)
      const kept = (await server.storedFiles()).filter((name) => !before.includes(name))
      expect(kept).to.have.length(1 + Object.keys(file.formats).length)
      for (const name of kept) expect((await get(`/uploads/${name}`)).status, name).to.equal(404)
      expect((await end(file)).status).to.equal(204)
      expect(await server.storedFiles()).to.deep.equal(before)
      expect((await restore(file)).status).to.equal(404)
      expect((await end(file)).status).to.equal(404)
      await server.settled()
      const audit = `/admin/audit?type=admin::trash&documentId=${file.documentId}`
      const rows = (await server.get(audit)).body.data
      expect(rows.map((row: Json) => row.items.map(({ op }: Json) => op))).to.deep.equal([
        ['delete'],
      ])
    })

    it('do not answer to the signed address of a private file', async () => {
      const { documentId } = await upload({ private: true })
      const { body: note } = await server.post('/api/notes', { scan: documentId })
      const entry = `/api/notes/${note.data.documentId}?populate=*`
      const { scan } = (await get(entry)).body.data
      const urls = [scan.url, `${scan.url}&width=256`, scan.formats.small.url]
      expect(await statusesOf(urls)).to.deep.equal([200, 200, 200])
      const before = await server.storedFiles()
      await remove(scan)
      expect(await statusesOf(urls)).to.deep.equal([404, 404, 404])
      expect((await get(scan.url, { range: 'bytes=0-3' })).status).to.equal(404)
      const [, query = ''] = scan.url.split('?')
      const kept = (await server.storedFiles()).filter((name) => !before.includes(name))
      expect(kept).to.not.deep.equal([])
      for (const name of kept) {
        expect((await get(`/uploads/${name}?${query}`)).status, name).to.equal(404)
      }
      expect((await get(entry)).body.data.scan).to.equal(null)
      expect((await trashed(documentId))[0].file.private).to.equal(true)
      expect((await restore({ documentId })).status).to.equal(200)
      expect(await statusesOf(urls)).to.deep.equal([200, 200, 200])
    })

    it('are deleted once by two requests at the same time', async () => {
      const file = await upload()
      const url = `/api/upload/files/${file.id}`
      const answers = await Promise.all([server.delete(url), server.delete(url)])
      expect(answers.map(({ status }) => status)).to.have.members([200, 404])
      expect(await trashed(file.documentId)).to.have.length(1)
      const restored = await Promise.all([restore(file), restore(file)])
      expect(restored.map(({ status }) => status)).to.have.members([200, 404])
      expect((await get(file.url)).status).to.equal(200)
    })

    it('are in the trash for callers with the permissions for files only', async () => {
      await addRole(server, `reader_${storage}`, ['api::note.note.find'])
      await addRole(server, `finder_${storage}`, [`${FILES}.find`])
      await addAdministrator(server, 'Reader', [`reader_${storage}`])
      await addAdministrator(server, 'Finder', [`finder_${storage}`])
      const reader = await signIn(server, 'reader@example.org')
      const finder = await signIn(server, 'finder@example.org')
      const file = await upload()
      await remove(file)
      const idsOf = async (client: AdminClient): Promise<readonly string[]> =>
        (await client.send('GET', '/admin/trash')).body.data.map((one: Json) => one.documentId)
      const path = `/admin/trash/${FILE}/${file.documentId}`
      expect(await idsOf(reader)).to.deep.equal([])
      expect(await idsOf(finder)).to.include(file.documentId)
      for (const client of [reader, finder]) {
        expect((await client.send('POST', `${path}/restore`)).status).to.equal(403)
        expect((await client.send('DELETE', path)).status).to.equal(403)
      }
      expect((await server.send('POST', `${path}/restore`, { token: null })).status).to.equal(401)
      expect((await server.send('DELETE', path, { token: null })).status).to.equal(401)
      const refused = await restore(file, { locales: ['en'] })
      expect([refused.status, refused.body.error.details.errors[0].path]).to.deep.equal([
        400,
        ['data', 'locales'],
      ])
      expect((await restore(file)).status).to.equal(200)
    })
  })
}

describe('deleted files with TRASH_DAYS=0', () => {
  let server: TestServer
  before(async () => {
    const environment = { TRASH_DAYS: '0', UPLOAD_STORAGE: 'local' }
    server = await serve('deleted_files_off', { contentTypes: TYPES, environment })
  })
  after(() => server.close())

  it('leave no bytes', async () => {
    const body = multipart({ files: [{ name: 'a.txt', content: 'a' }] })
    const answer = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    const [file] = answer.body
    expect((await server.delete(`/api/upload/files/${file.id}`)).status).to.equal(200)
    expect(await server.storedFiles()).to.deep.equal([])
    expect((await server.get(file.url)).status).to.equal(404)
    expect((await server.get('/admin/trash')).body.data).to.deep.equal([])
  })
})
