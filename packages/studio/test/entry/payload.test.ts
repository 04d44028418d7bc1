import { expect } from 'chai'
import * as fc from 'fast-check'
import { readAnswer } from '../../src/entry/adopt-answer.ts'
import { changedData } from '../../src/entry/payload.ts'
import { relationChange } from '../../src/entry/relation-change.ts'
import { isSameEntry } from '../../src/entry/same-value.ts'
import {
  type ComponentValue,
  copyComponent,
  KeyRing,
  newComponentValue,
  toFormValues,
  type FormValues,
} from '../../src/entry/values.ts'
import { applied, ARTICLE, COMPONENTS, ENTRY, links, reading, withoutKeys } from './samples.ts'

describe('the payload of a form', () => {
  it('is empty without changes', () => {
    fc.assert(
      fc.property(ENTRY, (entry) => {
        const values = toFormValues(ARTICLE, entry, reading())
        expect(changedData(ARTICLE, values, { ...values }, COMPONENTS)).to.deep.equal({})
      }),
    )
  })

  it('turns the stored values into the values of the form', () => {
    fc.assert(
      fc.property(ENTRY, ENTRY, fc.array(fc.nat(), { maxLength: 6 }), (entry, other, moves) => {
        const read = reading()
        const base = toFormValues(ARTICLE, entry, read)
        const mine = edited(base, toFormValues(ARTICLE, other, read), moves)
        const data = changedData(ARTICLE, base, mine, COMPONENTS)
        const answer = applied(entry, data)
        const after = readAnswer(ARTICLE, mine, answer, read)
        expect(withoutKeys(after)).to.deep.equal(withoutKeys(mine))
        expect(isSameEntry(ARTICLE, after, mine, COMPONENTS)).to.equal(true)
        expect(changedData(ARTICLE, after, mine, COMPONENTS)).to.deep.equal({})
      }),
    )
  })

  it('identifies a component by its id, with its changes only', () => {
    const base = toFormValues(
      ARTICLE,
      {
        quotes: [
          { id: 4, text: 'a', source: 's' },
          { id: 5, text: 'b', source: 's' },
        ],
      },
      reading(),
    )
    const [first, second] = base['quotes'] as readonly ComponentValue[]
    const mine = { ...base, quotes: [second, { ...first, text: 'changed' }] }
    expect(changedData(ARTICLE, base, mine, COMPONENTS)).to.deep.equal({
      quotes: [{ id: 5 }, { id: 4, text: 'changed' }],
    })
  })

  it('omits untyped passwords and read-only attributes', () => {
    const base = toFormValues(ARTICLE, { origin: 'import' }, reading())
    const mine = { ...base, origin: 'else', secret: 'a long one' }
    expect(changedData(ARTICLE, base, mine, COMPONENTS)).to.deep.equal({ secret: 'a long one' })
  })

  it('sends null for an emptied default in a new component', () => {
    const read = reading()
    const base = toFormValues(ARTICLE, {}, read)
    const made = newComponentValue({ type: 'dynamiczone', components: [] }, 'shared.quote', read)
    expect(made['source']).to.equal('unknown')
    const mine = { ...base, sections: [{ ...made, source: null }] }
    expect(changedData(ARTICLE, base, mine, COMPONENTS)).to.deep.equal({
      sections: [{ __component: 'shared.quote', source: null }],
    })
  })
})

describe('the change of a relation', () => {
  it('leaves entries with unchanged order in place', () => {
    const change = relationChange(links('a', 'b', 'c', 'd'), links('b', 'c', 'd', 'a'))
    expect(change.connect).to.deep.equal([{ documentId: 'a', position: { after: 'd' } }])
    expect(change.disconnect).to.deep.equal([])
  })

  it('never replaces the whole relation, so that unread entries stay connected', () => {
    const change = relationChange(links('a', 'b'), links('x', 'b'))
    expect(change).to.deep.equal({
      connect: [{ documentId: 'x', position: { start: true } }],
      disconnect: [{ documentId: 'a' }],
      options: { strict: false },
    })
  })
})

/** Some of what is there moved, taken away, copied and replaced, as `moves` say. */
function edited(base: FormValues, other: FormValues, moves: readonly number[]): FormValues {
  const names = Object.keys(ARTICLE).filter((name) => !['origin', 'secret'].includes(name))
  return moves.reduce<FormValues>((mine, move, turn) => {
    const name = names[move % names.length] ?? ''
    const list = mine[name]
    if (!Array.isArray(list) || !['quotes', 'sections'].includes(name)) {
      return { ...mine, [name]: fresh(other[name], turn) }
    }
    const elements = list as readonly ComponentValue[]
    const at = move % (elements.length + 1)
    const one = elements[at]
    if (one === undefined)
      return { ...mine, [name]: [...(fresh(other[name], turn) as unknown[]), ...elements] }
    const rest = elements.filter((element) => element !== one)
    if (move % 3 === 0) return { ...mine, [name]: rest }
    if (move % 3 === 1) return { ...mine, [name]: [...rest, one] }
    const changed =
      'text' in one ? { ...one, text: `text ${turn}` } : { ...one, label: `label ${turn}` }
    return {
      ...mine,
      [name]: [copyComponent(one, reading().keys), changed, ...rest].map((element, index) =>
        index === 0 ? { ...element, $key: `copy:${turn}` } : element,
      ),
    }
  }, base)
}

/** As something new: its components have no ids. */
function fresh(value: unknown, turn: number): unknown {
  const keys = new KeyRing(`fresh:${turn}:${(made += 1)}`)
  const copy = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && '$key' in one
      ? copyComponent(one as ComponentValue, keys)
      : one
  return Array.isArray(value) ? value.map(copy) : copy(value)
}

let made = 0
