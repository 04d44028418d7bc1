import { expect } from 'chai'
import {
  Device,
  permitPushes,
  PUSHED_TYPES,
  readPushed,
  setting,
} from '../../support/push-world.ts'
import { serve, type TestServer } from '../../support/server.ts'

describe('pushes to two servers on one database', () => {
  let here: TestServer
  let there: TestServer

  before(async () => {
    here = await serve('pushes_a', { contentTypes: PUSHED_TYPES })
    const environment = { MONGODB_DATABASE: here.database }
    there = await serve('pushes_b', { contentTypes: PUSHED_TYPES, environment })
    await permitPushes(here)
  })
  after(async () => {
    await there.close()
    await here.close()
  })

  it('return a time that is not before the write of the other server', async function () {
    const device = await Device.of(here, 'anna')
    const patch = setting({ title: 'a' })
    const create = { n: 1, op: 'create', type: 'note', documentId: device.newId(), patch }
    const request = [device.head(), create]
    const stored = (await device.send(request)).headers['quire-after']
    if (stored === undefined) this.skip() // DocumentDB has no cluster time
    const repeated = await new Device(there, device.member, device.client).send(request)
    expect(readPushed(repeated).lines[0]).to.include({ outcome: 'applied', replayed: true })
    expect(String(repeated.headers['quire-after']) >= String(stored)).to.equal(true)
  })
})
