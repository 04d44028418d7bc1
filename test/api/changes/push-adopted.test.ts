import { expect } from 'chai'
import { MongoClient, ObjectId } from 'mongodb'
import { Device, permitPushes, pushed, setting } from '../../support/push-world.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const TYPES = {
  note: pushed(declare('note', { title: { type: 'string' } })),
  order: {
    info: { singularName: 'order' },
    adopt: { collection: 'shop_orders' },
    attributes: { number: { type: 'string' } },
  },
  ticket: {
    info: { singularName: 'ticket' },
    adopt: { collection: 'shop_tickets', write: true },
    attributes: { number: { type: 'string' } },
  },
}

describe('POST /api/_push of adopted types', () => {
  let server: TestServer
  let client: MongoClient
  let device: Device

  before(async () => {
    server = await serve('push_adopted', { contentTypes: TYPES })
    const actions = (await server.get('/admin/actions')).body.data as readonly { name: string }[]
    await permitPushes(
      server,
      actions.map(({ name }) => name).filter((name) => name.startsWith('api::')),
    )
    client = await MongoClient.connect(server.uri)
    device = await Device.of(server, 'anna')
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  for (const type of ['order', 'ticket']) {
    it(`refuses or keeps mutations of ${type}, and writes nothing`, async () => {
      const rows = client.db(server.database).collection(`shop_${type}s`)
      const _id = new ObjectId('65b000000000000000000001')
      await rows.insertOne({ _id, number: 'A-1' })
      const note = {
        op: 'create',
        type: 'note',
        documentId: device.newId(device.last + 2),
        patch: setting({ title: 'a' }),
      }
      const patch = setting({ number: 'A-2' })
      const lines = await device.push(
        { op: 'create', type, documentId: device.newId(), patch },
        note,
      )
      expect(lines[0]).to.include({ outcome: 'conflict', code: 'unknown_type' })
      expect(lines[1]).to.include({ outcome: 'applied' })
      const removal = { n: device.last + 1, op: 'delete', type, base: 'x' }
      const refused = await device.send([
        device.head(),
        { ...removal, documentId: _id.toHexString() },
      ])
      expect(refused.status, refused.text).to.equal(400)
      expect(await rows.find({}).toArray()).to.deep.equal([{ _id, number: 'A-1' }])
    })
  }
})
