import { expect } from 'chai'
import { Device, permitPushes, PUSHED_TYPES, setting } from '../../support/push-world.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

describe('GET /api/_sync with Quire-Client', () => {
  let server: TestServer
  let device: Device

  before(async () => {
    server = await serve('pushed_rows', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    device = await Device.of(server, 'anna')
  })
  after(() => server.close())

  const sync = (query: string, client = device.client): Promise<Answer> =>
    server.send('GET', `/api/_sync?${query}`, {
      token: device.member.token,
      headers: { 'quire-client': client },
    })
  const noteWith = (title: string): object => ({
    op: 'create',
    type: 'note',
    documentId: device.newId(),
    patch: setting({ title }),
  })

  it('says which mutations the rows of a page and the copy contain', async () => {
    const first = await sync('types=note')
    expect(first.body).to.deep.include({ more: false, pushed: { rows: 0, copy: 0 } })
    expect(first.headers).to.not.have.property('etag')
    await device.push(noteWith('a'))
    let page: Json = { items: [], next: first.body.next }
    await until(async () => {
      page = (await sync(`token=${page.next}&wait=5`)).body
      return page.items.length > 0
    }, 20_000)
    expect(page.items.map(({ data }: Json) => data.title)).to.deep.equal(['a'])
    expect(page.pushed.rows).to.equal(1)
    await until(async () => (await sync(`token=${page.next}`)).body.pushed.copy === 1, 20_000)
  })

  it('counts mutations without a commit as contained', async () => {
    const { next } = (await sync('types=note')).body
    await device.push({ op: 'skip' })
    await until(async () => {
      const { pushed } = (await sync(`token=${next}`)).body
      expect(pushed.rows).to.equal(device.last)
      return pushed.copy === device.last
    }, 20_000)
  })

  it('names the mutations that were not applied, until the device acknowledges them', async () => {
    const { next } = (await sync('types=note')).body
    const failed = device.last + 1
    await device.push({ ...noteWith('refused'), patch: {} })
    const pushedNow = async (): Promise<Json> => (await sync(`token=${next}`)).body.pushed
    expect(await pushedNow()).to.deep.include({ rows: failed, failed: [failed] })
    await device.push(noteWith('later'))
    expect(await pushedNow()).to.not.have.property('failed')
  })

  it('never says that a copy contains a mutation whose row it lacks', async () => {
    let token: string = (await sync('types=note')).body.next
    const held = new Set<string>()
    for (let count = 0; count < 15; count += 1) {
      const id = device.newId()
      await device.push(noteWith(`note ${count}`))
      const { body } = await sync(`token=${token}`)
      token = body.next
      for (const { documentId } of body.items) held.add(documentId)
      if (body.pushed.copy === device.last) expect(held).to.include(id)
    }
  })

  it('tells nothing about clients of others', async () => {
    const other = await Device.of(server, 'bert')
    const answer = await server.send('GET', '/api/_sync?types=note', {
      token: other.member.token,
      headers: { 'quire-client': device.client },
    })
    expect(answer.body.pushed.rows).to.equal(0)
    const anonymous = await server.get('/api/_sync?types=note', {
      headers: { 'quire-client': device.client },
    })
    expect(anonymous.body).to.not.have.property('pushed')
    expect((await sync('types=note', 'x')).status).to.equal(400)
  })
})
