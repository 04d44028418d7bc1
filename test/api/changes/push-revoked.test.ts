import { expect } from 'chai'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import {
  Device,
  permitPushes,
  PUSH_ACTIONS,
  PUSHED_TYPES,
  readPushed,
  setting,
} from '../../support/push-world.ts'
import { serve, type TestServer } from '../../support/server.ts'

const NOTE = 'api::note.note'

describe('a push that loses its permissions', () => {
  let server: TestServer
  /** Runs during the write of the first mutation. */
  let revoke: () => Promise<void>

  before(async () => {
    const beforeWrite = async ({ data }: BeforeWriteEvent): Promise<undefined> => {
      if (data['title'] === 'first') await revoke()
    }
    const extension = defineExtension({
      name: 'revoking',
      contentTypes: { [NOTE]: { beforeWrite } },
    })
    server = await serve('push_revoked', {
      contentTypes: PUSHED_TYPES,
      extensions: [extension],
      environment: { RATE_LIMIT: 'off' },
    })
  })
  beforeEach(() => permitPushes(server))
  after(() => server.close())

  const put = async (path: string, body: object): Promise<void> => {
    const { status, text } = await server.send('PUT', path, { body })
    expect(status, text).to.equal(200)
  }
  const withoutPushes = PUSH_ACTIONS.filter((action) => !action.endsWith('.push'))
  const role = '/admin/roles/authenticated'
  const idOf = async ({ member }: Device): Promise<number> =>
    (await server.get(`/api/users?filters[documentId]=${member.documentId}`)).body[0].id

  const endings: Readonly<
    Record<string, readonly [status: number, end: (device: Device) => Promise<void>]>
  > = {
    'a blocked user': [
      401,
      async (device) => put(`/api/users/${await idOf(device)}`, { blocked: true }),
    ],
    'a deleted user': [
      401,
      async (device) =>
        void expect((await server.delete(`/api/users/${await idOf(device)}`)).status).to.equal(200),
    ],
    'a role that may no longer push': [403, () => put(role, { permissions: withoutPushes })],
  }
  for (const [index, [title, [status, end]]] of Object.entries(endings).entries()) {
    it(`stops before the next mutation: ${title}`, async () => {
      const device = await Device.of(server, `device-${index}`)
      revoke = () => end(device)
      const creations = ['first', 'second', 'third'].map((one, at) => ({
        n: at + 1,
        op: 'create',
        type: 'note',
        documentId: device.newId(at + 1),
        patch: setting({ title: one }),
      }))
      const { head, lines } = readPushed(await device.send([device.head(), ...creations]))
      expect(lines.slice(1)).to.deep.equal([
        { n: 2, outcome: 'retry' },
        { n: 3, outcome: 'retry' },
      ])
      expect(head.last).to.be.at.most(1)
      const again = await device.send([device.head({ log: head.log }), ...creations])
      expect(again.status, again.text).to.equal(status)
      for (const { documentId } of creations.slice(1)) {
        expect((await server.get(`/api/notes/${documentId}`)).status).to.equal(404)
      }
    })
  }

  it('carries out later mutations under the rules of that moment', async () => {
    const device = await Device.of(server, 'ruled')
    const others = PUSH_ACTIONS.filter((action) => action !== `${NOTE}.create`)
    const rules = [{ action: `${NOTE}.create`, where: { title: { $ne: 'second' } } }]
    revoke = () => put(role, { permissions: others, rules })
    const titles = ['first', 'second', 'third']
    const lines = await device.push(
      ...titles.map((title, at) => ({
        op: 'create',
        type: 'note',
        documentId: device.newId(at + 1),
        patch: setting({ title }),
      })),
    )
    expect(lines.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'refused', 'applied'])
    await put(role, { permissions: [], rules: [] })
  })
})
