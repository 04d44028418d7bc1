import { expect } from 'chai'
import {
  Device,
  permitPushes,
  PUSHED_TYPES,
  readPushed,
  setting,
} from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

/** A device that was restored from a backup makes other changes under numbers that it has sent before. */
describe('POST /api/_push from a storage that is older than the client', () => {
  let server: TestServer
  let ada: Device
  let made = 0

  before(async () => {
    server = await serve('push_older', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    ada = await Device.of(server, 'ada')
  })
  after(() => server.close())

  const open = (client = `client-${(made += 1)}`): Device => new Device(server, ada.member, client)
  const stored = async (id: string): Promise<Json> =>
    (await server.get(`/api/notes/${id}`)).body.data
  const update = (
    documentId: string,
    values: Readonly<Record<string, unknown>>,
    base: unknown,
  ) => ({
    op: 'update',
    type: 'note',
    documentId,
    base,
    patch: setting(values),
    seen: Object.fromEntries(Object.keys(values).map((name) => [name, null])),
  })

  /** A client whose second mutation is applied, and whose outcome is not acknowledged. */
  async function openSent() {
    const device = open()
    const [id, other] = [
      await ada.create('note', { title: 'a' }),
      await ada.create('note', { title: 'b' }),
    ]
    await device.push({ op: 'skip' })
    const sent = { n: 2, ...update(id, { mood: 'sent' }, 'unknown') }
    const { head, lines } = readPushed(await device.send([device.head(), sent]))
    expect(lines[0].outcome).to.equal('applied')
    device.log = head.log
    return { device, id, other, sent }
  }

  const CASES: Readonly<Record<string, (id: string, other: string, device: Device) => object>> = {
    'another value': (id) => update(id, { mood: 'other' }, 'unknown'),
    'another attribute': (id) => update(id, { color: 'sent' }, 'unknown'),
    'another operation': (id) => ({
      ...update(id, { stock: 1 }, 'unknown'),
      patch: { stock: { inc: 1 } },
    }),
    'another entry': (_id, other) => update(other, { mood: 'sent' }, 'unknown'),
    'a deletion': (id) => ({ op: 'delete', type: 'note', documentId: id, base: 'unknown' }),
    'a creation': (_id, _other, device) => ({
      op: 'create',
      type: 'note',
      documentId: device.newId(2),
      patch: setting({ title: 'new' }),
    }),
  }
  for (const [label, change] of Object.entries(CASES)) {
    it(`never takes ${label} for the mutation that has the number`, async () => {
      const { device, id, other } = await openSent()
      const answer = await device.send([device.head(), { n: 2, ...change(id, other, device) }])
      expect(answer.status, answer.text).to.equal(409)
      expect(answer.headers['error-code']).to.equal('push_gap')
      expect(answer.body.error.details).to.deep.equal({ last: 2 })
      expect(await stored(id)).to.include({ mood: 'sent' })
    })
  }

  it('ends the earlier mutations of a request, and leaves the rest for the next request', async () => {
    const { device, id, sent } = await openSent()
    const third = { n: 3, ...update(id, { color: 'third' }, 'unknown') }
    readPushed(await device.send([device.head(), sent, third]))
    const another = { n: 3, ...update(id, { color: 'another' }, 'unknown') }
    const { head, lines } = readPushed(await device.send([device.head(), sent, another]))
    expect(head.last).to.equal(3)
    expect(lines[0]).to.include({ n: 2, outcome: 'applied', replayed: true })
    expect(lines[1]).to.deep.equal({ n: 3, outcome: 'retry' })
    const next = await device.send([device.head({ ack: 2 }), another])
    expect([next.status, next.headers['error-code']]).to.deep.equal([409, 'push_gap'])
  })

  it('repeats the outcome of the same mutation with another base, or given up', async () => {
    const { device, sent } = await openSent()
    const { seen: _seen, ...others } = sent
    for (const again of [
      sent,
      { ...others, base: 'other', seen: { mood: 'x' } },
      { n: 2, op: 'skip' },
    ]) {
      const { lines } = readPushed(await device.send([device.head(), again]))
      expect(lines[0]).to.include({ n: 2, outcome: 'applied', replayed: true })
    }
  })
})
