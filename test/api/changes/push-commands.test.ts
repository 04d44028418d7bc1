import { expect } from 'chai'
import { Device, permitPushes, PUSHED_TYPES, setting } from '../../support/push-world.ts'
import { serve, type TestServer } from '../../support/server.ts'

/** The number of the client, the row of the log, and the commit. */
const SETTLED = ['update quire_clients', 'insert quire_commits', 'commitTransaction']

describe('database commands per push', () => {
  let server: TestServer
  let device: Device
  let commands: string[] = []

  before(async () => {
    server = await serve('push_commands', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    device = await Device.of(server, 'ada')
    server.onCommand(({ name, command }) => {
      if (command[name] === 'quire_stamps') return // refreshes caches, once per second
      const collection = name === 'commitTransaction' ? '' : ` ${String(command[name])}`
      commands.push(`${name}${collection}`)
    })
  })
  after(() => server.close())

  async function read(path: string): Promise<{ readonly revision: string }> {
    const { headers } = await server.get(path, { token: device.member.token })
    return { revision: headers.etag?.replaceAll('"', '') ?? '' }
  }

  it('reads the client and the entry once for an update', async () => {
    const documentId = await device.create('note', { title: 'a' })
    const { revision: base } = await read(`/api/notes/${documentId}`)
    const update = { op: 'update', type: 'note', documentId, base, seen: { title: 'a' } }
    commands = []
    const [updated] = await device.push({ ...update, patch: setting({ title: 'b' }) })
    expect(updated.outcome).to.equal('applied')
    expect(commands).to.deep.equal([
      'find up_users', // the caller
      'find quire_clients',
      'find note_versions',
      'findAndModify note_versions',
      ...SETTLED,
    ])
  })

  it('reads both versions with one command for an update that publishes', async () => {
    const documentId = await device.create('page', { title: 'a' })
    const { revision: base } = await read(`/api/pages/${documentId}`)
    const update = { op: 'update', type: 'page', documentId, base, seen: { title: 'a' } }
    commands = []
    const [updated] = await device.push({ ...update, patch: setting({ title: 'b' }) })
    expect(updated.outcome).to.equal('applied')
    expect(commands).to.deep.equal([
      'find up_users', // the caller
      'find quire_clients',
      'find page_versions',
      'findAndModify page_versions', // the draft
      'findAndModify page_versions', // the published version
      ...SETTLED,
    ])
  })
})
