import { memoryStorage, PushDelayed, type Stored, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { Json } from '../../support/server.ts'
import { permitPushes, PUSH_ACTIONS } from '../../support/push-world.ts'
import { until } from '../../support/until.ts'
import { openFaultyProcess } from './faulty-process.ts'
import { openBackups, type OutboxBackup } from './outbox-backup.ts'
import type { OutboxHost } from './outbox-hosts.ts'
import { DEVICES, type Step, type StepOf } from './outbox-steps.ts'
import { openDevice, type OutboxDevice } from './outbox-world.ts'

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

interface DiskCopy {
  readonly stored: Stored
  readonly accepted: readonly Accepted[]
}

interface World {
  /** The notes that the editor changes as well. */
  readonly ids: readonly string[]
  disks: readonly StoreStorage[]
  /** The backups of the devices, to which `rewind` returns. */
  copies: readonly DiskCopy[]
  accepted: readonly Accepted[]
  edited: readonly { readonly documentId: string; readonly word: string }[]
  backup: OutboxBackup
}

export interface OutboxHistories {
  /** Takes the steps, then checks that each change ended once and that all devices are equal. */
  run(steps: readonly Step[]): Promise<void>
  close(): Promise<void>
}

export async function openHistories(host: OutboxHost): Promise<OutboxHistories> {
  await permitPushes(host.server)
  const backups = await openBackups(host)
  const user: Member = await addMember(host.server, 'model')
  let made = 0

  const newWord = (): string => `w${(made += 1)}`
  const read = async (id: string): Promise<{ entry: Json; etag: string }> => {
    const answer = await host.server.get(`/api/notes/${id}`)
    return { entry: answer.body.data, etag: answer.headers.etag ?? '' }
  }
  const edit = async (id: string): Promise<string> => {
    const word = newWord()
    for (;;) {
      const { entry, etag } = await read(id)
      const headers = { 'if-match': etag }
      const data = { body: `${entry.body} ${word}` }
      if ((await host.server.put(`/api/notes/${id}`, data, { headers })).status === 200) return word
    }
  }
  const wordsOf = (body: unknown): readonly string[] => String(body).split(/\s+/)

  /** Syncs in a process that may be killed, lose a response or find the disk full. */
  async function syncWith(
    disk: StoreStorage,
    { faults: given, isRetried }: StepOf<'sync'>,
  ): Promise<void> {
    const { storage, send, killed } = openFaultyProcess(disk, given)
    const throughout: typeof fetch = (input, init) =>
      send(() => fetch(input, init)) as Promise<Response>
    const use = async (): Promise<void> => {
      const device = await openDevice(host.server, user, { storage, fetch: throughout })
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

  async function openWorld(): Promise<World> {
    await permitPushes(host.server)
    await backups.clear()
    const ids = await Promise.all(
      ['a', 'b'].map(async (title): Promise<string> => {
        const data = { title, body: 'begin', stock: 0 }
        return (await host.server.post('/api/notes', data)).body.data.documentId
      }),
    )
    await host.server.settled()
    const disks = Array.from({ length: DEVICES }, () => memoryStorage())
    for (const storage of disks) await (await openDevice(host.server, user, { storage })).$sync()
    const copies = await Promise.all(
      disks.map(async (storage) => ({ stored: await storage.load(), accepted: [] })),
    )
    return { ids, disks, copies, accepted: [], edited: [], backup: await backups.take(ids) }
  }

  const isUnsentOf = (device: OutboxDevice, n: number): boolean =>
    device.$pending.some((one) => one.n === n && !one.isSent)

  async function discard(world: World, device: OutboxDevice, index: number): Promise<void> {
    const last = device.$pending.findLast(({ isSent }) => !isSent)
    if (last === undefined) return
    await device.$discard(last.n)
    world.accepted = world.accepted.filter(
      (one) => one.device !== index || one.n !== last.n || one.isForgotten,
    )
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
    { entry, place, by, isMarked, device: index }: StepOf<'write'>,
  ): Promise<void> {
    const documentId = world.ids[entry] ?? ''
    const word = newWord()
    const words = [...wordsOf(device.notes.get(documentId)?.body)]
    words.splice(1 + (place % words.length), 0, word)
    await device.notes.patch(documentId, {
      body: { set: words.join(' ') },
      stock: { inc: by },
      ...(isMarked && { [host.mark]: { set: word } }),
    })
    accept(world, device, { device: index, documentId, word, by })
  }

  async function create(
    world: World,
    device: OutboxDevice,
    { count, device: index }: StepOf<'create'>,
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
      world.disks.map((storage) => openDevice(host.server, user, { storage })),
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
        host.server,
        PUSH_ACTIONS.filter((action) => action !== missing),
      )
    } else if (step.kind === 'backup') world.backup = await backups.take(allIds(world))
    else if (step.kind === 'restore') await restore(world)
    else if (step.kind === 'crash') await crash(world, step)
    else if (step.kind === 'copy') await copy(world, step.device)
    else if (step.kind === 'rewind') await rewind(world, step.device)
    else await use(world, step)
  }

  async function copy(world: World, index: number): Promise<void> {
    const stored = await (world.disks[index] ?? memoryStorage()).load()
    const accepted = world.accepted.filter(({ device }) => device === index)
    world.copies = world.copies.map((one, at) => (at === index ? { stored, accepted } : one))
  }

  /** The device forgets later changes, uses their numbers again, and has its discarded changes again. */
  async function rewind(world: World, index: number): Promise<void> {
    const { stored, accepted } = world.copies[index] ?? { stored: NOTHING_STORED, accepted: [] }
    const storage = await openCopy(stored)
    world.disks = world.disks.map((one, at) => (at === index ? storage : one))
    const held = new Set(accepted.map(({ word }) => word))
    const later = world.accepted.map((one) => {
      const isForgotten = one.device === index && !held.has(one.word)
      return { ...one, isForgotten: one.isForgotten || isForgotten }
    })
    const words = new Set(later.map(({ word }) => word))
    world.accepted = [...later, ...accepted.filter(({ word }) => !words.has(word))]
  }

  /** The device goes on with the types of before. */
  async function crash(world: World, step: StepOf<'crash'>): Promise<void> {
    const storage = world.disks[step.device] ?? memoryStorage()
    const device = await openDevice(host.server, user, { storage })
    await host.crash(async () => {
      await device.$sync().catch(() => null)
    }, step)
    await device.$sync().catch(() => null)
    assertShown(await openDevice(host.server, user, { storage }), step.device, world)
  }

  async function use(
    world: World,
    step: StepOf<'write' | 'sync' | 'create' | 'discard'>,
  ): Promise<void> {
    const storage = world.disks[step.device] ?? memoryStorage()
    if (step.kind === 'sync') await syncWith(storage, step)
    const device = await openDevice(host.server, user, { storage })
    assertShown(device, step.device, world)
    if (step.kind === 'discard') await discard(world, device, step.device)
    if (step.kind === 'write') await write(world, device, step)
    if (step.kind === 'create') await create(world, device, step)
    assertShown(device, step.device, world)
  }

  async function finish(world: World): Promise<void> {
    await permitPushes(host.server)
    const devices = await Promise.all(
      world.disks.map((storage) => openDevice(host.server, user, { storage })),
    )
    for (const device of [...devices, ...devices]) {
      await syncAtLast(device)
      await host.server.settled()
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
    const shownOf = (entry: Json) => [entry?.body, entry?.stock, entry?.[host.mark] ?? null]
    for (const device of devices) {
      expect(shownOf(device.notes.get(id))).to.deep.equal(shownOf(stored))
    }
  }

  return {
    run: async (steps) => {
      const world = await openWorld()
      for (const step of steps) await take(world, step)
      await finish(world)
    },
    close: () => backups.close(),
  }
}

const MAX_DELAY_MS = 60_000

/** The transaction of a killed server locks its notes until the database ends it. */
function syncAtLast(device: OutboxDevice): Promise<void> {
  const isSynced = async (): Promise<boolean> => {
    try {
      await device.$sync()
      return true
    } catch (error) {
      if (error instanceof PushDelayed) return false
      throw error
    }
  }
  return until(isSynced, MAX_DELAY_MS)
}

const NOTHING_STORED: Stored = { mark: null, rows: [] }

async function openCopy({ rows, mark }: Stored): Promise<StoreStorage> {
  const storage = memoryStorage()
  if (mark !== null) {
    const changes = rows.map((row) => ({ op: 'put', row }) as const)
    await storage.commit(changes, { ...mark, version: 1 })
  }
  return storage
}
