import { randomBytes } from 'node:crypto'
import { memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { TestServer } from '../../support/server.ts'
import { openFileDevice, serveFiles } from './file-world.ts'

const PART = 8_388_608

describe('large files that a store takes', () => {
  let server: TestServer
  let anna: Member

  before(async () => {
    server = await serveFiles('large_files', 3 * PART)
    anna = await addMember(server, 'anna')
  })
  after(() => server.close())

  it('are resumed after a restart of the app', async () => {
    const content = randomBytes(PART + 500_000)
    const sent: number[] = []
    const counting: typeof fetch = (input, init) => {
      if (init?.body instanceof Blob) sent.push(init.body.size)
      return fetch(input, init)
    }
    const failing: typeof fetch = (input, init) =>
      sent.length > 0 ? Promise.reject(new TypeError('fetch failed')) : counting(input, init)
    const storage = memoryStorage()
    const keeping: StoreStorage = { ...storage, close: () => Promise.resolve() }
    const first = await openFileDevice(server, anna, { storage: keeping, fetch: failing })
    const added = await first.$files.add(new File([new Uint8Array(content)], 'film.bin'))
    await first.$sync().catch(() => undefined)
    expect(first.$files.pending.map(({ documentId }) => documentId)).to.deep.equal([added])
    await first.$close()
    const second = await openFileDevice(server, anna, { storage: keeping, fetch: counting })
    await second.$sync()
    expect(second.$files.pending).to.deep.equal([])
    expect(sent).to.deep.equal([PART, 500_000])
    const { body } = await server.get(`/api/upload/files/${added}`)
    expect(body).to.include({ documentId: added, name: 'film.bin' })
    const served = await fetch(`http://127.0.0.1:${server.port}${body.url}`)
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).to.equal(true)
    await second.$close()
  })
})
