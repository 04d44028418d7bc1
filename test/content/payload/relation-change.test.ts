import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  applyRelationChange,
  applyToOneChange,
  type Connection,
  type DocumentChange,
  type Position,
} from '../../../src/content/payload/relation-change.ts'
import { thrownBy } from '../../fixtures/errors.ts'

const END = { kind: 'end' } as const
const START = { kind: 'start' } as const
const before = (reference: string): Position<string> => ({ kind: 'before', reference })
const after = (reference: string): Position<string> => ({ kind: 'after', reference })

const at = (target: string, position: Position<string> = END): Connection<string> => ({
  target,
  position,
})
const change = (
  connect: readonly Connection<string>[],
  disconnect: readonly string[] = [],
  strict = true,
): DocumentChange => ({ kind: 'change', connect, disconnect, strict })
const set = (...targets: string[]): DocumentChange => ({ kind: 'set', targets })

/** `abc` stands for a, b and c. */
const apply = (current: string, made: DocumentChange): string =>
  applyRelationChange(current.split(''), made).join('')

describe('applyRelationChange', () => {
  const rows: readonly (readonly [string, string, DocumentChange, string])[] = [
    ['replaces what is there', 'ab', set('c'), 'c'],
    ['takes the order given', 'abc', set('b', 'c', 'a'), 'bca'],
    ['clears', 'ab', set(), ''],
    ['keeps the first of two that are set', '', set('a', 'b', 'a'), 'ab'],
    ['connects at the end', 'a', change([at('c'), at('b')]), 'acb'],
    ['moves a connected one to the end', 'ab', change([at('a')]), 'ba'],
    ['connects one twice, the last time counts', '', change([at('a'), at('b'), at('a')]), 'ba'],
    ['disconnects', 'abc', change([], ['b']), 'ac'],
    ['disconnects one that is not connected', 'a', change([], ['z']), 'a'],
    ['connects and disconnects others', 'ab', change([at('c')], ['a']), 'bc'],
    ['leaves one connected that is both', 'ab', change([at('a')], ['a']), 'ba'],
    ['puts before', 'ab', change([at('c', before('b'))]), 'acb'],
    ['puts after', 'ab', change([at('c', after('a'))]), 'acb'],
    ['puts at the start', 'ab', change([at('c', START)]), 'cab'],
    ['moves within', 'abc', change([at('c', before('a'))]), 'cab'],
    ['takes positions in turn', 'a', change([at('b', START), at('c', START)]), 'cba'],
    ['lets positions refer back', 'a', change([at('b'), at('c', before('b'))]), 'acb'],
    ['lets positions refer on', 'a', change([at('c', before('b')), at('b')]), 'acb'],
    [
      'lets positions refer on in a row',
      'a',
      change([at('d', after('c')), at('c', before('b')), at('b')]),
      'acdb',
    ],
    ['keeps one that is put beside itself', 'abc', change([at('b', after('b'))]), 'abc'],
    ['drops duplicates that were stored', 'aba', change([at('c')]), 'abc'],
  ]
  for (const [what, current, made, expected] of rows) {
    it(what, () => {
      expect(apply(current, made)).to.equal(expected)
    })
  }

  const refused: readonly (readonly [string, DocumentChange])[] = [
    ['one that is nowhere', change([at('c', before('z'))])],
    ['one that is disconnected as well', change([at('c', before('z'))], ['z'])],
    ['itself, not connected', change([at('z', before('z'))])],
    ['each other', change([at('c', before('z')), at('z', after('c'))])],
  ]
  for (const [what, made] of refused) {
    it(`refuses a position beside ${what}`, () => {
      const error = thrownBy(() => apply('ab', made))
      expect(error.name).to.equal('ValidationError')
      expect(error.details).to.deep.equal({})
      expect(error.message).to.match(
        /^There was a problem connecting relation with id [cz] at position \{"before":"z"\}\. The relation with id z needs to be connected first\.$/,
      )
    })
  }

  const lenient: readonly (readonly [string, DocumentChange, string])[] = [
    ['one that is nowhere', change([at('c', before('z'))], [], false), 'abc'],
    ['itself, not connected', change([at('z', before('z'))], [], false), 'abz'],
    ['each other', change([at('c', before('z')), at('z', after('c'))], [], false), 'abcz'],
    ['two in a chain', change([at('c', before('z')), at('d', before('c'))], [], false), 'abdc'],
    ['one that comes', change([at('c', before('d')), at('d', START)], [], false), 'cdab'],
  ]
  for (const [what, made, expected] of lenient) {
    it(`puts at the end what is placed beside ${what}, where that is no fault`, () => {
      expect(apply('ab', made)).to.equal(expected)
    })
  }

  it('is quick with many', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `d${index}`)
    const connect = many.map((target, index) =>
      index === 0 ? at(target) : at(target, before(`d${index - 1}`)),
    )
    expect(applyRelationChange(many, change(connect))).to.deep.equal(many.toReversed())
    expect(applyRelationChange([], change(connect.toReversed()))).to.deep.equal(many.toReversed())
  })
})

