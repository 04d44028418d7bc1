import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { isHardSuite, modelRuns } from '../../support/model-runs.ts'
import type { Json } from '../../support/server.ts'
import { testUri } from '../../support/test-database.ts'
import {
  Content,
  type ModelRelease,
  shownEntry,
  showValue,
  showValues,
  type Values,
} from './evolving-content.ts'
import {
  formOf,
  HolderModel,
  holderStep,
  KINDS,
  type ModelAttribute,
  type ModelHolder,
  NO_ATTRIBUTES,
} from './evolving-holder.ts'
import { EvolvingServers, type RunningRelease, sendOk } from './evolving-servers.ts'

const RUNS = modelRuns('EVOLUTION_RUNS', 1, 30)
const STEPS = 20

const THING_KINDS = KINDS
const PART_KINDS = KINDS.filter((kind) => kind !== 'part')

const step = fc.record({
  change: fc.oneof(
    { weight: 4, arbitrary: fc.record({ thing: holderStep(THING_KINDS) }) },
    { weight: 2, arbitrary: fc.record({ part: holderStep(PART_KINDS) }) },
    {
      weight: 2,
      arbitrary: fc.record({ thing: holderStep(THING_KINDS), part: holderStep(PART_KINDS) }),
    },
    { weight: 2, arbitrary: fc.record({ returns: fc.nat(STEPS) }) },
  ),
  /** Values move to the names of their attributes before. */
  compacts: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
  /** The writes before each kill. */
  kills: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
  /** The older release starts again after the kills. */
  givesUp: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
  writes: fc.array(fc.record({ kind: fc.nat(5), at: fc.nat(30), by: fc.nat(1) }), {
    minLength: 2,
    maxLength: 3,
  }),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const history = fc.record({
  thing: fc.array(holderStep(THING_KINDS), { minLength: 2, maxLength: 4 }),
  part: fc.array(holderStep(PART_KINDS), { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { minLength: STEPS, maxLength: STEPS }),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never

interface Entry {
  readonly documentId: string
  readonly label: string
  published: Values
  draft: Values
  isDeleted: boolean
  isPublished: boolean
}

const counted = {
  starts: 0,
  together: 0,
  returns: 0,
  kills: 0,
  compactions: 0,
  refused: 0,
  halfway: 0,
}

/** Releases, processes and content, compared with an interpretation in memory. */
class Evolution {
  readonly #servers: EvolvingServers
  readonly #content = new Content()
  readonly #thing = new HolderModel(0)
  readonly #part = new HolderModel(10_000)
  readonly #entries: Entry[] = []
  readonly #releases: ModelRelease[] = []
  /** The form of the stored values, by slot. */
  readonly #forms = new Map<number, string>()
  #made = 0
  #isReturned = false
  #current: ModelRelease = { thing: NO_ATTRIBUTES, part: NO_ATTRIBUTES, number: 0 }

  constructor(servers: EvolvingServers) {
    this.#servers = servers
  }

  async run({ thing, part, steps }: History): Promise<void> {
    for (const one of thing) this.#current = this.#next({ thing: { ...one, verb: 'add' } })
    for (const one of part) this.#current = this.#next({ part: { ...one, verb: 'add' } })
    await this.#start(this.#current)
    for (const one of steps) await this.#take(one)
    await this.#restoreAll()
    for (const running of this.#servers.running) await this.#compare(running)
  }

  async #take({ change, compacts, kills, givesUp, writes }: Step): Promise<void> {
    if (compacts) await this.#compact(kills)
    const before = this.#current
    const next = this.#next(change)
    const isEntered = await this.#enter(next, compacts ? [] : kills)
    if (isEntered && givesUp && kills.length > 0) await this.#enter(before, [])
    else if (isEntered) await this.#start(next)
    if (this.#servers.running.length === 0) await this.#start(this.#current)
    for (const write of writes) await this.#write(write)
    for (const running of this.#servers.running) await this.#compare(running)
  }

  #next(change: Step['change']): ModelRelease {
    if ('returns' in change) {
      return this.#releases[change.returns % this.#releases.length] ?? this.#current
    }
    const { thing, part } = this.#current
    const number = (this.#made += 1)
    return {
      thing: 'thing' in change ? this.#thing.change(thing, change.thing) : thing,
      part: 'part' in change ? this.#part.change(part, change.part) : part,
      number,
    }
  }

  /** The kills of its start. Returns false if the release is refused. */
  async #enter(release: ModelRelease, kills: readonly number[]): Promise<boolean> {
    if (this.#converts(release)) await this.#servers.stop()
    for (const at of kills) {
      if (await this.#refuses(release, () => this.#kill(release, at))) return false
      this.#note(release)
    }
    if (kills.length > 0) return true
    if (await this.#refuses(release, () => this.#servers.start(release))) return false
    this.#note(release)
    counted.starts += 1
    return true
  }

  async #kill(release: ModelRelease, at: number): Promise<void> {
    if (await this.#servers.killStart(release, at)) counted.kills += 1
    if (await this.#servers.isConverting()) counted.halfway += 1
  }

  async #refuses(release: ModelRelease, start: () => Promise<void>): Promise<boolean> {
    try {
      await start()
      return false
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const { thing, part } = release
      const may = this.#thing.mayRefuse(thing) || this.#part.mayRefuse(part)
      expect(this.#isReturned && may, error.message).to.equal(true)
      counted.refused += 1
      return true
    }
  }

  /** The ledger has the names and types of the release now. */
  #note(release: ModelRelease): void {
    const isKnown = this.#releases.includes(release)
    if (!isKnown) {
      this.#releases.push(release)
      this.#thing.enter(release.thing)
      this.#part.enter(release.part)
    }
    if (isKnown && release !== this.#current) {
      this.#isReturned = true
      counted.returns += 1
    } else if (!isKnown) this.#isReturned = false
    for (const one of attributesOf(release)) this.#forms.set(one.slot, formOf(one))
    this.#current = release
  }

  #converts(release: ModelRelease): boolean {
    return attributesOf(release).some((one) => {
      const form = this.#forms.get(one.slot)
      return form !== undefined && form !== formOf(one)
    })
  }

  async #start(release: ModelRelease): Promise<void> {
    if (this.#servers.running.at(-1)?.release === release) return
    expect(await this.#enter(release, [])).to.equal(true)
    if (this.#servers.running.length > 1) counted.together += 1
  }

  async #compact(kills: readonly number[]): Promise<void> {
    await this.#start(this.#current)
    await this.#servers.stop()
    for (const at of kills) {
      if (await this.#servers.killCompaction(this.#current, at)) counted.kills += 1
    }
    if (kills.length < 2) await this.#servers.compact(this.#current)
    counted.compactions += 1
  }

  async #write({ kind, at, by }: Step['writes'][number]): Promise<void> {
    const { running } = this.#servers
    const writer = running[by % running.length] ?? expect.fail('no process is running')
    const living = this.#entries.filter(({ isDeleted }) => !isDeleted)
    const entry = living[at % Math.max(living.length, 1)]
    if (entry === undefined || kind <= 1) return this.#create(writer)
    const path = `/api/things/${entry.documentId}`
    if (kind === 2 && living.length > 2) {
      entry.isDeleted = true
      await sendOk(writer, 'DELETE', path)
      return
    }
    if (kind === 3) {
      // Without a difference in its own attributes, a process does not write.
      if (differs(writer.release.thing, entry)) entry.published = entry.draft
      entry.isPublished = true
      await sendOk(writer, 'POST', `${path}/actions/publish`)
      return
    }
    const { data, values } = this.#make(writer.release, at)
    entry.draft = new Map([...entry.draft, ...values])
    await sendOk(writer, 'PUT', `${path}?status=draft`, data)
  }

  async #create(writer: RunningRelease): Promise<void> {
    const { data, values } = this.#make(writer.release, 0)
    const label = `l${String(this.#entries.length).padStart(4, '0')}`
    const body = await sendOk(writer, 'POST', '/api/things?status=published', { label, ...data })
    const { documentId } = body.data
    this.#entries.push({
      documentId,
      label,
      published: values,
      draft: values,
      isDeleted: false,
      isPublished: true,
    })
  }

  /** New values of about half of the attributes, or of all. */
  #make({ thing, part }: ModelRelease, some: number) {
    const chosen = [...thing.attributes].filter(
      (_, place) => some === 0 || (place + some) % 2 === 0,
    )
    const made = chosen.map(([name, one]) => [name, one, this.#content.make(one, part)] as const)
    return {
      data: Object.fromEntries(
        made.map(([name, one, value]) => [name, showValue(one, value, part)]),
      ),
      values: new Map(made.map(([, { slot }, value]) => [slot, value])),
    }
  }

  async #restoreAll(): Promise<void> {
    const writer = this.#servers.running.at(-1) ?? expect.fail('no process is running')
    for (const entry of this.#entries.filter(({ isDeleted }) => isDeleted)) {
      await sendOk(writer, 'POST', `/admin/trash/api::thing.thing/${entry.documentId}/restore`, {})
      entry.isDeleted = false
      entry.isPublished = false
    }
  }

  async #compare(running: RunningRelease): Promise<void> {
    const { thing, part, number } = running.release
    for (const status of ['published', 'draft'] as const) {
      const living = this.#entries.filter(
        ({ isDeleted, isPublished }) => !isDeleted && (isPublished || status === 'draft'),
      )
      const wanted = living.map((entry) => ({
        label: entry.label,
        ...showValues(thing, entry[status], part),
      }))
      const shown = await this.#read(running, `sort=label&populate=*&status=${status}`)
      expect(shown, `release ${number}, ${status}`).to.deep.equal(wanted)
      for (const [name, one] of scalarsOf(thing)) {
        const value = living.map((entry) => entry[status].get(one.slot)).find(isPresent)
        if (value === undefined) continue
        const eq = encodeURIComponent(String(showValue(one, value, part)))
        const query = `filters[${name}][$eq]=${eq}&sort=label&populate=*&status=${status}`
        const same = wanted.filter((_, at) => living[at]?.[status].get(one.slot) === value)
        expect(await this.#read(running, query), `${name} ${eq}`).to.deep.equal(same)
      }
    }
  }

  async #read(running: RunningRelease, query: string): Promise<readonly Json[]> {
    const { thing, part } = running.release
    const { data } = await sendOk(running, 'GET', `/api/things?pagination[pageSize]=100&${query}`)
    return (data as readonly Json[]).map((entry) => ({
      label: entry.label as unknown,
      ...shownEntry(thing, entry, part),
    }))
  }
}

function attributesOf({ thing, part }: ModelRelease): readonly ModelAttribute[] {
  return [...thing.attributes.values(), ...part.attributes.values()]
}

function scalarsOf({ attributes }: ModelHolder): readonly (readonly [string, ModelAttribute])[] {
  return [...attributes].filter(([, { kind }]) => kind !== 'part')
}

function differs({ attributes }: ModelHolder, { draft, published, isPublished }: Entry): boolean {
  const isOther = ({ slot }: ModelAttribute): boolean =>
    !isDeepStrictEqual(draft.get(slot), published.get(slot))
  return !isPublished || [...attributes.values()].some(isOther)
}

function isPresent(value: unknown): boolean {
  return value !== undefined
}

describe('a model of evolving content-types', function () {
  this.slow(60_000)
  this.timeout(3_600_000)

  it('loses no value and mixes no responses, for any declarations, two releases and kills', async () => {
    const client = await MongoClient.connect(await testUri())
    const property = fc.asyncProperty(history, async (steps) => {
      const name = `quire_test_evolution_${randomBytes(4).toString('hex')}`
      const servers = new EvolvingServers(client, name)
      try {
        await new Evolution(servers).run(steps)
      } finally {
        await servers.end()
      }
    })
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
    await client.close()
    expect(counted.starts).to.be.greaterThan(RUNS * (STEPS / 2))
    const { together, returns, kills, compactions } = counted
    for (const count of [together, returns, kills, compactions]) {
      expect(count, JSON.stringify(counted)).to.be.greaterThan(RUNS / 2)
    }
    if (isHardSuite()) expect(counted.halfway).to.be.greaterThan(RUNS / 2)
  })
})
