import { expect } from 'chai'
import * as fc from 'fast-check'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { type Answer, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { addEntry, addMember, type Member, RULED_TYPES, setRules } from './rules-world.ts'

const RUNS = modelRuns('LIVE_RULES_RUNS', 5, 60)
const SOON_MS = 30_000
const ACTIONS = ['api::note.note.find', 'api::note.note.sync']
const OWN_OR_TEAM = { $or: [{ owner: '$user' }, { team: '$user.teams' }] }

interface Place {
  readonly owner: 'nobody' | 'ann' | 'bob'
  readonly team: number | null
}

const PLACE = {
  owner: fc.constantFrom('ann' as const, 'ann' as const, 'nobody' as const, 'bob' as const),
  team: fc.constantFrom(null, 0, 1),
}
const NOTE = fc.nat({ max: 3 })
const WRITE = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), ...PLACE }),
  fc.record({ kind: fc.constant('move' as const), note: NOTE, ...PLACE }),
  fc.record({ kind: fc.constantFrom('retitle' as const, 'remove' as const), note: NOTE }),
)
const MEMBERSHIP = fc.record({
  kind: fc.constantFrom('join' as const, 'leave' as const),
  team: fc.nat(1),
})
type Step = Arbitrated<typeof WRITE> | Arbitrated<typeof MEMBERSHIP>
type Arbitrated<A> = A extends fc.Arbitrary<infer One> ? One : never
const LENGTH = { minLength: 4, maxLength: 14 }
const STEPS: fc.Arbitrary<Step[]> = fc.oneof(
  fc.array(WRITE, LENGTH),
  fc.array(fc.oneof({ arbitrary: WRITE, weight: 3 }, MEMBERSHIP), LENGTH),
)

/** Each run changes a visible and a hidden note. Without notes, most steps would have no effect. */
const FIRST: readonly Step[] = [
  { kind: 'create', owner: 'ann', team: null },
  { kind: 'create', owner: 'bob', team: 0 },
  { kind: 'retitle', note: 0 },
  { kind: 'retitle', note: 1 },
]

interface Note extends Place {
  readonly documentId: string
}

/** A write to a note, with its places before and after it, and what the rule shows of them. */
interface Written {
  readonly documentId: string
  readonly places: readonly Place[]
  readonly wasShown: boolean
  readonly isShown: boolean
}

