import { memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import { modelRuns } from '../../support/model-runs.ts'
import type { Json, TestServer } from '../../support/server.ts'
import { type Faults, openFaultyProcess } from './faulty-process.ts'
import { permitPushes, PUSH_ACTIONS } from '../../support/push-world.ts'
import { openBackups, type OutboxBackup } from './outbox-backup.ts'
import { openDevice, type OutboxDevice, serveOutbox } from './outbox-world.ts'

const RUNS = modelRuns('OUTBOX_RUNS', 4, 60)

/** A change of a device that was accepted, with the traces that it leaves if it is applied. */
interface Accepted {
  readonly device: number
  readonly n: number
  readonly documentId: string
  /** In the body of the note. */
  readonly word: string
  readonly by: number
  /** The server forgot it when a backup was restored, or its outcome is unknown since. */
  readonly isForgotten: boolean
}

const faults: fc.Arbitrary<Faults> = fc.record({
  killAt: fc.option(fc.nat({ max: 30 }), { freq: 3 }),
  fullAt: fc.option(fc.nat({ max: 4 }), { freq: 1 }),
  lostAt: fc.option(fc.nat({ max: 4 }), { freq: 2 }),
  unansweredAt: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
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
        isRetried: fc.boolean(),
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
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('create' as const),
        device: fc.nat({ max: 1 }),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('role' as const),
        missing: fc.constantFrom('update', 'push', 'create', null),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'backup' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'restore' as const }) },
  ),
  { minLength: 4, maxLength: 16 },
)

type Step = typeof STEPS extends fc.Arbitrary<readonly (infer One)[]> ? One : never

