import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { TestServer } from '../../support/server.ts'
import { openDevice, type OutboxDevice, serveOutbox } from './outbox-world.ts'

describe('a store, after the server has lost an applied change', () => {
  let server: TestServer
  let anna: Member
  let mongo: MongoClient

  before(async () => {
    server = await serveOutbox('outbox_restored')
    anna = await addMember(server, 'anna')
    mongo = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await mongo.close()
    await server.close()
  })

  /** A device for which `_sync` fails while `isLost`. Its token is too old then. */
  async function openLossy(): Promise<{ readonly device: OutboxDevice; isLost: boolean }> {
    const lossy = { isLost: false }
    const device = await openDevice(server, anna, {
      fetch: (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input)
        if (!lossy.isLost || !url.pathname.endsWith('/_sync')) return fetch(input, init)
        if (!url.searchParams.has('token')) return Promise.reject(new TypeError('fetch failed'))
        const error = { status: 410, details: { reason: 'log' } }
        return Promise.resolve(Response.json({ data: null, error }, { status: 410 }))
      },
    })
    return Object.assign(lossy, { device })
  }

  async function loses(device: OutboxDevice): Promise<void> {
    const error = await device.$sync().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(TypeError)
  }

  /** As after the restore of a backup. */
  async function forget(documentId: string): Promise<void> {
    await server.settled()
    const db = mongo.db(server.database)
    const { deletedCount } = await db.collection('note_versions').deleteMany({ documentId })
    expect(deletedCount).to.equal(1)
    await db.collection('quire_clients').deleteMany({})
  }

  for (const [name, isSynced] of [
    ['before the first copy', false],
    ['before a new copy', true],
  ] as const) {
    it(`does not show the change any more, if it was pushed ${name}`, async () => {
      const lossy = await openLossy()
      const { device } = lossy
      if (isSynced) await device.$sync()
      lossy.isLost = true
      await loses(device)
      const id = await device.notes.create({ title: 'new' })
      await loses(device)
      expect(device.notes.get(id)?.title).to.equal('new')
      expect(device.$pending).to.deep.equal([])
      await forget(id)
      lossy.isLost = false
      await device.$sync()
      expect(device.notes.get(id)).to.equal(null)
      await device.$close()
    })
  }
})
