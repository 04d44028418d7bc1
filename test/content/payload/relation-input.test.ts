import { expect } from 'chai'
import { readRelationChange } from '../../../src/content/payload/read-relation-change.ts'
import {
  type FoundTargets,
  namedTargets,
  type RelationInput,
  resolveRelationChanges,
} from '../../../src/content/payload/relation-input.ts'
import type { MediaPlan, RelationPlan } from '../../../src/schema/plan.ts'
import { thrownBy } from '../../fixtures/errors.ts'
import { pagePlan } from '../../fixtures/plans.ts'

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
  it('returns each target once per content-type, including positions', () => {
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

  it('converts every id to a documentId', () => {
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
              { target: 'b', position: { kind: 'end' } },
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

  it('accepts disconnects of missing documents by either id', () => {
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
    it(`refuses to connect a document twice: ${JSON.stringify(value)}`, () => {
      const twice = input('tags', { connect: value })
      const error = thrownBy(() => resolveRelationChanges([twice], found, 'en'))
      expect(error.message).to.equal('tags: connect names the document a twice')
    })
  }

  const missing: readonly (readonly [string, string, unknown, string, string])[] = [
    ['without locales', 'tags', ['a', 'zzz'], 'zzz", locale "null"', 'en'],
    ['in the locale written', 'category', 'zzz', 'zzz", locale "en"', 'en'],
    [
      'in the written locale despite a requested one',
      'category',
      z('fr'),
      'zzz", locale "en"',
      'en',
    ],
    ['in the requested locale', 'category', z('fr'), 'zzz", locale "fr"', ''],
    ['for a file', 'gallery', 'zzz', 'zzz", locale "null"', 'en'],
    ['for a position', 'tags', beside('zzz'), 'zzz", locale "null"', 'en'],
  ]
  for (const [label, path, value, named, locale] of missing) {
    it(`reports a missing document ${label}`, () => {
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
    it(`reports missing numeric ids of ${path} in ${JSON.stringify(value)}`, () => {
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
