import { memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { Json, TestServer } from '../../support/server.ts'
import { type FileDevice, openFileDevice, serveFiles } from './file-world.ts'

type Loss = 'request' | 'response'

type Step =
  | { readonly kind: 'add' }
  | { readonly kind: 'create' | 'change'; readonly of: number; readonly cover: number }
  | { readonly kind: 'discard'; readonly of: number }
  | { readonly kind: 'sync'; readonly losses: readonly (Loss | null)[] }
  | { readonly kind: 'restart' }

const INDEX = fc.nat({ max: 40 })

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'add' }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('create', 'change'), of: INDEX, cover: INDEX }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), of: INDEX }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      losses: fc.array(fc.constantFrom<Loss | null>('request', 'response', null), { maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
)

/** What the user did: the content of each file, and the cover of each note. */
interface Done {
  readonly files: Map<string, string>
  readonly discarded: Set<string>
  readonly covers: Map<string, string | null>
  /** Files that any change names, also an earlier one of the same note. */
  readonly named: Set<string>
}

/** A device whose requests get lost as the steps say. */
class LossyDevice {
  #device: FileDevice | null = null
  readonly storage: StoreStorage
  readonly #server: TestServer
  readonly #member: Member
  readonly #done: Done = {
    files: new Map(),
    discarded: new Set(),
    covers: new Map(),
    named: new Set(),
  }
  #losses: (Loss | null)[] = []

  constructor(server: TestServer, member: Member) {
    const storage = memoryStorage()
    this.storage = { ...storage, close: () => Promise.resolve() }
    this.#server = server
    this.#member = member
  }

  get device(): FileDevice {
    if (this.#device === null) throw new Error('The device is off')
    return this.#device
  }

  async restart(): Promise<void> {
    await this.#device?.$close()
    this.#device = await openFileDevice(this.#server, this.#member, {
      storage: this.storage,
      fetch: async (...request) => {
        const loss = this.#losses.shift()
        if (loss === 'request') throw new TypeError('fetch failed')
        const response = await fetch(...request)
        if (loss === 'response') throw new TypeError('fetch failed')
        return response
      },
    })
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'add') await this.#add()
    else if (step.kind === 'discard') await this.#discard(step.of)
    else if (step.kind === 'sync') await this.#sync(step.losses)
    else if (step.kind === 'restart') await this.restart()
    else await this.#write(step)
    this.#checkShown()
  }

  async #add(): Promise<void> {
    const { files } = this.#done
    const content = `content ${files.size}`
    files.set(await this.device.$files.add(new File([content], `${files.size}.txt`)), content)
  }

  async #write({
    kind,
    of,
    cover: index,
  }: Extract<Step, { readonly cover: number }>): Promise<void> {
    const { files, covers, named } = this.#done
    const cover = pick([...files.keys()], index) ?? null
    if (cover !== null) named.add(cover)
    const known = kind === 'change' ? pick([...covers.keys()], of) : undefined
    if (known !== undefined) await this.device.notes.update(known, { cover })
    covers.set(known ?? (await this.device.notes.create({ title: 'a note', cover })), cover)
  }

  /** Keeps files that a change names, because the change would be refused. */
  async #discard(of: number): Promise<void> {
    const { files, discarded, named } = this.#done
    const file = pick(this.device.$files.pending, of)
    if (file === undefined || named.has(file.documentId)) return
    await this.device.$files.discard(file.documentId)
    discarded.add(file.documentId)
    files.delete(file.documentId)
  }

  async #sync(losses: readonly (Loss | null)[]): Promise<void> {
    this.#losses = [...losses]
    await this.device.$sync().catch((error: unknown) => expect(error).to.be.instanceOf(TypeError))
    this.#losses = []
  }

  /** The device shows all files and covers at any time. */
  #checkShown(): void {
    const { device } = this
    for (const documentId of this.#done.files.keys()) {
      const file: Json = device.$files.get(documentId)
      expect(file?.documentId).to.equal(documentId)
    }
    for (const [id, cover] of this.#done.covers) {
      const note: Json = device.notes.get(id, { populate: { cover: true } })
      expect(note.cover?.documentId ?? null).to.equal(cover)
    }
  }

  /** The server has each file and each cover once the device has synced without losses. */
  async checkEnd(): Promise<void> {
    const { files, covers, discarded } = this.#done
    await this.device.$sync()
    await this.#server.settled()
    await this.device.$sync()
    this.#checkShown()
    expect(this.device.$conflicts).to.deep.equal([])
    expect(this.device.$files.pending).to.deep.equal([])
    for (const [documentId, content] of files) {
      const file = (await this.#server.get(`/api/upload/files/${documentId}`)).body
      expect((await this.#server.get(file.url)).text).to.equal(content)
    }
    for (const [id, cover] of covers) {
      const { body } = await this.#server.get(`/api/notes/${id}?populate=cover`)
      expect(body.data.cover?.documentId ?? null).to.equal(cover)
    }
    const { rows } = await this.storage.load()
    expect(rows.filter(({ type }) => type === '$uploads')).to.deep.equal([])
    const stored = await this.#storedFiles()
    for (const documentId of stored) {
      expect(files.has(documentId) || discarded.has(documentId), documentId).to.equal(true)
    }
    expect(new Set(stored).size).to.equal(stored.length)
  }

  async #storedFiles(): Promise<readonly string[]> {
    const known = new Set([...this.#done.files.keys(), ...this.#done.discarded])
    const { body } = await this.#server.get('/api/upload/files?fields=documentId&sort=id')
    const ids: readonly string[] = body.map(({ documentId }: { documentId: string }) => documentId)
    return ids.filter((id) => known.has(id))
  }
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)]
}

describe('files of a device with lost requests and restarts', () => {
  let server: TestServer
  let anna: Member

  before(async () => {
    server = await serveFiles('file_outbox_model')
    anna = await addMember(server, 'anna')
  })
  after(() => server.close())

  it('are stored once, with all changes that name them, and are shown all the time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 25 }), async (steps) => {
        const lossy = new LossyDevice(server, anna)
        await lossy.restart()
        for (const step of steps) await lossy.run(step)
        await lossy.checkEnd()
        await lossy.device.$close()
      }),
      { numRuns: Number(process.env['FILE_OUTBOX_RUNS'] ?? 15), endOnFailure: true },
    )
  })
})