describe('GET /api/_live under rules, beside a model', () => {
  let server: TestServer
  let ann: Member
  let bob: Member
  let teams: readonly string[]
  let runs = 0

  before(async () => {
    server = await serve('live_rules', {
      contentTypes: RULED_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    bob = await addMember(server, 'bob')
    const added = ['Reds', 'Blues'].map((name) => addEntry(server, '/api/teams', { name }))
    teams = (await Promise.all(added)).map(({ documentId }) => documentId)
    const rules = ACTIONS.map((action) => ({ action, where: OWN_OR_TEAM }))
    await setRules(server, 'authenticated', rules)
  })
  after(() => server.close())

  it('names no hidden note, and announces each change of a visible one', async function () {
    this.timeout(120_000 + RUNS * 20_000)
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        // A process knows a changed team within a second, so each run has a user without one.
        ann = await addMember(server, `ann-${(runs += 1)}`)
        const streams = [await listen(ROOT_TOKEN), await listen(ann.token)] as const
        try {
          await runSteps(steps, ...streams)
        } finally {
          for (const stream of streams) stream.close()
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  async function ok(answer: Promise<Answer>): Promise<Json> {
    const { status, text, body } = await answer
    expect(status, text).to.be.within(200, 299)
    return body
  }

  async function listen(token: string): Promise<EventStream> {
    const headers = { authorization: `Bearer ${token}` }
    const stream = await openEventStream(server.port, '/api/_live?types=note', headers)
    expect(stream.status, JSON.stringify(stream.body)).to.equal(200)
    await until(() => stream.lastId() !== '', SOON_MS)
    return stream
  }

  async function runSteps(
    steps: readonly Step[],
    all: EventStream,
    stream: EventStream,
  ): Promise<void> {
    const world = openWorld()
    const copy = await openCopy(stream)
    for (const step of [...FIRST, ...steps]) {
      await world.take(step)
      await copy.follow()
    }
    await until(() => all.events.length >= world.writes.length, SOON_MS)
    const shown = world.shown()
    const isEqual = async (): Promise<boolean> => {
      await copy.follow()
      return copy.ids() === shown
    }
    await until(isEqual, SOON_MS).catch(() => undefined) // the difference says more than a timeout
    expect(copy.ids()).to.equal(shown)
    await world.clear()
    // Then the streams of the next run begin behind these writes.
    await until(() => all.events.length >= world.writes.length, SOON_MS)
    // A stream may skip a write that is shown between two changes of a team only.
    const isSteady = steps.every(({ kind }) => kind !== 'join' && kind !== 'leave')
    if (isSteady) await until(() => isComplete(stream, all, world.writes), SOON_MS)
    expectVisible(stream, all, world)
  }

  /** The notes and the teams of ann. */
  function openWorld() {
    const notes: Note[] = []
    const writes: Written[] = []
    const joined = new Set<number>()
    const everJoined = new Set<number>()
    const isShown = ({ owner, team }: Place): boolean =>
      owner === 'ann' || (team !== null && joined.has(team))
    const dataOf = ({ owner, team }: Place) => ({
      title: `title ${writes.length}`,
      owner: { nobody: null, ann: ann.documentId, bob: bob.documentId }[owner],
      team: team === null ? null : teams[team],
    })
    const written = (documentId: string, before: Place | null, after: Place | null): void => {
      const [wasShown, isNow] = [before, after].map((place) => place !== null && isShown(place))
      const places = [before, after].filter((place) => place !== null)
      writes.push({ documentId, places, wasShown: wasShown === true, isShown: isNow === true })
    }
    const create = async (place: Place): Promise<void> => {
      const { documentId } = (await ok(server.post('/api/notes', dataOf(place)))).data
      notes.push({ documentId, owner: place.owner, team: place.team })
      written(documentId, null, place)
    }
    const change = async (before: Note, place: Place | null): Promise<void> => {
      const { documentId } = before
      const path = `/api/notes/${documentId}`
      await ok(place ? server.put(path, dataOf(place)) : server.send('DELETE', path))
      const after = place ? [{ documentId, owner: place.owner, team: place.team }] : []
      notes.splice(notes.indexOf(before), 1, ...after)
      written(documentId, before, place)
    }
    const setMembers = async (team: number, isIn: boolean): Promise<void> => {
      const members = isIn ? [ann.documentId] : []
      await ok(server.put(`/api/teams/${teams[team]}`, { members }))
      if (isIn) joined.add(team)
      else joined.delete(team)
      if (isIn) everJoined.add(team)
    }
    return {
      writes,
      everJoined,
      take: async (step: Step): Promise<void> => {
        if (step.kind === 'create') return create(step)
        if ('note' in step) {
          const note = notes[step.note % Math.max(notes.length, 1)]
          if (!note) return
          const places = { move: step, retitle: note, remove: null }
          return change(note, places[step.kind] as Place | null)
        }
        return setMembers(step.team, step.kind === 'join')
      },
      shown: () => listed(notes.filter(isShown).map(({ documentId }) => documentId)),
      clear: async () => {
        while (notes[0]) await change(notes[0], null)
      },
    }
  }

  /** A copy that sends requests only after events. */
  async function openCopy(stream: EventStream) {
    const ids = new Set<string>()
    let token = ''
    let seen = stream.events.length
    const sync = async (query: string): Promise<void> => {
      const page = await ok(server.get(`/api/_sync?${query}`, { token: ann.token }))
      for (const { op, documentId } of page.items as Json[]) {
        if (op === 'reset') ids.clear()
        else if (op === 'delete') ids.delete(documentId)
        else ids.add(documentId)
      }
      token = page.next
      if (page.more) await sync(`token=${token}`)
    }
    await sync('types=note')
    return {
      ids: () => listed([...ids]),
      follow: async (): Promise<void> => {
        if (stream.events.length === seen) return
        seen = stream.events.length
        await sync(`token=${token}`)
      },
    }
  }
})

function listed(ids: readonly string[]): string {
  return ids.toSorted().join(' ')
}

/** The stream of a caller without rules has one event per write, in their order. */
function expectVisible(
  stream: EventStream,
  all: EventStream,
  {
    writes,
    everJoined,
  }: { readonly writes: readonly Written[]; readonly everJoined: ReadonlySet<number> },
): void {
  // The stream may know a team that was left until a second ago.
  const mayShow = ({ owner, team }: Place): boolean =>
    owner === 'ann' || (team !== null && everJoined.has(team))
  const told = all.events.map(({ data }) => data.documentId)
  expect(told).to.deep.equal(writes.map(({ documentId }) => documentId))
  const byRevision = new Map(all.events.map(({ data }, place) => [data.revision, writes[place]]))
  for (const { event, data } of stream.events) {
    if (event === 'reset') continue
    const { documentId, op, revision } = data
    const place = byRevision.get(revision)?.places.at(-1)
    const isKnown =
      op === 'put'
        ? place !== undefined && mayShow(place)
        : writes.some((one) => one.documentId === documentId && one.places.some(mayShow))
    expect(isKnown, `${op} ${documentId} is hidden`).to.equal(true)
  }
}

/** The stream has every write that its caller may see, before or after it, or a reset that stands for them. */
function isComplete(stream: EventStream, all: EventStream, writes: readonly Written[]): boolean {
  if (stream.events.some(({ event }) => event === 'reset')) return true
  const told = new Set(stream.events.map(({ data }) => data.revision ?? data.documentId))
  return writes.every(({ documentId, wasShown, isShown }, place) => {
    if (isShown) return told.has(all.events[place]?.data.revision)
    return !wasShown || told.has(documentId)
  })
}