describe('applyRelationChange, whatever is asked', () => {
  const letter = fc.constantFrom(...'abcdefgh'.split(''))
  const list = fc.uniqueArray(letter)
  const position: fc.Arbitrary<Position<string>> = fc.oneof(
    fc.constant(START),
    fc.constant(END),
    letter.map(before),
    letter.map(after),
  )
  const connections = fc.array(fc.tuple(letter, position).map(([target, to]) => at(target, to)))

  /** Null where a position refers to what is not connected when its turn comes. */
  const naive = (current: readonly string[], made: DocumentChange): readonly string[] | null => {
    if (made.kind === 'set') return [...new Set(made.targets)]
    let result = current.filter((one) => !made.disconnect.includes(one))
    for (const { target, position } of made.connect) {
      const rest = result.filter((one) => one !== target)
      if ('reference' in position) {
        if (!result.includes(position.reference)) return null
        if (position.reference === target) continue
        const index = rest.indexOf(position.reference) + (position.kind === 'after' ? 1 : 0)
        result = rest.toSpliced(index, 0, target)
      } else {
        result = position.kind === 'start' ? [target, ...rest] : [...rest, target]
      }
    }
    return result
  }

  it('does what the simplest model does', () => {
    fc.assert(
      fc.property(list, connections, list, (current, connect, disconnect) => {
        const made = change(connect, disconnect)
        const expected = naive(current, made)
        fc.pre(expected !== null)
        expect(applyRelationChange(current, made)).to.deep.equal(expected)
      }),
    )
  })

  it('holds what set algebra says, without duplicates', () => {
    const plain = fc.array(letter.map((target) => at(target)))
    fc.assert(
      fc.property(list, plain, fc.array(letter), (current, connect, disconnect) => {
        const result = applyRelationChange(current, change(connect, disconnect))
        const kept = current.filter((one) => !disconnect.includes(one))
        const expected = new Set([...kept, ...connect.map(({ target }) => target)])
        expect(result).to.have.length(expected.size)
        expect(new Set(result)).to.deep.equal(expected)
      }),
    )
  })

  it('keeps the order of those that it does not touch', () => {
    fc.assert(
      fc.property(list, connections, list, (current, connect, disconnect) => {
        const made = change(connect, disconnect)
        fc.pre(naive(current, made) !== null)
        const touched = new Set([...connect.map(({ target }) => target), ...disconnect])
        const untouched = current.filter((one) => !touched.has(one))
        const result = applyRelationChange(current, made)
        expect(result.filter((one) => untouched.includes(one))).to.deep.equal(untouched)
      }),
    )
  })

  it('changes nothing the second time that something is set', () => {
    fc.assert(
      fc.property(list, fc.array(letter), (current, targets) => {
        const once = applyRelationChange(current, set(...targets))
        expect(applyRelationChange(once, set(...targets))).to.deep.equal(once)
      }),
    )
  })
})

describe('applyToOneChange', () => {
  const rows: readonly (readonly [string, string | null, DocumentChange, string | null])[] = [
    ['takes the last that is set', 'x', set('a', 'b'), 'b'],
    ['clears', 'x', set(), null],
    ['takes the last that is connected', 'x', change([at('a'), at('b')]), 'b'],
    ['keeps what is neither', 'x', change([], ['y']), 'x'],
    ['disconnects', 'x', change([], ['x']), null],
    ['connects what is disconnected as well', 'x', change([at('x')], ['x']), 'x'],
    ['disconnects nothing', null, change([], ['x']), null],
  ]
  for (const [what, current, made, expected] of rows) {
    it(what, () => {
      expect(applyToOneChange(current, made)).to.equal(expected)
    })
  }
})
