import { expect } from 'chai'
import type { Extension } from '../../../src/extensions/extension.ts'
import { Device, permitPushes, PUSHED_TYPES, setting } from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

interface HookCall {
  readonly operation: string
  readonly previous: Json
}

const CASES: readonly (readonly [string, string, string])[] = [
  ['an entry without drafts', 'note', 'published'],
  ['a published entry', 'page', 'published'],
  ['a draft', 'page', 'draft'],
]

describe('a push to a type with hooks', () => {
  let server: TestServer
  let ada: Device
  let calls: HookCall[] = []
  /** Runs once, between the read of the entry and its write. */
  let meanwhile: (() => Promise<unknown>) | null = null

  before(async () => {
    const beforeWrite = async ({ previous, operation }: HookCall): Promise<void> => {
      calls.push({ previous, operation })
      const work = meanwhile
      meanwhile = null
      await work?.()
    }
    const extension = {
      name: 'meanwhile',
      contentTypes: { 'api::note.note': { beforeWrite }, 'api::page.page': { beforeWrite } },
    } as unknown as Extension
    server = await serve('push_hooks', { contentTypes: PUSHED_TYPES, extensions: [extension] })
    await permitPushes(server)
    ada = await Device.of(server, 'ada')
  })
  beforeEach(() => {
    calls = []
  })
  after(() => server.close())

  for (const [label, type, status] of CASES) {
    const text = type === 'note' ? 'body' : 'text'
    const path = (id: string): string => `/api/${type}s/${id}?status=${status}`
    const revisionOf = async (id: string): Promise<string> => {
      const { etag = '' } = (await server.get(path(id))).headers
      return etag.replaceAll('"', '')
    }
    const open = async (name: string): Promise<readonly [Device, string, object]> => {
      const device = new Device(server, ada.member, `${name}-${type}-${status}`, status)
      const documentId = await device.create(type, { title: 'a', [text]: 'one' })
      const base = await revisionOf(documentId)
      calls = []
      return [device, documentId, { op: 'update', type, documentId, base, seen: { title: 'a' } }]
    }

    it(`gives the hook the version that it replaces: ${label}`, async () => {
      const [device, , update] = await open('update')
      const [pushed] = await device.push({ ...update, patch: setting({ title: 'b' }) })
      expect(pushed.outcome).to.equal('applied')
      expect(calls.map(({ operation, previous }) => [operation, previous.title])).to.deep.equal([
        ['update', 'a'],
      ])
    })

    it(`merges with a change that is stored while its hook runs: ${label}`, async () => {
      const [device, id, update] = await open('merge')
      meanwhile = () => server.put(path(id), { [text]: 'two' })
      const [pushed] = await device.push({ ...update, patch: setting({ title: 'b' }) })
      expect(pushed).to.include({ outcome: 'applied', rebased: true })
      expect((await server.get(path(id))).body.data).to.include({ title: 'b', [text]: 'two' })
      expect(calls.map(({ previous }) => previous[text])).to.deep.equal(['one', 'one', 'two'])
    })

    it(`asks for a retry while each hook meets another change: ${label}`, async () => {
      const [device, id, update] = await open('retry')
      const edit = async (): Promise<void> => {
        await server.put(path(id), { [text]: `edit ${calls.length}` })
        meanwhile = edit // after the hook of the edit
      }
      meanwhile = edit
      const [pushed] = await device.push({ ...update, patch: setting({ title: 'b' }) })
      meanwhile = null
      expect(pushed).to.deep.equal({ n: device.last + 1, outcome: 'retry' })
      expect(calls).to.have.length(16)
      expect((await server.get(path(id))).body.data).to.include({ title: 'a', [text]: 'edit 15' })
    })

    it(`reports a conflict with a change that is stored while its hook runs: ${label}`, async () => {
      const [device, id, update] = await open('conflict')
      meanwhile = () => server.put(path(id), { title: 'c' })
      const [pushed] = await device.push({ ...update, patch: setting({ title: 'b' }) })
      expect(pushed).to.deep.include({ outcome: 'conflict', theirs: { title: 'c' } })
      expect((await server.get(path(id))).body.data).to.include({ title: 'c' })
    })

    it(`reports a conflict with a deletion that is stored while its hook runs: ${label}`, async () => {
      const [device, id, update] = await open('deletion')
      meanwhile = async () => {
        expect((await server.delete(`/api/${type}s/${id}`)).status).to.equal(204)
      }
      const [pushed] = await device.push({ ...update, patch: setting({ title: 'b' }) })
      expect(pushed).to.include({ outcome: 'conflict', code: 'document_deleted' })
      expect((await server.get(path(id))).status).to.equal(404)
    })
  }
})
