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

/** Each letter of `current` is one documentId. */
const apply = (current: string, made: DocumentChange): string =>
  applyRelationChange(current.split(''), made).join('')

describe('applyRelationChange', () => {
  const rows: readonly (readonly [string, string, DocumentChange, string])[] = [
    ['replaces the current members', 'ab', set('c'), 'c'],
    ['uses the given order', 'abc', set('b', 'c', 'a'), 'bca'],
    ['clears the relation', 'ab', set(), ''],
    ['drops duplicates in set after the first', '', set('a', 'b', 'a'), 'ab'],
    ['connects at the end', 'a', change([at('c'), at('b')]), 'acb'],
    ['moves a connected member to the end', 'ab', change([at('a')]), 'ba'],
    ['uses the last of two connects of a member', '', change([at('a'), at('b'), at('a')]), 'ba'],
    ['disconnects a member', 'abc', change([], ['b']), 'ac'],
    ['ignores a disconnect of a document that is not connected', 'a', change([], ['z']), 'a'],
    ['connects and disconnects different documents', 'ab', change([at('c')], ['a']), 'bc'],
    [
      'keeps a member that is both connected and disconnected',
      'ab',
      change([at('a')], ['a']),
      'ba',
    ],
    ['connects before a member', 'ab', change([at('c', before('b'))]), 'acb'],
    ['connects after a member', 'ab', change([at('c', after('a'))]), 'acb'],
    ['connects at the start', 'ab', change([at('c', START)]), 'cab'],
    ['moves a member within the list', 'abc', change([at('c', before('a'))]), 'cab'],
    ['applies positions in turn', 'a', change([at('b', START), at('c', START)]), 'cba'],
    [
      'supports positions that refer to an earlier connect',
      'a',
      change([at('b'), at('c', before('b'))]),
      'acb',
    ],
    [
      'supports positions that refer to a later connect',
      'a',
      change([at('c', before('b')), at('b')]),
      'acb',
    ],
    [
      'supports chains of positions that refer to later connects',
      'a',
      change([at('d', after('c')), at('c', before('b')), at('b')]),
      'acdb',
    ],
    [
      'keeps a member that is positioned relative to itself',
      'abc',
      change([at('b', after('b'))]),
      'abc',
    ],
    ['drops stored duplicates', 'aba', change([at('c')]), 'abc'],
  ]
  for (const [label, current, made, expected] of rows) {
    it(label, () => {
      expect(apply(current, made)).to.equal(expected)
    })
  }

  const refused: readonly (readonly [string, DocumentChange])[] = [
    ['an unknown document', change([at('c', before('z'))])],
    ['an unknown document that is also disconnected', change([at('c', before('z'))], ['z'])],
    ['an unconnected document itself', change([at('z', before('z'))])],
    ['two documents that refer to each other', change([at('c', before('z')), at('z', after('c'))])],
  ]
  for (const [label, made] of refused) {
    it(`refuses a position relative to ${label}`, () => {
      const error = thrownBy(() => apply('ab', made))
      expect(error.name).to.equal('ValidationError')
      expect(error.details).to.deep.equal({})
      expect(error.message).to.match(
        /^There was a problem connecting relation with id [cz] at position \{"before":"z"\}\. The relation with id z needs to be connected first\.$/,
      )
    })
  }

  const lenient: readonly (readonly [string, DocumentChange, string])[] = [
    ['an unknown document', change([at('c', before('z'))], [], false), 'abc'],
    ['an unconnected document itself', change([at('z', before('z'))], [], false), 'abz'],
    [
      'two documents that refer to each other',
      change([at('c', before('z')), at('z', after('c'))], [], false),
      'abcz',
    ],
    [
      'a chain of two connects',
      change([at('c', before('z')), at('d', before('c'))], [], false),
      'abdc',
    ],
    ['a later connect', change([at('c', before('d')), at('d', START)], [], false), 'cdab'],
  ]
  for (const [label, made, expected] of lenient) {
    it(`connects at the end if a lenient position refers to ${label}`, () => {
      expect(apply('ab', made)).to.equal(expected)
    })
  }

  it('handles 20,000 members quickly', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `d${index}`)
    const connect = many.map((target, index) =>
      index === 0 ? at(target) : at(target, before(`d${index - 1}`)),
    )
    expect(applyRelationChange(many, change(connect))).to.deep.equal(many.toReversed())
    expect(applyRelationChange([], change(connect.toReversed()))).to.deep.equal(many.toReversed())
  })
})

describe('applyRelationChange with random input', () => {
  const letter = fc.constantFrom(...'abcdefgh'.split(''))
  const list = fc.uniqueArray(letter)
  const position: fc.Arbitrary<Position<string>> = fc.oneof(
    fc.constant(START),
    fc.constant(END),
    letter.map(before),
    letter.map(after),
  )
  const connections = fc.array(fc.tuple(letter, position).map(([target, to]) => at(target, to)))

  /** Returns null if a position refers to a document that is not connected at that time. */
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

  it('matches a naive model', () => {
    fc.assert(
      fc.property(list, connections, list, (current, connect, disconnect) => {
        const made = change(connect, disconnect)
        const expected = naive(current, made)
        fc.pre(expected !== null)
        expect(applyRelationChange(current, made)).to.deep.equal(expected)
      }),
    )
  })

  it('contains the expected set of members without duplicates', () => {
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

  it('keeps the order of untouched members', () => {
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

  it('is idempotent for set', () => {
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
    ['uses the last member of set', 'x', set('a', 'b'), 'b'],
    ['clears the relation', 'x', set(), null],
    ['uses the last connected member', 'x', change([at('a'), at('b')]), 'b'],
    ['keeps a member that is neither connected nor disconnected', 'x', change([], ['y']), 'x'],
    ['disconnects a member', 'x', change([], ['x']), null],
    [
      'keeps a member that is both connected and disconnected in a to-one relation',
      'x',
      change([at('x')], ['x']),
      'x',
    ],
    ['ignores a disconnect on an empty relation', null, change([], ['x']), null],
  ]
  for (const [label, current, made, expected] of rows) {
    it(label, () => {
      expect(applyToOneChange(current, made)).to.equal(expected)
    })
  }
})
