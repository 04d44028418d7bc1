import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  type FoundTargets,
  namedTargets,
  readRelationChange,
  type RelationInput,
  resolveRelationChanges,
} from '../../../src/documents/payload/relation-input.ts'
import type { MediaPlan, RelationPlan } from '../../../src/schema/plan.ts'
import { CmsError } from '../../../src/errors.ts'
import { thrownBy } from '../../fixtures/errors.ts'
import { pagePlan } from '../../fixtures/plans.ts'

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
    ['digits named a documentId', { documentId: '7' }, set({ documentId: '7' })],
    ['an object', { documentId: 'a' }, set(a)],
    ['an object with both ids', { id: 1, documentId: 'a' }, set(a)],
    ['a locale', { documentId: 'a', locale: 'fr' }, set({ documentId: 'a', locale: 'fr' })],
    ['no locale', [{ documentId: 'a', locale: null }], set(a)],
    ['a locale beside a numeric id', { id: 1, locale: 'fr' }, set({ id: 1 })],
    ['null', null, set()],
    ['an empty list', [], set()],
    ['null in a list', [null, 'a'], set(a)],
    ['set with a list', { set: ['a', { documentId: 'b' }] }, set(a, b)],
    ['set with an object', { set: { documentId: 'a' } }, set(a)],
    ['set with a scalar', { set: 'a' }, set(a)],
    ['set with nothing in it', { set: [] }, set()],
    ['set with null', { set: null }, null],
    ['set beside connect', { set: ['a'], connect: ['b'] }, set(a)],
    ['set with null beside connect', { set: null, connect: ['b'] }, connect(b)],
    ['connect with a list', { connect: ['a', { documentId: 'b' }] }, connect(a, b)],
    ['connect with an object', { connect: { documentId: 'a' } }, connect(a)],
    ['connect with a scalar', { connect: 3 }, connect({ id: 3 })],
    ['disconnect with a list', { disconnect: ['a', { id: 3 }] }, disconnect(a, { id: 3 })],
    ['disconnect with an object', { disconnect: { documentId: 'a' } }, disconnect(a)],
    ['disconnect with a scalar', { disconnect: 'a' }, disconnect(a)],
    ['nothing', {}, null],
    ['empty lists', { connect: [], disconnect: [] }, null],
    ['options beside set', { set: ['a'], options: { strict: true } }, set(a)],
    ['options beside connect', { connect: ['a'], options: {} }, connect(a)],
    ['options alone', { options: { strict: false } }, null],
    [
      'options that are not strict',
      { connect: ['a'], options: { strict: false } },
      { ...(connect(a) as object), strict: false },
    ],
    ['nulls', { connect: null, disconnect: null }, null],
  ]
  for (const [what, value, expected] of accepted) {
    it(`reads ${what}`, () => {
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

  it('names the attribute without list positions', () => {
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
    it(`says ${message}`, () => {
      const error = thrownBy(() => readRelationChange(['tags'], value))
      expect(error.message).to.equal(message)
      const fault = { path: ['tags'], message, name: 'ValidationError', value }
      expect(error.details).to.deep.equal({ errors: [fault] })
    })
  }

  it('reads or refuses whatever is sent', () => {
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

const plan = pagePlan()

function input(path: string, value: unknown): RelationInput {
  const attribute = plan.attributes.get(path)
  const change = readRelationChange([path], value)
  if (change === null) throw new Error('nothing is changed')
  return { path: [path], attribute: attribute as RelationPlan | MediaPlan, change }
}

const TAG = 'api::tag.tag'
const FILE = 'plugin::upload.file'
const CATEGORY = 'api::category.category'

describe('namedTargets', () => {
  it('names each target once by content-type, positions included', () => {
    const named = namedTargets([
      input('tags', { connect: [{ id: 1, position: { before: 'z' } }, 'a'], disconnect: ['b', 1] }),
      input('cover', 3),
      input('gallery', ['f', 3]),
    ])
    expect(named).to.deep.equal(
      new Map([
        [TAG, { documentIds: new Set(['z', 'a']), ids: new Set([1]) }],
        [FILE, { documentIds: new Set(['f']), ids: new Set([3]) }],
      ]),
    )
  })
})

describe('resolveRelationChanges', () => {
  const targets = (documentIds: string[], byId: [number, string][] = []): FoundTargets => ({
    documentIds: new Set(documentIds),
    byId: new Map(byId),
  })
  const found = new Map([
    [TAG, targets(['a', 'b'], [[1, 'a']])],
    [FILE, targets([], [[1, 'f']])],
  ])

  it('gives every change in documentIds', () => {
    const inputs = [
      input('tags', { connect: ['b', { id: 1, position: { before: 'b' } }], disconnect: [1] }),
      input('cover', { id: 1 }),
      input('category', null),
    ]
    expect(resolveRelationChanges(inputs, found, 'en')).to.deep.equal(
      new Map([
        [
          'tags',
          {
            kind: 'change',
            connect: [
              { target: 'b', position: END },
              { target: 'a', position: { kind: 'before', reference: 'b' } },
            ],
            disconnect: ['a'],
            strict: true,
          },
        ],
        ['cover', { kind: 'set', targets: ['f'] }],
        ['category', { kind: 'set', targets: [] }],
      ]),
    )
  })

  it('lets go of what is gone, named by either id', () => {
    const gone = input('tags', { disconnect: ['zzz', { id: 99 }, { id: 1 }] })
    expect(resolveRelationChanges([gone], found, 'en').get('tags')).to.deep.equal({
      kind: 'change',
      connect: [],
      disconnect: ['zzz', 'a'],
      strict: true,
    })
  })

  for (const value of [
    ['a', 'b', 'a'],
    ['a', { id: 1 }],
    [1, { documentId: 'a' }],
  ]) {
    it(`refuses to connect one document twice: ${JSON.stringify(value)}`, () => {
      const twice = input('tags', { connect: value })
      const error = thrownBy(() => resolveRelationChanges([twice], found, 'en'))
      expect(error.message).to.equal('tags: connect names the document a twice')
    })
  }

  const missing: readonly (readonly [string, string, unknown, string, string])[] = [
    ['without locales', 'tags', ['a', 'zzz'], 'zzz", locale "null"', 'en'],
    ['in the locale written', 'category', 'zzz', 'zzz", locale "en"', 'en'],
    ['in that, whatever is asked', 'category', z('fr'), 'zzz", locale "en"', 'en'],
    ['in the locale asked for', 'category', z('fr'), 'zzz", locale "fr"', ''],
    ['of a file', 'gallery', 'zzz', 'zzz", locale "null"', 'en'],
    ['of a position', 'tags', beside('zzz'), 'zzz", locale "null"', 'en'],
  ]
  for (const [what, path, value, named, locale] of missing) {
    it(`names a missing document ${what}`, () => {
      const error = thrownBy(() => resolveRelationChanges([input(path, value)], found, locale))
      expect(error.name).to.equal('ValidationError')
      expect(error.message).to.equal(`Document with id "${named} not found`)
      expect(error.details).to.deep.equal({})
    })
  }

  const ids: readonly (readonly [string, unknown, string, readonly number[]])[] = [
    ['tags', [999999], TAG, [999999]],
    ['tags', { connect: [-1, 1, -1] }, TAG, [-1]],
    ['tags', { connect: [7], disconnect: [8] }, TAG, [7]],
    ['category', 424242, CATEGORY, [424242]],
    ['cover', { id: 5 }, FILE, [5]],
  ]
  for (const [path, value, uid, missing] of ids) {
    it(`counts missing numeric ids of ${path} in ${JSON.stringify(value)}`, () => {
      const error = thrownBy(() => resolveRelationChanges([input(path, value)], found, 'en'))
      const message = `${missing.length} relation(s) of type ${uid} associated with this entity do not exist`
      expect(error.name).to.equal('ValidationError')
      expect(error.message).to.equal(message)
      const fault = { path: [], message, name: 'ValidationError', value: missing }
      expect(error.details).to.deep.equal({ errors: [fault] })
    })
  }
})

function z(locale: string): unknown {
  return { documentId: 'zzz', locale }
}

function beside(documentId: string): unknown {
  return { connect: [{ documentId: 'a', position: { before: documentId } }] }
}
