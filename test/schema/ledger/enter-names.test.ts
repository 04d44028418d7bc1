import { expect } from 'chai'
import * as fc from 'fast-check'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Definitions } from '../../../src/schema/definition.ts'
import { enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { enterNames } from '../../../src/schema/ledger/enter-names.ts'
import { EMPTY_LEDGER, type HolderLedger, type Ledger } from '../../../src/schema/ledger/ledger.ts'
import { definitionsWith, LEDGER_RUNS, Model, step } from './release-model.ts'

const NOT_STORED = (): boolean => false

type Declared = Readonly<Record<string, string | readonly string[]>>

/** Declares attributes by name, with their older names. */
function enter(
  before: HolderLedger | undefined,
  declared: Declared,
  isStored: (name: string) => boolean = NOT_STORED,
) {
  const names = Object.entries(declared).map(([name, from]) => ({
    name,
    type: 'string',
    from: [from].flat(),
  }))
  const { ledger, columns, faults } = enterNames(before, names, isStored)
  const stored = Object.fromEntries([...columns].map(([name, column]) => [name, column.stored]))
  return { ledger, stored, faults }
}

/** The stored names after the last of several releases. */
function storedAfter(...releases: readonly Declared[]): Readonly<Record<string, string>> {
  let ledger: HolderLedger | undefined
  let stored: Readonly<Record<string, string>> = {}
  for (const declared of releases) ({ ledger, stored } = enter(ledger, declared))
  return stored
}

describe('enterNames', () => {
  it('stores a new attribute under its own name', () => {
    expect(storedAfter({ title: [] })).to.deep.equal({ title: 'title' })
  })

  it('stores a renamed attribute under its first name', () => {
    expect(storedAfter({ name: [] }, { title: 'name' })).to.deep.equal({ title: 'name' })
  })

  it('remembers a rename without its instruction', () => {
    const stored = storedAfter({ name: [] }, { title: 'name' }, { title: [] })
    expect(stored).to.deep.equal({ title: 'name' })
  })

  it('follows several renames, also when releases were skipped', () => {
    const all = storedAfter({ name: [] }, { title: 'name' }, { headline: ['title', 'name'] })
    expect(all).to.deep.equal({ headline: 'name' })
    expect(storedAfter({ name: [] }, { headline: ['title', 'name'] })).to.deep.equal(all)
  })

  it('gives a new attribute another stored name if its own is taken', () => {
    const stored = storedAfter({ name: [] }, { title: 'name' }, { title: 'name', name: [] })
    expect(stored).to.deep.equal({ title: 'name', name: 'name~2' })
  })

  it('renames an attribute and reuses its name in one release', () => {
    const stored = storedAfter({ name: [] }, { name: [], title: 'name' })
    expect(stored).to.deep.equal({ title: 'name', name: 'name~2' })
  })

  it('swaps two attributes', () => {
    const stored = storedAfter({ one: [], two: [] }, { one: 'two', two: 'one' })
    expect(stored).to.deep.equal({ one: 'two', two: 'one' })
  })

  it('keeps the values of a removed attribute for its return', () => {
    expect(storedAfter({ a: [], b: [] }, { a: [] }, { a: [], b: [] })).to.include({ b: 'b' })
  })

  it('renames to the name of an attribute that was removed before', () => {
    const stored = storedAfter({ name: [], title: [] }, { name: [] }, { title: 'name' })
    expect(stored).to.deep.equal({ title: 'name' })
  })

  it('refuses to rename to an attribute that has values of its own', () => {
    const { ledger } = enter(undefined, { name: [], title: [] })
    const { faults } = enter(ledger, { title: 'name' })
    expect(faults).to.have.lengthOf(1)
    expect(faults[0]?.problem).to.match(/title has values of its own/)
  })

  it('gives an old release its stored names after a rename', () => {
    expect(storedAfter({ name: [] }, { title: 'name' }, { name: [] })).to.deep.equal({
      name: 'name',
    })
  })

  it('keeps the values of an attribute that got its older name again without an instruction', () => {
    const releases = [{ title: [] }, { name: 'title' }, { title: [] }, { title: [], name: [] }]
    expect(storedAfter(...releases)).to.deep.equal({ title: 'title', name: 'name' })
  })

  it('continues from an older release that was started again', () => {
    const declare = (...names: readonly (readonly [string, string?])[]): Definitions => {
      const attributes = Object.fromEntries(
        names.map(([name, from]) => [
          name,
          { type: 'string' as const, ...(from !== undefined && { from }) },
        ]),
      )
      return definitionsWith(attributes, 'Thing')
    }
    const [older, newer] = [declare(['title']), declare(['heading', 'title'], ['title'])]
    let ledger: Ledger = EMPTY_LEDGER
    const start = (definitions: Definitions) => {
      const entered = enterDefinitions(ledger, definitions, NOT_STORED, new Date(0))
      if (entered.faults.length === 0) ledger = entered.ledger
      const names = entered.storedNames.get('api::thing.thing')
      return { faults: entered.faults, title: names?.get('title')?.stored ?? 'title' }
    }
    start(older)
    expect(start(newer).title).to.equal('title~2')
    expect(start(older).title).to.equal('title')
    expect(start(declare(['title'], ['more'])).title).to.equal('title')
    expect(start(newer).title).to.equal('title~2')
    expect(start(declare(['heading'], ['title'], ['more'])).title).to.equal('title~2')
    start(older)
    expect(start(declare(['title'], ['heading'])).faults.join()).to.match(/"from": "title"/)
    expect(start(declare(['title', 'title'], ['heading'])).title).to.equal('title')
  })

  it('uses an older name that has values from before the ledger', () => {
    const { stored } = enter(undefined, { title: ['label', 'name'] }, (name) => name === 'name')
    expect(stored).to.deep.equal({ title: 'name' })
    expect(enter(undefined, { title: ['label', 'name'] }).stored).to.deep.equal({ title: 'title' })
  })

  it('changes its version only if a name changes', () => {
    const { ledger: first } = enter(undefined, { name: [] })
    const { ledger: same } = enter(first, { name: [] })
    const { ledger: renamed } = enter(same, { title: 'name' })
    expect([first.version, same.version, renamed.version]).to.deep.equal([1, 1, 2])
  })
})

describe('enterDefinitions', () => {
  it('gives each release the values of its attributes, in any order of releases', () => {
    const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const model = new Model()
      let ledger: Ledger = EMPTY_LEDGER
      const storedOf = new Map<number, string>()
      for (const one of steps) {
        const release = model.take(one, (value) => storedOf.get(value))
        if (release === null) continue
        const entered = enterDefinitions(ledger, release.definitions, NOT_STORED, new Date(0))
        if (entered.faults.length > 0) {
          expect(model.mayRefuse(release), entered.faults.join()).to.equal(true)
          model.refuse()
          continue
        }
        ledger = entered.ledger
        const { contentTypes } = compileSchema(release.definitions, entered.storedNames)
        const plan = contentTypes.get('api::thing.thing')
        const stored = new Set<string>()
        for (const [name, value] of release.values) {
          const storedName = plan?.attributes.get(name)?.storedName ?? ''
          expect(storedOf.get(value) ?? storedName, `${name} in ${JSON.stringify(steps)}`).to.equal(
            storedName,
          )
          storedOf.set(value, storedName)
          stored.add(storedName)
        }
        expect(stored.size).to.equal(release.values.size)
      }
      expect(new Set(storedOf.values()).size).to.equal(storedOf.size)
    })
    fc.assert(property, { numRuns: LEDGER_RUNS })
  })

  it('renames to the name of an attribute that a roll-back has removed', () => {
    const text = { type: 'string' as const }
    const releases = [{ name: text }, { name: text, title: text }, { name: text }]
    let ledger: Ledger = EMPTY_LEDGER
    const start = (attributes: Definitions['contentTypes'][number]['attributes']) => {
      const declared = definitionsWith(attributes, 'Thing')
      const entered = enterDefinitions(ledger, declared, NOT_STORED, new Date(0))
      ledger = entered.ledger
      return entered
    }
    for (const attributes of releases) start(attributes)
    const { faults, storedNames } = start({ title: { ...text, from: 'name' } })
    expect(faults).to.deep.equal([])
    expect(storedNames.get('api::thing.thing')?.get('title')?.stored).to.equal('name')
  })

  it('writes nothing for a known release', () => {
    const model = new Model()
    const release = model.take({ kind: 'add', at: 0, keepsFrom: false })
    if (release === null) throw new Error('no release')
    const { definitions } = release
    const first = enterDefinitions(EMPTY_LEDGER, definitions, NOT_STORED, new Date(0))
    const second = enterDefinitions(first.ledger, definitions, NOT_STORED, new Date(1))
    expect(second.ledger).to.equal(first.ledger)
  })
})
