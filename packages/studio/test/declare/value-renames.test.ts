import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Json } from '../../src/api/declarations.ts'
import { changesOf } from '../../src/screens/declare/changes.ts'
import { draftOf, type DraftAttribute, readAt } from '../../src/screens/declare/draft.ts'
import { renamesOf } from '../../src/screens/declare/value-renames.ts'

const UID = 'api::page.page'

function edited(attribute: Json, values: readonly string[], chosen = {}): Json {
  const file = {
    uid: UID,
    kind: 'contentType' as const,
    content: { attributes: { level: { type: 'enumeration', ...attribute } } },
  }
  const draft = draftOf(file)
  const attributes = draft.attributes.map((one) => {
    return { ...one, options: { ...one.options, enum: values }, chosenNames: chosen }
  })
  const changes = changesOf({ ...draft, attributes }, [file])
  return readAt(changes[UID] ?? {}, 'attributes', 'level') as Json
}

describe('renamed values of an enumeration', () => {
  it('get the new value in their line, with the default and the labels', () => {
    const studio = { label: 'Level', values: { easy: 'Simple', hard: { de: 'Schwer' } } }
    const before = { enum: ['easy', 'hard'], default: 'easy', studio }
    expect(edited(before, ['simple', 'hard'])).to.deep.equal({
      type: 'enumeration',
      enum: ['simple', 'hard'],
      default: 'simple',
      studio: { label: 'Level', values: { simple: 'Simple', hard: { de: 'Schwer' } } },
      from: { easy: 'simple' },
    })
  })

  it('keep older names, also of the attribute', () => {
    const from = ['grade', { light: 'easy', tough: 'hard' }]
    expect(edited({ enum: ['easy', 'hard'], from }, ['simple', 'hard'])['from']).to.deep.equal([
      'grade',
      { light: 'simple', tough: 'hard', easy: 'simple' },
    ])
    const back = { enum: ['simple'], from: { easy: 'simple' } }
    expect(edited(back, ['easy'])['from']).to.deep.equal({ simple: 'easy' })
  })

  it('follow the choice of the user', () => {
    const before = { enum: ['a', 'b'] }
    expect(edited(before, ['c', 'd'], { a: 'd' })['from']).to.deep.equal({ a: 'd', b: 'c' })
    expect(edited(before, ['c', 'b'], { a: null })).not.to.have.property('from')
    expect(edited(before, ['c', 'b'], { a: 'gone' })['from']).to.deep.equal({ a: 'c' })
  })

  it('leave removed and added values alone', () => {
    expect(edited({ enum: ['a', 'b'] }, ['b'])).not.to.have.property('from')
    expect(edited({ enum: ['a', 'b'] }, ['b', 'a', 'c'])).not.to.have.property('from')
    expect(edited({ enum: ['a', 'b'] }, ['b', 'c'])).not.to.have.property('from')
    expect(edited({ enum: ['a', 'b', 'c'] }, ['b', 'c', 'd'])).not.to.have.property('from')
    expect(edited({ enum: ['a', 'b', 'c'] }, ['c', 'd'])).not.to.have.property('from')
    expect(edited({ enum: ['a', 'b', 'c'] }, ['x', 'c'])).not.to.have.property('from')
  })

  it('get the new value in their line, also next to other changes', () => {
    const from = (now: readonly string[]) => edited({ enum: ['a', 'b', 'c', 'd'] }, now)['from']
    expect(from(['b', 'x', 'd'])).to.deep.equal({ c: 'x' })
    expect(from(['new', 'a', 'b', 'c', 'x', 'y'])).to.deep.equal({ d: 'x' })
    expect(from(['x', 'y', 'c', 'd'])).to.deep.equal({ a: 'x', b: 'y' })
  })

  it('lose their older names when they are removed', () => {
    const before = { enum: ['open', 'released'], from: { published: 'released' } }
    expect(edited(before, ['open'])).not.to.have.property('from')
    const attribute = { ...before, from: ['status', before.from] }
    expect(edited(attribute, ['open'])['from']).to.equal('status')
    const several = { ...before, from: { published: 'released', fresh: 'open' } }
    expect(edited(several, ['open'])['from']).to.deep.equal({ fresh: 'open' })
    expect(edited(before, ['open', 'published', 'released'])).not.to.have.property('from')
    const untouched = { enum: ['a', 'b'], from: [{ x: 'a' }, 'status', { y: 'b' }] }
    expect(edited(untouched, ['b', 'a'])['from']).to.deep.equal(untouched.from)
  })

  it('can have the names of members of objects', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(edited({ enum: ['a', name] }, ['a'])).not.to.have.property('from')
      const renamed = edited({ enum: ['a', name] }, ['a', 'b'])['from'] as object
      expect(Object.entries(renamed)).to.deep.equal([[name, 'b']])
      expect(edited({ enum: ['a', 'b'] }, ['a', name])['from']).to.deep.equal({ b: name })
    }
  })

  it('map each value that is gone to one new value or none', () => {
    const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
    const names = fc.uniqueArray(letter, { maxLength: 6 })
    const chosen = fc.dictionary(letter, fc.option(letter))
    let renamed = 0
    const lines = fc.array(letter, { maxLength: 6 })
    fc.assert(
      fc.property(names, lines, chosen, (values, now, chosenNames) => {
        const options = { type: 'enumeration', enum: [...now, ' '] }
        const attribute: DraftAttribute = {
          key: 'level',
          name: 'level',
          was: 'level',
          otherSide: null,
          options,
          values,
          chosenNames,
        }
        const renames = Object.entries(renamesOf(attribute))
        const gone = values.filter((value) => !now.includes(value))
        expect(renames.map(([older]) => older)).to.deep.equal(gone)
        const targets = renames.flatMap(([, newer]) => newer ?? [])
        expect(new Set(targets).size).to.equal(targets.length)
        for (const target of targets) {
          expect(now).to.include(target)
          expect(values).not.to.include(target)
        }
        renamed += targets.length
      }),
    )
    expect(renamed).to.be.above(10)
  })
})
