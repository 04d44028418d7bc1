import { expect } from 'chai'
import * as fc from 'fast-check'
import { readRelationChange } from '../../../src/content/payload/read-relation-change.ts'
import { CmsError } from '../../../src/base/errors.ts'
import { thrownBy } from '../../fixtures/errors.ts'

const a = { documentId: 'a' }
const b = { documentId: 'b' }
const END = { kind: 'end' }

const set = (...targets: unknown[]): unknown => ({ kind: 'set', targets })
const connect = (...targets: unknown[]): unknown => ({
  kind: 'change',
  connect: targets.map((target) => ({ target, position: END })),
  disconnect: [],
  strict: true,
})
const disconnect = (...targets: unknown[]): unknown => ({
  kind: 'change',
  connect: [],
  disconnect: targets,
  strict: true,
})
const placed = (position: unknown): unknown => ({
  kind: 'change',
  connect: [{ target: a, position }],
  disconnect: [],
  strict: true,
})

describe('readRelationChange', () => {
  const accepted: readonly (readonly [string, unknown, unknown])[] = [
    ['documentIds', ['b', 'a'], set(b, a)],
    ['numeric ids', [1, -1, '12'], set({ id: 1 }, { id: -1 }, { id: 12 })],
    ['objects', [{ documentId: 'a' }, { id: 1 }, { id: '2' }], set(a, { id: 1 }, { id: 2 })],
    ['a documentId', 'a', set(a)],
    ['a number', 7, set({ id: 7 })],
    ['digits', '7', set({ id: 7 })],
    ['a documentId of digits', { documentId: '7' }, set({ documentId: '7' })],
    ['an object', { documentId: 'a' }, set(a)],
    ['an object with both ids', { id: 1, documentId: 'a' }, set(a)],
    ['a locale', { documentId: 'a', locale: 'fr' }, set({ documentId: 'a', locale: 'fr' })],
    ['a null locale', [{ documentId: 'a', locale: null }], set(a)],
    ['a locale next to a numeric id', { id: 1, locale: 'fr' }, set({ id: 1 })],
    ['null', null, set()],
    ['an empty list', [], set()],
    ['null in a list', [null, 'a'], set(a)],
    ['set with a list', { set: ['a', { documentId: 'b' }] }, set(a, b)],
    ['set with an object', { set: { documentId: 'a' } }, set(a)],
    ['set with a scalar', { set: 'a' }, set(a)],
    ['set with an empty list', { set: [] }, set()],
    ['set with null', { set: null }, null],
    ['set together with connect', { set: ['a'], connect: ['b'] }, set(a)],
    ['set with null together with connect', { set: null, connect: ['b'] }, connect(b)],
    ['connect with a list', { connect: ['a', { documentId: 'b' }] }, connect(a, b)],
    ['connect with an object', { connect: { documentId: 'a' } }, connect(a)],
    ['connect with a scalar', { connect: 3 }, connect({ id: 3 })],
    ['disconnect with a list', { disconnect: ['a', { id: 3 }] }, disconnect(a, { id: 3 })],
    ['disconnect with an object', { disconnect: { documentId: 'a' } }, disconnect(a)],
    ['disconnect with a scalar', { disconnect: 'a' }, disconnect(a)],
    ['an empty object', {}, null],
    ['empty lists', { connect: [], disconnect: [] }, null],
    ['options together with set', { set: ['a'], options: { strict: true } }, set(a)],
    ['options together with connect', { connect: ['a'], options: {} }, connect(a)],
    ['options alone', { options: { strict: false } }, null],
    [
      'options with strict set to false',
      { connect: ['a'], options: { strict: false } },
      { ...(connect(a) as object), strict: false },
    ],
    ['nulls', { connect: null, disconnect: null }, null],
  ]
  for (const [label, value, expected] of accepted) {
    it(`reads ${label}`, () => {
      expect(readRelationChange(['tags'], value)).to.deep.equal(expected)
    })
  }

  const positions: readonly (readonly [unknown, unknown])[] = [
    [{ start: true }, { kind: 'start' }],
    [{ end: true }, END],
    [{}, END],
    [null, END],
    [{ start: false, end: true }, END],
    [{ before: 'b' }, { kind: 'before', reference: b }],
    [{ after: 'b' }, { kind: 'after', reference: b }],
    [{ before: 5 }, { kind: 'before', reference: { id: 5 } }],
    [{ after: '5' }, { kind: 'after', reference: { id: 5 } }],
  ]
  for (const [position, expected] of positions) {
    it(`reads the position ${JSON.stringify(position)}`, () => {
      const value = { connect: [{ documentId: 'a', position }] }
      expect(readRelationChange(['tags'], value)).to.deep.equal(placed(expected))
    })
  }

  const badKeys: readonly (readonly [string, unknown])[] = [
    ['foo', [{ foo: 1 }]],
    ['foo', { foo: 1 }],
    ['0', [[1]]],
    ['foo', { connect: ['a'], foo: [] }],
    ['documentId', { connect: ['a'], documentId: 'b' }],
    ['status', { documentId: 'a', locale: 'en', status: 'published' }],
    ['status', { connect: [{ documentId: 'a', status: 'draft' }] }],
    ['name', [{ documentId: 'a', name: 'A' }]],
    ['position', [{ documentId: 'a', position: { start: true } }]],
    ['position', { disconnect: [{ documentId: 'a', position: {} }] }],
    ['foo', { set: ['a'], connect: [{ foo: 1 }] }],
  ]
  for (const [key, value] of badKeys) {
    it(`refuses the key ${key} of ${JSON.stringify(value)}`, () => {
      const error = thrownBy(() => readRelationChange(['tags'], value))
      expect(error.name).to.equal('ValidationError')
      expect(error.message).to.equal(`Invalid key ${key} at tags`)
      expect(error.details).to.deep.equal({ key, path: 'tags', source: 'body' })
    })
  }

  it('omits list positions from the attribute path', () => {
    const error = thrownBy(() => readRelationChange(['sections', '0', 'author'], { foo: 1 }))
    expect(error.details).to.include({ path: 'sections.author' })
    const value = { connect: { documentId: 'a', position: { foo: 1 } } }
    const other = thrownBy(() => readRelationChange(['links', '1', 'tag'], value))
    expect(other.message).to.equal('Invalid key foo at links.tag.position')
  })

  const invalid: readonly unknown[] = [
    [1.5],
    [true],
    [{}],
    [''],
    [[]],
    [NaN],
    1.5,
    true,
    false,
    '',
    { id: null },
    { id: 'a' },
    { id: true },
    { documentId: '' },
    { documentId: 5 },
    { connect: {} },
    { connect: [false] },
    { disconnect: [''] },
    { set: true },
    { set: {} },
    '99999999999999999999',
    1e300,
    { connect: [{ documentId: 'a', position: { before: {} } }] },
    { connect: [{ documentId: 'a', position: { after: true } }] },
  ]
  for (const value of invalid) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      const error = thrownBy(() => readRelationChange(['tags'], value))
      expect(error.name).to.equal('ValidationError')
      expect(error.message).to.equal('Invalid relations')
      const fault = { path: [], message: 'Invalid relations', name: 'ValidationError' }
      expect(error.details).to.deep.equal({ errors: [{ ...fault, value: { tags: value } }] })
    })
  }

  const told: readonly (readonly [unknown, string])[] = [
    [{ documentId: 'a', locale: 5 }, 'tags: locale must be a text'],
    [placement('first'), 'tags: position must be an object'],
    [
      placement({ start: true, before: 'b' }),
      'tags: position must be one of start, end, before, after',
    ],
    [{ connect: ['a'], options: 'strict' }, 'tags: options must be an object'],
    [{ set: ['a'], options: { strict: 'no' } }, 'tags: options.strict must be true or false'],
    [placement({ start: 'yes' }), 'tags: position.start must be true'],
  ]
  for (const [value, message] of told) {
    it(`responds with "${message}"`, () => {
      const error = thrownBy(() => readRelationChange(['tags'], value))
      expect(error.message).to.equal(message)
      const fault = { path: ['tags'], message, name: 'ValidationError', value }
      expect(error.details).to.deep.equal({ errors: [fault] })
    })
  }

  it('reads or refuses any value', () => {
    const key = fc.constantFrom(
      'set',
      'connect',
      'disconnect',
      'options',
      'id',
      'documentId',
      'position',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(value, (sent) => {
        try {
          readRelationChange(['tags'], sent)
        } catch (error) {
          expect(error).to.be.instanceOf(CmsError).with.property('name', 'ValidationError')
        }
      }),
    )
  })
})

function placement(position: unknown): unknown {
  return { connect: [{ documentId: 'a', position }] }
}
