import { memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import { modelRuns } from '../../support/model-runs.ts'
import type { Json, TestServer } from '../../support/server.ts'
import { type Faults, openFaultyProcess } from './faulty-process.ts'
import { openDevice, type OutboxDevice, serveOutbox } from './outbox-world.ts'

const RUNS = modelRuns('OUTBOX_RUNS', 4, 60)

/** A write of a device that was accepted, with the traces that it leaves if it is applied. */
interface Accepted {
  readonly device: number
  readonly n: number
  readonly entry: number
  readonly word: string
  readonly by: number
}

const faults: fc.Arbitrary<Faults> = fc.record({
  killAt: fc.option(fc.nat({ max: 30 }), { freq: 3 }),
  fullAt: fc.option(fc.nat({ max: 4 }), { freq: 1 }),
  lostAt: fc.option(fc.nat({ max: 4 }), { freq: 2 }),
  pauses: fc.constant([]),
})

const STEPS = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        device: fc.nat({ max: 1 }),
        entry: fc.nat({ max: 1 }),
        by: fc.integer({ min: -3, max: 3 }),
        place: fc.nat({ max: 20 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('sync' as const),
        device: fc.nat({ max: 1 }),
        faults,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('edit' as const), entry: fc.nat({ max: 1 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('discard' as const), device: fc.nat({ max: 1 }) }),
    },
  ),
  { minLength: 4, maxLength: 16 },
)

type Step = typeof STEPS extends fc.Arbitrary<readonly (infer One)[]> ? One : never

describe('devices with an outbox, and an editor', function () {
  this.timeout(60_000 + RUNS * 60_000)
  let server: TestServer
  let user: Member
  let made = 0

  before(async () => {
    server = await serveOutbox('outbox_model')
    user = await addMember(server, 'model')
  })
  after(() => server.close())

  const newWord = (): string => `w${(made += 1)}`
  const read = async (id: string): Promise<{ entry: Json; etag: string }> => {
    const answer = await server.get(`/api/notes/${id}`)
    return { entry: answer.body.data, etag: answer.headers.etag ?? '' }
  }
  const edit = async (id: string): Promise<string> => {
    const word = newWord()
    for (;;) {
      const { entry, etag } = await read(id)
      const headers = { 'if-match': etag }
      const data = { body: `${entry.body} ${word}` }
      if ((await server.put(`/api/notes/${id}`, data, { headers })).status === 200) return word
    }
  }
  const wordsOf = (body: unknown): readonly string[] => String(body).split(/\s+/)

  /** Syncs in a process that may be killed, lose a response or find the disk full. */
  async function syncWith(disk: StoreStorage, given: Faults): Promise<void> {
    const { storage, send, killed } = openFaultyProcess(disk, given)
    const throughout: typeof fetch = (input, init) =>
      send(() => fetch(input, init)) as Promise<Response>
    const use = async (): Promise<void> => {
      const device = await openDevice(server, user, { storage, fetch: throughout })
      // A fault fails the sync. The next one continues.
      await device.$sync().catch(() => null)
      await device.$sync().catch(() => null)
    }
    await Promise.race([use().catch(() => null), killed])
  }

  /** Every accepted write that has not failed is visible exactly once. */
  function assertShown(
    device: OutboxDevice,
    index: number,
    { accepted, ids }: Pick<World, 'accepted' | 'ids'>,
  ): void {
    const failed = new Set(device.$conflicts.map(({ n }) => n))
    for (const { n, device: by, entry, word } of accepted) {
      if (by !== index || failed.has(n)) continue
      const found = wordsOf(device.notes.get(ids[entry] ?? '')?.body).filter((one) => one === word)
      expect(found, `mutation ${n} of device ${by}`).to.have.lengthOf(1)
    }
  }

  interface World {
    readonly ids: readonly string[]
    readonly disks: readonly StoreStorage[]
    accepted: readonly Accepted[]
    readonly edited: { readonly entry: number; readonly word: string }[]
  }

  async function openWorld(): Promise<World> {
    const ids = await Promise.all(
      ['a', 'b'].map(async (title): Promise<string> => {
        const data = { title, body: 'begin', stock: 0 }
        return (await server.post('/api/notes', data)).body.data.documentId
      }),
    )
    await server.settled()
    const disks = [memoryStorage(), memoryStorage()]
    for (const storage of disks) await (await openDevice(server, user, { storage })).$sync()
    return { ids, disks, accepted: [], edited: [] }
  }

  async function discard(world: World, device: OutboxDevice, index: number): Promise<void> {
    const last = device.$pending.findLast(({ isSent }) => !isSent)
    if (last === undefined) return
    await device.$discard(last.n)
    world.accepted = world.accepted.filter((one) => one.device !== index || one.n !== last.n)
  }

  async function write(
    world: World,
    device: OutboxDevice,
    step: Extract<Step, { readonly kind: 'write' }>,
  ): Promise<void> {
    const id = world.ids[step.entry] ?? ''
    const word = newWord()
    const words = [...wordsOf(device.notes.get(id)?.body)]
    words.splice(1 + (step.place % words.length), 0, word)
    await device.notes.patch(id, { body: { set: words.join(' ') }, stock: { inc: step.by } })
    const { n = 0 } = device.$pending.at(-1) ?? {}
    const one = { device: step.device, n, entry: step.entry, word, by: step.by }
    world.accepted = [...world.accepted, one]
  }

  async function take(world: World, step: Step): Promise<void> {
    if (step.kind === 'edit') {
      world.edited.push({ entry: step.entry, word: await edit(world.ids[step.entry] ?? '') })
      return
    }
    const storage = world.disks[step.device] ?? memoryStorage()
    if (step.kind === 'sync') await syncWith(storage, step.faults)
    const device = await openDevice(server, user, { storage })
    assertShown(device, step.device, world)
    if (step.kind === 'discard') await discard(world, device, step.device)
    if (step.kind === 'write') await write(world, device, step)
    assertShown(device, step.device, world)
  }

  async function finish({ ids, disks, accepted, edited }: World): Promise<void> {
    const devices = await Promise.all(disks.map((storage) => openDevice(server, user, { storage })))
    for (const device of [...devices, ...devices]) {
      await device.$sync()
      await server.settled()
    }
    for (const device of devices) await device.$sync()
    const applied = accepted.filter(
      ({ device, n }) => devices[device]?.$conflicts.every((one) => one.n !== n) === true,
    )
    for (const [entry, id] of ids.entries()) {
      const { entry: stored } = await read(id)
      const kept = [...applied, ...edited].filter((one) => one.entry === entry)
      const words = ['begin', ...kept.map(({ word }) => word)]
      expect(wordsOf(stored.body)).to.have.members(words)
      const own = applied.filter((one) => one.entry === entry)
      expect(stored.stock).to.equal(own.reduce((sum, { by }) => sum + by, 0))
      for (const [index, device] of devices.entries()) {
        expect(device.$pending, `device ${index}`).to.deep.equal([])
        const { body, stock } = device.notes.get(id) ?? {}
        expect({ body, stock }).to.deep.equal({ body: stored.body, stock: stored.stock })
      }
    }
  }

  it('end each change once, show it all the time, and converge', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const world = await openWorld()
        for (const step of steps) await take(world, step)
        await finish(world)
      }),
      { numRuns: RUNS },
    )
  })
})
