import { expect } from 'chai'
import * as fc from 'fast-check'
import { compileSchema } from '../../../src/schema/compile.ts'
import { compactLedger, planMoves } from '../../../src/schema/ledger/compact-names.ts'
import {
  type EnteredDefinitions,
  enterDefinitions,
} from '../../../src/schema/ledger/enter-definitions.ts'
import { EMPTY_LEDGER, type Ledger } from '../../../src/schema/ledger/ledger.ts'
import { LEDGER_RUNS, Model, type ModelRelease, type Step, step } from './release-model.ts'

const UID = 'api::thing.thing'

const enter = (ledger: Ledger, { definitions }: ModelRelease): EnteredDefinitions =>
  enterDefinitions(ledger, definitions, () => false, new Date(0))

/** The stored name by attribute. */
function storedNames({ definitions, storedNames: own }: EnteredDefinitions) {
  const plan = compileSchema(definitions, own).contentTypes.get(UID)
  const attributes = [...(plan?.attributes.values() ?? [])]
  return new Map(attributes.map(({ name, storedName }) => [name, String(storedName)]))
}

/** The ledger, and the stored name of each value of the model. */
interface State {
  readonly ledger: Ledger
  readonly storedOf: ReadonlyMap<number, string>
}

/** Null if the release is refused. */
function startRelease({ ledger, storedOf }: State, release: ModelRelease): State | null {
  const entered = enter(ledger, release)
  if (entered.faults.length > 0) return null
  const names = storedNames(entered)
  const after = new Map(storedOf)
  for (const [name, value] of release.values) {
    const stored = names.get(name) ?? ''
    expect(after.get(value) ?? stored, name).to.equal(stored)
    after.set(value, stored)
  }
  return { ledger: entered.ledger, storedOf: after }
}

/** Null if there is nothing to move. */
function compact({ ledger, storedOf }: State, release: ModelRelease): State | null {
  const names = storedNames(enter(ledger, release))
  const moves = planMoves(ledger, new Map([[UID, names]]))
  const own = moves.get(UID)
  if (own === undefined) return null
  const moved = [...storedOf].map(([value, stored]) => [value, own.get(stored) ?? stored] as const)
  return { ledger: compactLedger(ledger, moves), storedOf: new Map(moved) }
}

function expectCompacted({ ledger, storedOf }: State, release: ModelRelease): void {
  expect(new Set(storedOf.values()).size, 'two values share a name').to.equal(storedOf.size)
  const again = enter(ledger, release)
  expect(again.ledger, 'the same declarations change the ledger').to.equal(ledger)
  const names = storedNames(again)
  for (const [name, stored] of names) expect(stored).to.equal(name)
  const current = ledger.releases.find(({ digest }) => digest === again.digest)
  for (const name of release.values.keys())
    expect(current?.names[UID] ?? {}).to.not.have.property(name)
  expect(planMoves(ledger, new Map([[UID, names]])).size).to.equal(0)
}

function expectRollBacks({ ledger, storedOf }: State, releases: readonly ModelRelease[]): void {
  for (const other of releases) {
    const names = storedNames(enter(ledger, other))
    for (const [name, value] of other.values)
      expect(names.get(name), `${name} after a roll-back`).to.equal(storedOf.get(value))
  }
}

describe('planMoves and compactLedger', () => {
  it('store each value under its name, and each other release finds its values', () => {
    let compactions = 0
    const steps = fc.array(fc.record({ one: step, compacts: fc.boolean() }), {
      minLength: 8,
      maxLength: 20,
    })
    const property = fc.property(steps, (taken) => {
      const model = new Model()
      let state: State = { ledger: EMPTY_LEDGER, storedOf: new Map() }
      for (const { one, compacts } of taken) {
        const { storedOf } = state
        const release = model.take(one, (value) => storedOf.get(value))
        if (release === null) continue
        const started = startRelease(state, release)
        if (started === null) {
          expect(model.mayRefuse(release)).to.equal(true)
          model.refuse()
          continue
        }
        const compacted = compacts ? compact(started, release) : null
        state = compacted ?? started
        if (compacted === null) continue
        compactions += 1
        expectCompacted(state, release)
        expectRollBacks(state, model.releases)
      }
    })
    fc.assert(property, { numRuns: LEDGER_RUNS })
    expect(compactions).to.be.greaterThan(100)
  })

  it('keep an instruction with a stored name, also if another attribute would get that name', () => {
    const model = new Model()
    let state: State = { ledger: EMPTY_LEDGER, storedOf: new Map() }
    const start = (one: object): ModelRelease => {
      const { storedOf } = state
      const release = model.take(
        { byStoredName: false, ...one, keepsFrom: true } as Step,
        (value) => storedOf.get(value),
      )
      const started = release === null ? null : startRelease(state, release)
      if (release === null || started === null) throw new Error(`${JSON.stringify(one)} is refused`)
      state = started
      return release
    }
    const [a, b, c, d] = [0, 1, 2, 3]
    start({ kind: 'add', at: c })
    start({ kind: 'rename', at: c, to: b })
    start({ kind: 'add', at: c })
    const byStoredName = start({ kind: 'rename', at: c, to: a, byStoredName: true })
    expect(byStoredName.from.get('a')).to.equal('c~2')
    state = compact(state, byStoredName) ?? expect.fail('nothing was moved')
    start({ kind: 'rename', at: b, to: d })
    start({ kind: 'add', at: c })
    start({ kind: 'rename', at: c, to: b })
    start({ kind: 'add', at: c })
    const { from } = start({ kind: 'keep' })
    expect(from.get('a')).to.equal('c~2')
  })

  it('give no two attributes one stored name, and remove the mark', () => {
    const column = { type: 'string', since: 0, isLive: true }
    const columns = ['a', 'b'].map((stored) => ({ ...column, stored, names: [stored] }))
    const holders = { [UID]: { version: 1, columns } }
    const ledger: Ledger = { ...EMPTY_LEDGER, holders, compacting: 'one' }
    const moves = (to: string) => new Map([[UID, new Map([['a', to]])]])
    expect(() => compactLedger(ledger, moves('b'))).to.throw(/would get one stored name/)
    expect(compactLedger(ledger, moves('c'))).not.to.have.property('compacting')
  })
})
