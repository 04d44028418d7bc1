import { expect } from 'chai'
import * as fc from 'fast-check'
import { convertMembers } from '../../../src/mongo/versions/convert-row.ts'
import { findPending, withoutPending } from '../../../src/mongo/conversions/pending-conversions.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Definitions } from '../../../src/schema/definition.ts'
import { enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { enterValues, formerValuesIn } from '../../../src/schema/ledger/enter-values.ts'
import { EMPTY_LEDGER, type Ledger } from '../../../src/schema/ledger/ledger.ts'

const THING = 'api::thing.thing'

function definitionsOf(
  values: readonly string[],
  from: Readonly<Record<string, string>> = {},
  displayName = '',
): Definitions {
  const renamed = Object.keys(from).length > 0 && { from }
  const thing = {
    uid: THING,
    file: 'thing.json',
    kind: 'collectionType' as const,
    collectionName: 'things',
    singularName: 'thing',
    pluralName: 'things',
    displayName,
    draftAndPublish: false,
    localized: false,
    attributes: { state: { type: 'enumeration' as const, enum: values, ...renamed } },
  }
  return { contentTypes: [thing], components: [] }
}

/** The state of a database: the ledger, and a row for each stored value. */
interface Stored {
  readonly ledger: Ledger
  readonly rows: readonly { readonly state: string }[]
}

/** Starts a release like a server does. Returns null if the start is refused. */
function start({ ledger, rows }: Stored, definitions: Definitions): Stored | null {
  const entered = enterDefinitions(ledger, definitions, () => false, new Date(0))
  if (entered.faults.length > 0) return null
  const schema = compileSchema(entered.definitions, entered.storedNames)
  const plan = schema.contentTypes.get(THING)
  if (plan === undefined) throw new Error('the type is missing')
  const pending = findPending(entered.ledger, schema)
  const tallies = new Map()
  const converted = rows.map((row) => {
    const once = { ...row, ...convertMembers(plan, row, pending, tallies) }
    // A kill can repeat a batch.
    expect({ ...once, ...convertMembers(plan, once, pending, new Map()) }).to.deep.equal(once)
    return once
  })
  if ([...tallies.values()].some(({ lost }) => lost > 0)) return null
  const done = pending.size === 0 ? entered.ledger : withoutPending(entered.ledger, schema, pending)
  return { ledger: done, rows: converted }
}

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const

const step = fc.record({
  kind: fc.constantFrom('add', 'rename', 'remove', 'write', 'return'),
  at: fc.nat(6),
  to: fc.nat(NAMES.length - 1),
})

/** In the model, a value keeps its identity under all its names. */
interface ModelRelease {
  readonly identities: ReadonlyMap<string, number>
  readonly definitions: Definitions
}

interface Step {
  readonly kind: string
  readonly at: number
  readonly to: number
}

/** Returns null if the step does not apply. */
function nextRelease(
  last: ModelRelease | undefined,
  { kind, at, to }: Step,
  place: number,
): ModelRelease | null {
  const before = last?.identities ?? new Map<string, number>()
  const names = [...before.keys()]
  const name = NAMES[to] ?? 'a'
  const older = names[at % Math.max(names.length, 1)] ?? ''
  if (kind === 'remove') return names.length > 1 ? releaseOf(without(before, older), place) : null
  if (before.has(name)) return null
  if (kind === 'add') return releaseOf([...before, [name, place]], place)
  const identity = before.get(older)
  if (identity === undefined) return null
  return releaseOf([...without(before, older), [name, identity]], place, { [older]: name })
}

type Identities = readonly (readonly [name: string, identity: number])[]

function without(before: ReadonlyMap<string, number>, older: string): Identities {
  return [...before].filter(([name]) => name !== older)
}

function releaseOf(
  identities: Identities,
  place: number,
  from: Readonly<Record<string, string>> = {},
): ModelRelease {
  const values = identities.map(([name]) => name)
  return {
    identities: new Map(identities),
    definitions: definitionsOf(values, from, String(place)),
  }
}

/** Starts releases on one database, and compares it with the model. */
class Run {
  readonly #steps: string
  readonly #releases: ModelRelease[] = []
  /** Of the written values. */
  readonly #identities: number[] = []
  #current: ModelRelease | undefined
  #stored: Stored = { ledger: EMPTY_LEDGER, rows: [] }

  constructor(steps: readonly Step[]) {
    this.#steps = JSON.stringify(steps)
  }

  take(step: Step, place: number): void {
    if (step.kind === 'write') {
      this.#write(step)
      return
    }
    const isReturn = step.kind === 'return'
    const next = isReturn ? this.#releases[step.at] : nextRelease(this.#current, step, place)
    if (next) this.#start(next)
  }

  #write({ at }: Step): void {
    const written = [...(this.#current?.identities ?? [])][at]
    if (written === undefined) return
    const [state, identity] = written
    this.#stored = { ...this.#stored, rows: [...this.#stored.rows, { state }] }
    this.#identities.push(identity)
  }

  #start(next: ModelRelease): void {
    const after = start(this.#stored, next.definitions)
    const declared = new Set(next.identities.values())
    const isKept = this.#identities.every((own) => declared.has(own))
    if (after === null) {
      expect(isKept && !this.#isReused(next), this.#steps).to.equal(false)
      return
    }
    expect(isKept, this.#steps).to.equal(true)
    if (!this.#releases.includes(next)) this.#releases.push(next)
    this.#current = next
    this.#stored = after
    const shown = after.rows.map(({ state }) => next.identities.get(state))
    expect(shown, this.#steps).to.deep.equal(this.#identities)
  }

  /** A name stays with its value for good, so a start with another use of it may be refused. */
  #isReused(next: ModelRelease): boolean {
    return this.#releases.some((other) =>
      [...other.identities].some(([name, own]) => {
        const now = next.identities.get(name)
        return now !== undefined && now !== own
      }),
    )
  }
}

describe('enterValues', () => {
  it('follows a value over several names', () => {
    const first = enterValues([], ['a', 'b'], [])
    const second = enterValues(first.values, ['c', 'b'], [['a', 'c']])
    const third = enterValues(
      second.values,
      ['d', 'b'],
      [
        ['a', 'd'],
        ['c', 'd'],
      ],
    )
    expect(third).to.deep.equal({ values: [['a', 'c', 'd'], ['b']], problems: [] })
    expect(formerValuesIn(third.values, ['d', 'b'])).to.deep.equal([
      ['a', 'd'],
      ['c', 'd'],
    ])
    expect(formerValuesIn(third.values, ['a', 'b'])).to.deep.equal([
      ['c', 'a'],
      ['d', 'a'],
    ])
  })

  it('ignores an older value that this environment never had', () => {
    const { values, problems } = enterValues([['a']], ['a', 'b'], [['x', 'b']])
    expect({ values, problems }).to.deep.equal({ values: [['a'], ['b']], problems: [] })
  })

  it('refuses to join two values, to swap them, and to reuse a name', () => {
    const before = [['a'], ['b']]
    expect(enterValues(before, ['b'], [['a', 'b']]).problems).to.deep.equal([
      'b is or was another value, so a cannot get its name; choose a new name',
    ])
    const swap = [
      ['a', 'b'],
      ['b', 'a'],
    ] as const
    expect(enterValues(before, ['a', 'b'], swap).problems).to.have.lengthOf(2)
    const renamed = enterValues(before, ['c', 'b'], [['a', 'c']]).values
    expect(enterValues(renamed, ['c', 'b', 'a'], []).problems).to.deep.equal([
      'a and c are names of the same value; choose a new name',
    ])
  })

  it('asks for a start without older values if the ledger knows none', () => {
    const { ledger } = enterDefinitions(
      EMPTY_LEDGER,
      definitionsOf(['a']),
      () => false,
      new Date(0),
    )
    const holder = ledger.holders[THING]
    const columns = (holder?.columns ?? []).map(
      ({ members: _members, values: _values, ...rest }) => rest,
    )
    const older = { ...ledger, holders: { [THING]: { version: 1, columns } } }
    const after = enterDefinitions(
      older,
      definitionsOf(['b'], { a: 'b' }),
      () => false,
      new Date(0),
    )
    expect(after.faults.join()).to.match(/state\.from: the ledger does not know the values yet/)
  })

  it('keeps each stored value under its name of each release, in any order of releases', () => {
    const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const run = new Run(steps)
      for (const [place, one] of steps.entries()) run.take(one, place)
    })
    fc.assert(property, { numRuns: 1_000 })
  })
})