describe('devices with an outbox, and an editor', function () {
  this.timeout(60_000 + RUNS * 60_000)
  let server: TestServer
  let user: Member
  let backups: Awaited<ReturnType<typeof openBackups>>
  let made = 0

  before(async () => {
    server = await serveOutbox('outbox_model')
    backups = await openBackups(server)
    user = await addMember(server, 'model')
  })
  after(async () => {
    await backups.close()
    await server.close()
  })

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
  async function syncWith(
    disk: StoreStorage,
    { faults: given, isRetried }: Extract<Step, { readonly kind: 'sync' }>,
  ): Promise<void> {
    const { storage, send, killed } = openFaultyProcess(disk, given)
    const throughout: typeof fetch = (input, init) =>
      send(() => fetch(input, init)) as Promise<Response>
    const use = async (): Promise<void> => {
      const device = await openDevice(server, user, { storage, fetch: throughout })
      // A fault fails the sync. The next one continues.
      await device.$sync().catch(() => null)
      if (isRetried) await device.$sync().catch(() => null)
    }
    await Promise.race([use().catch(() => null), killed])
  }

  /** Every accepted write that has not failed is visible exactly once. */
  function assertShown(
    device: OutboxDevice,
    index: number,
    { accepted }: Pick<World, 'accepted'>,
  ): void {
    const failed = new Set(device.$conflicts.map(({ n }) => n))
    for (const { n, device: by, documentId, word, isForgotten } of accepted) {
      if (by !== index || failed.has(n) || isForgotten) continue
      const found = wordsOf(device.notes.get(documentId)?.body).filter((one) => one === word)
      expect(found, `mutation ${n} of device ${by}`).to.have.lengthOf(1)
    }
  }

  interface World {
    /** The notes that the editor changes as well. */
    readonly ids: readonly string[]
    readonly disks: readonly StoreStorage[]
    accepted: readonly Accepted[]
    edited: readonly { readonly documentId: string; readonly word: string }[]
    backup: OutboxBackup
  }

  async function openWorld(): Promise<World> {
    await permitPushes(server)
    const ids = await Promise.all(
      ['a', 'b'].map(async (title): Promise<string> => {
        const data = { title, body: 'begin', stock: 0 }
        return (await server.post('/api/notes', data)).body.data.documentId
      }),
    )
    await server.settled()
    const disks = [memoryStorage(), memoryStorage()]
    for (const storage of disks) await (await openDevice(server, user, { storage })).$sync()
    return { ids, disks, accepted: [], edited: [], backup: await backups.take(ids) }
  }

  const isUnsentOf = (device: OutboxDevice, n: number): boolean =>
    device.$pending.some((one) => one.n === n && !one.isSent)

  async function discard(world: World, device: OutboxDevice, index: number): Promise<void> {
    const last = device.$pending.findLast(({ isSent }) => !isSent)
    if (last === undefined) return
    await device.$discard(last.n)
    world.accepted = world.accepted.filter((one) => one.device !== index || one.n !== last.n)
  }

  function accept(
    world: World,
    device: OutboxDevice,
    change: Pick<Accepted, 'device' | 'documentId' | 'word' | 'by'>,
  ): void {
    const { n = 0 } = device.$pending.at(-1) ?? {}
    world.accepted = [...world.accepted, { ...change, n, isForgotten: false }]
  }

  async function write(
    world: World,
    device: OutboxDevice,
    { entry, place, by, device: index }: Extract<Step, { readonly kind: 'write' }>,
  ): Promise<void> {
    const documentId = world.ids[entry] ?? ''
    const word = newWord()
    const words = [...wordsOf(device.notes.get(documentId)?.body)]
    words.splice(1 + (place % words.length), 0, word)
    await device.notes.patch(documentId, { body: { set: words.join(' ') }, stock: { inc: by } })
    accept(world, device, { device: index, documentId, word, by })
  }

  async function create(
    world: World,
    device: OutboxDevice,
    { count, device: index }: Extract<Step, { readonly kind: 'create' }>,
  ): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      const word = newWord()
      const documentId = await device.notes.create({ title: 'new', body: word, stock: 1 })
      accept(world, device, { device: index, documentId, word, by: 1 })
    }
  }

  const allIds = ({ ids, accepted }: World): readonly string[] => [
    ...new Set([...ids, ...accepted.map(({ documentId }) => documentId)]),
  ]

  async function restore(world: World): Promise<void> {
    const { backup } = world
    const held = (documentId: string, word: string): boolean =>
      backup.notes.some(
        (row) => row['documentId'] === documentId && wordsOf(row['body']).includes(word),
      )
    const devices = await Promise.all(
      world.disks.map((storage) => openDevice(server, user, { storage })),
    )
    await backups.restore(backup, allIds(world))
    world.accepted = world.accepted.map((one) => {
      const device = devices[one.device]
      const isUnsent = device !== undefined && isUnsentOf(device, one.n)
      const isHeld = held(one.documentId, one.word)
      return { ...one, isForgotten: one.isForgotten || (!isUnsent && !isHeld) }
    })
    world.edited = world.edited.filter(({ documentId, word }) => held(documentId, word))
  }

  async function take(world: World, step: Step): Promise<void> {
    if (step.kind === 'edit') {
      const documentId = world.ids[step.entry] ?? ''
      world.edited = [...world.edited, { documentId, word: await edit(documentId) }]
    } else if (step.kind === 'role') {
      const missing = `api::note.note.${step.missing}`
      await permitPushes(
        server,
        PUSH_ACTIONS.filter((action) => action !== missing),
      )
    } else if (step.kind === 'backup') world.backup = await backups.take(allIds(world))
    else if (step.kind === 'restore') await restore(world)
    else await use(world, step)
  }

  async function use(world: World, step: Extract<Step, { readonly device: number }>) {
    const storage = world.disks[step.device] ?? memoryStorage()
    if (step.kind === 'sync') await syncWith(storage, step)
    const device = await openDevice(server, user, { storage })
    assertShown(device, step.device, world)
    if (step.kind === 'discard') await discard(world, device, step.device)
    if (step.kind === 'write') await write(world, device, step)
    if (step.kind === 'create') await create(world, device, step)
    assertShown(device, step.device, world)
  }

  async function finish(world: World): Promise<void> {
    await permitPushes(server)
    const devices = await Promise.all(
      world.disks.map((storage) => openDevice(server, user, { storage })),
    )
    for (const device of [...devices, ...devices]) {
      await device.$sync()
      await server.settled()
    }
    for (const device of devices) await device.$sync()
    for (const device of devices) expect(device.$pending).to.deep.equal([])
    for (const id of allIds(world)) await assertEntry(world, devices, id)
  }

  /** The changes of an entry that it must contain, and those that it may contain. */
  function changesOf({ accepted }: World, devices: readonly OutboxDevice[], id: string) {
    const own = accepted.filter(({ documentId }) => documentId === id)
    const codeOf = ({ device, n }: Accepted) =>
      devices[device]?.$conflicts.find((one) => one.n === n)?.code
    const isOptional = (one: Accepted): boolean =>
      one.isForgotten || codeOf(one) === 'unknown_outcome'
    return {
      needed: own.filter((one) => !isOptional(one) && codeOf(one) === undefined),
      optional: own.filter(isOptional),
    }
  }

  async function assertEntry(
    world: World,
    devices: readonly OutboxDevice[],
    id: string,
  ): Promise<void> {
    const { entry: stored } = await read(id)
    const { needed, optional } = changesOf(world, devices, id)
    const words = stored === null ? [] : wordsOf(stored.body)
    const made = [...needed, ...optional.filter(({ word }) => words.includes(word))]
    const others = world.edited.filter(({ documentId }) => documentId === id)
    const begin = world.ids.includes(id) ? ['begin'] : []
    expect(words).to.have.members([...begin, ...[...made, ...others].map(({ word }) => word)])
    expect(stored?.stock ?? 0).to.equal(made.reduce((sum, { by }) => sum + by, 0))
    for (const device of devices) {
      const { body, stock } = device.notes.get(id) ?? {}
      expect({ body, stock }).to.deep.equal({ body: stored?.body, stock: stored?.stock })
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
