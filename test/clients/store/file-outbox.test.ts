import { memoryStorage, sqliteStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { Json, TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type FileDevice, MAX_BYTES, openFileDevice, serveFiles } from './file-world.ts'
import { openSqliteFile } from './sqlite-database.ts'

const TEXT = 'A page of a notebook: Ångström, 日本\n'
const WAIT_MS = 30_000

const file = (content = TEXT, name = 'page.txt', type = 'text/plain'): File =>
  new File([content], name, { type })

const isUpload = (input: Parameters<typeof fetch>[0]): boolean =>
  (input as string).endsWith('/upload')

const offline: typeof fetch = () => Promise.reject(new TypeError('fetch failed'))

describe('files that a store takes', () => {
  let server: TestServer
  let anna: Member

  before(async () => {
    server = await serveFiles('file_outbox')
    anna = await addMember(server, 'anna')
  })
  after(() => server.close())

  /** A device with the current content. */
  const open = async (options: Parameters<typeof openFileDevice>[2] = {}): Promise<FileDevice> => {
    const device = await openFileDevice(server, anna, options)
    await server.settled()
    await device.$sync()
    return device
  }
  const note = async (id: string): Promise<Json> =>
    (
      await server.get(
        `/api/notes/${id}?populate[cover]=true&populate[pages]=true&populate[parts][populate]=*`,
      )
    ).body.data
  const bytesOf = async (url: string): Promise<string> => (await server.get(url)).text
  const shownCover = (device: FileDevice, id: string): Json =>
    (device.notes.get(id, { populate: { cover: true } }) as Json)?.cover
  const fails = async (work: Promise<unknown>, text: RegExp): Promise<void> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(String(error)).to.match(text)
  }

  const storages: Readonly<Record<string, () => StoreStorage>> = {
    memory: memoryStorage,
    'SQLite, which holds text': () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'quire-files-'))
      const database = openSqliteFile(path.join(folder, 'store.db'))
      return sqliteStorage(database, () => {
        database.close()
        rmSync(folder, { recursive: true })
        return Promise.resolve()
      })
    },
  }

  for (const [storageName, openStorage] of Object.entries(storages)) {
    it(`are shown at once, survive a restart and are sent before their notes, from ${storageName}`, async () => {
      const storage = openStorage()
      const keeping: StoreStorage = { ...storage, close: () => Promise.resolve() }
      const device = await open({ storage: keeping })
      const added = await device.$files.add(file(), { alternativeText: 'a page' })
      const id = await device.notes.create({ title: 'with a page', cover: added, pages: [added] })
      const shows = async (store: FileDevice): Promise<void> => {
        expect(
          store.$files.pending.map((one) => [one.documentId, one.name, one.error]),
        ).to.deep.equal([[added, 'page.txt', null]])
        const cover = shownCover(store, id)
        expect(cover).to.include({
          name: 'page.txt',
          mime: 'text/plain',
          alternativeText: 'a page',
          width: null,
        })
        expect(cover.id).to.be.below(0)
        expect(await (await fetch(cover.url)).text()).to.equal(TEXT)
      }
      await shows(device)
      await device.$close()
      const again = await openFileDevice(server, anna, { storage: keeping })
      await shows(again)
      await again.$sync()
      expect(again.$files.pending).to.deep.equal([])
      expect(again.$conflicts).to.deep.equal([])
      const stored = await note(id)
      expect(stored.cover).to.include({ documentId: added, alternativeText: 'a page' })
      expect(stored.pages.map(({ documentId }: Json) => documentId)).to.deep.equal([added])
      expect(await bytesOf(stored.cover.url)).to.equal(TEXT)
      expect(shownCover(again, id).url).to.equal(stored.cover.url)
      await server.settled()
      await again.$sync()
      const { rows } = await storage.load()
      expect(rows.filter(({ type }) => type.startsWith('$uploads'))).to.deep.equal([])
      expect(shownCover(again, id)).to.include({ id: stored.cover.id, url: stored.cover.url })
      await again.$close()
      await storage.close()
    })
  }

  it('are stored once although a response was lost', async () => {
    let lost = 0
    const device = await open({
      fetch: async (...request) => {
        const response = await fetch(...request)
        if (!isUpload(request[0]) || lost > 0) return response
        lost += 1
        throw new TypeError('fetch failed')
      },
    })
    const count = await server.count('files')
    const added = await device.$files.add(file())
    const id = await device.notes.create({ title: 'lost', cover: added })
    await fails(device.$sync(), /fetch failed/)
    await device.$sync()
    expect(lost).to.equal(1)
    expect(await server.count('files')).to.equal(count + 1)
    expect((await note(id)).cover.documentId).to.equal(added)
  })

  it('hold back only the changes that follow one that names them', async () => {
    let isSlow = true
    const device = await open({
      fetch: (...request) =>
        isSlow && isUpload(request[0]) ? offline(...request) : fetch(...request),
    })
    const first = await device.notes.create({ title: 'before' })
    const added = await device.$files.add(file())
    const second = await device.notes.create({ title: 'text only' })
    const third = await device.notes.create({ title: 'in a part', parts: [{ scan: added }] })
    await fails(device.$sync(), /fetch failed/)
    expect((await note(first)).title).to.equal('before')
    expect((await note(second)).title).to.equal('text only')
    expect(await note(third)).to.equal(null)
    isSlow = false
    await device.$sync()
    expect((await note(third)).parts[0].scan.documentId).to.equal(added)
  })

  it('are reported if the server refuses them, and the change that names them is a conflict', async () => {
    const device = await open()
    const added = await device.$files.add(file('x'.repeat(MAX_BYTES + 1)))
    const id = await device.notes.create({ title: 'too large', cover: added })
    await device.$sync()
    const [refused] = device.$files.pending
    expect(refused?.error).to.include({ status: 413 })
    expect(device.$conflicts.map(({ outcome }) => outcome)).to.deep.equal(['refused'])
    expect(await note(id)).to.equal(null)
    await fails(device.$clear(), /not applied/)
    await device.$files.discard(added)
    expect(device.$files.pending).to.deep.equal([])
    const [conflict] = device.$conflicts
    const smaller = await device.$files.add(file())
    const retried = await device.$retry(conflict?.n ?? 0, { title: 'smaller', cover: smaller })
    await device.$sync()
    expect((await note(retried)).cover.documentId).to.equal(smaller)
  })

  it('are reported if an editor has deleted them before the lost response was repeated', async () => {
    let lost = 0
    const device = await open({
      fetch: async (...request) => {
        const response = await fetch(...request)
        if (!isUpload(request[0]) || lost > 0) return response
        lost += 1
        throw new TypeError('fetch failed')
      },
    })
    const added = await device.$files.add(file())
    await device.notes.create({ title: 'deleted', cover: added })
    const later = await device.notes.create({ title: 'later' })
    await fails(device.$sync(), /fetch failed/)
    await server.delete(`/api/upload/files/${added}`)
    await device.$sync()
    expect(device.$files.pending[0]?.error).to.include({ status: 409 })
    expect(device.$conflicts.map(({ outcome }) => outcome)).to.deep.equal(['refused'])
    expect((await note(later)).title).to.equal('later')
  })

  it('can be sent again after the permission was given back', async () => {
    const role = (await server.get('/admin/roles/authenticated')).body.data
    const without = role.permissions.filter((action: string) => !action.endsWith('.upload'))
    const berta = await addMember(server, 'berta')
    const device = await openFileDevice(server, berta)
    const added = await device.$files.add(file())
    await server.send('PUT', '/admin/roles/authenticated', { body: { permissions: without } })
    await until(async () => {
      await device.$files.retry(added)
      await device.$sync()
      return device.$files.pending[0]?.error?.status === 403
    }, WAIT_MS)
    await server.send('PUT', '/admin/roles/authenticated', {
      body: { permissions: role.permissions },
    })
    await until(async () => {
      await device.$files.retry(added)
      await device.$sync()
      return device.$files.pending.length === 0
    }, WAIT_MS)
    expect((await server.get(`/api/upload/files/${added}`)).body.documentId).to.equal(added)
  })

  it('are sent by a store that does not hold files, and are forgotten then', async () => {
    const storage = memoryStorage()
    const device = await open({ storage, showsFiles: false })
    const added = await device.$files.add(file())
    const id = await device.notes.create({ title: 'no files', cover: added })
    const stop = device.$follow()
    await until(() => device.$files.pending.length === 0 && device.$pending.length === 0, WAIT_MS)
    stop()
    expect((await note(id)).cover.documentId).to.equal(added)
    const { rows } = await storage.load()
    expect(rows.filter(({ type }) => type === '$uploads')).to.deep.equal([])
  })

  it('wake a store that follows, and are kept while it is offline', async () => {
    let isOffline = false
    const device = await open({
      fetch: (...request) => (isOffline ? offline(...request) : fetch(...request)),
    })
    const stop = device.$follow()
    await until(() => device.$status().phase === 'current', WAIT_MS)
    const added = await device.$files.add(file())
    await until(() => device.$files.pending.length === 0, WAIT_MS)
    isOffline = true
    const later = await device.$files.add(file('later'))
    await until(() => device.$status().phase === 'offline', WAIT_MS)
    expect(device.$files.pending.map(({ documentId }) => documentId)).to.deep.equal([later])
    isOffline = false
    await until(() => device.$files.pending.length === 0, WAIT_MS)
    stop()
    for (const documentId of [added, later]) {
      expect((await server.get(`/api/upload/files/${documentId}`)).status).to.equal(200)
    }
  })

  it('are refused in the storage of another user', async () => {
    const storage = memoryStorage()
    const device = await open({ storage })
    await device.$files.add(file())
    await device.$close()
    const carla = await addMember(server, 'carla')
    await fails(openFileDevice(server, carla, { storage }), /changes of another user/)
  })

  it('are refused by a storage of text above 20 MB', async () => {
    const device = await open({ storage: { ...memoryStorage(), keepsBlobs: false } })
    await fails(device.$files.add(new File([new Uint8Array(20_000_001)], 'large')), /20 MB/)
    expect(device.$files.pending).to.deep.equal([])
  })
})
