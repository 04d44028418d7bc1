import { expect } from 'chai'
import * as fc from 'fast-check'
import { isHardSuite } from '../../support/model-runs.ts'
import { Device, permitPushes, PUSHED_TYPES, setting } from '../../support/push-world.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'

interface Sent {
  readonly n: number
  readonly documentId: string
  readonly word: string
  readonly by: number
}

const FINAL = ['applied', 'merged', 'conflict', 'refused']

/** What a step does with the response of a push. */
const FATES = ['read', 'lost', 'twice'] as const

const STEPS = fc.array(
  fc.record({
    device: fc.nat({ max: 1 }),
    entry: fc.nat({ max: 1 }),
    by: fc.integer({ min: -3, max: 3 }),
    place: fc.nat({ max: 20 }),
    isQueued: fc.boolean(),
    fate: fc.constantFrom(...FATES),
    editor: fc.constantFrom('none', 'before', 'during'),
  }),
  { minLength: 1, maxLength: 12 },
)

describe('pushes of several devices and an editor', function () {
  this.timeout(300_000)
  let server: TestServer
  let owner: Device
  let runs = 0

  before(async () => {
    server = await serve('push_model', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    owner = await Device.of(server, 'owner')
  })
  after(() => server.close())

  it('end each mutation once, and lose no word and no increment', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const world = await openWorld(server, owner, (runs += 1))
        for (const step of steps) await world.take(step)
        await world.finish()
      }),
      { numRuns: isHardSuite() ? 100 : 6 },
    )
  })
})

/** A repeated conflict shows the version that is current then, so its revision may differ. */
function endOf({ outcome, code, revision }: Json): Json {
  return outcome === 'conflict' ? { outcome, code } : { outcome, revision }
}

interface Step {
  readonly device: number
  readonly entry: number
  readonly by: number
  readonly place: number
  /** Whether the mutation waits for a later push. */
  readonly isQueued: boolean
  readonly fate: (typeof FATES)[number]
  readonly editor: string
}

async function openWorld(server: TestServer, owner: Device, run: number) {
  const entries = [
    await owner.create('note', { title: 'a', body: 'begin', stock: 0 }),
    await owner.create('note', { title: 'b', body: 'begin', stock: 0 }),
  ]
  const words = new Map(entries.map((id) => [id, ['begin']]))
  const queues = [0, 1].map((index) => ({
    device: new Device(server, owner.member, `model-${run}-${index}-client`),
    pending: [] as Json[],
    sent: [] as Sent[],
    outcomes: new Map<number, Json>(),
    /** The values that the device has seen, with its pending changes. */
    seen: new Map<string, { revision: string | null; body: string; stock: number }>(),
  }))
  let made = 0
  const newWord = (): string => `w${run}x${(made += 1)}`
  const read = async (id: string): Promise<{ entry: Json; etag: string }> => {
    const answer = await server.get(`/api/notes/${id}`)
    return { entry: answer.body.data, etag: answer.headers.etag ?? '' }
  }

  async function edit(id: string): Promise<void> {
    const word = newWord()
    for (;;) {
      const { entry, etag } = await read(id)
      const headers = { 'if-match': etag }
      const { status } = await server.put(
        `/api/notes/${id}`,
        { body: `${entry.body} ${word}` },
        { headers },
      )
      if (status !== 200) continue
      words.get(id)?.push(word)
      return
    }
  }

  function record(queue: (typeof queues)[number], answer: Answer): void {
    if (answer.status === 503) return
    expect(answer.status, answer.text).to.equal(200)
    const [head, ...lines] = answer.text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    queue.device.log = head.log
    for (const { replayed: _replayed, ...line } of lines) {
      if (line.outcome === 'retry') break
      expect(FINAL).to.include(line.outcome)
      const known = queue.outcomes.get(line.n)
      if (known !== undefined) expect(endOf(line)).to.deep.equal(endOf(known))
      queue.outcomes.set(line.n, line)
    }
    queue.pending = queue.pending.filter(({ n }) => !queue.outcomes.has(n))
    queue.device.ack = Math.max(0, ...queue.outcomes.keys())
  }

  async function flush(
    queue: (typeof queues)[number],
    fate: (typeof FATES)[number],
  ): Promise<void> {
    const send = (): Promise<Answer> => queue.device.send([queue.device.head(), ...queue.pending])
    if (queue.pending.length === 0) return
    if (fate === 'twice') {
      // The second response may still have retries for mutations that the first one has ended.
      for (const answer of await Promise.all([send(), send()])) {
        if (answer.status !== 409) record(queue, answer)
      }
    } else if (fate === 'lost') await send()
    else record(queue, await send())
  }

  async function take(step: Step): Promise<void> {
    const queue = queues[step.device]
    const id = entries[step.entry]
    if (queue === undefined || id === undefined) return
    const pendingOfEntry = queue.pending.some(({ documentId }) => documentId === id)
    if (!pendingOfEntry) {
      const { entry, etag } = await read(id)
      const revision = etag.replaceAll('"', '')
      queue.seen.set(id, { revision, body: entry.body, stock: entry.stock })
    }
    const seen = queue.seen.get(id)
    if (seen === undefined) return
    if (step.editor === 'before') await edit(id)
    const word = newWord()
    const place = seen.body.split(' ')
    place.splice(1 + (step.place % place.length), 0, word)
    const body = place.join(' ')
    const n = queue.device.last + 1
    queue.device.last = n
    queue.pending.push({
      n,
      op: 'update',
      type: 'note',
      documentId: id,
      base: seen.revision,
      patch: { ...setting({ body }), stock: { inc: step.by } },
      seen: { body: seen.body, stock: seen.stock },
    })
    queue.sent.push({ n, documentId: id, word, by: step.by })
    queue.seen.set(id, { ...seen, body, stock: seen.stock + step.by })
    const editing = step.editor === 'during' ? edit(id) : Promise.resolve()
    if (!step.isQueued) await flush(queue, step.fate)
    await editing
  }

  async function finish(): Promise<void> {
    for (const queue of queues) {
      for (let turn = 0; turn < 20 && queue.pending.length > 0; turn += 1)
        await flush(queue, 'read')
      expect(queue.pending).to.deep.equal([])
      expect([...queue.outcomes.keys()].sort((a, b) => a - b)).to.deep.equal(
        queue.sent.map(({ n }) => n),
      )
    }
    for (const id of entries) {
      const applied = queues.flatMap(({ sent, outcomes }) =>
        sent.filter(({ n, documentId }) => {
          const { outcome } = outcomes.get(n) ?? {}
          return documentId === id && (outcome === 'applied' || outcome === 'merged')
        }),
      )
      const { entry } = await read(id)
      expect(entry.stock).to.equal(applied.reduce((sum, { by }) => sum + by, 0))
      const kept = [...(words.get(id) ?? []), ...applied.map(({ word }) => word)]
      const found: readonly string[] = entry.body.split(/\s+/)
      expect(kept.filter((word) => !found.includes(word))).to.deep.equal([])
      expect(new Set(found).size, entry.body).to.equal(found.length)
    }
  }

  return { take, finish }
}
