import { expect } from 'chai'
import type { DeclarationFile } from '../../../src/schema/definition.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { componentFile, define, typeFile } from '../define.ts'

const NAME = { name: { type: 'string' } }

interface Declared {
  readonly attributes: Readonly<Record<string, object>>
  readonly [option: string]: unknown
}

function faultsOf(
  { attributes, ...more }: Declared,
  ...others: readonly DeclarationFile[]
): readonly string[] {
  try {
    define(typeFile('order', attributes, { adopt: { collection: 'orders' }, ...more }), ...others)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults
  }
}

describe('the declaration of an adopted collection', () => {
  it('takes paths of attributes and times', () => {
    const paths = { name: 'a.b.0', createdAt: 'made', updatedAt: 'at' }
    expect(faultsOf({ adopt: { collection: 'my orders', id: '_id', paths }, attributes: NAME })).to
      .be.empty
  })

  for (const [what, adopt, problem] of [
    ['no collection', {}, 'adopt.collection'],
    ['a collection of MongoDB', { collection: 'system.views' }, 'adopt.collection'],
    ['a collection of the server', { collection: 'quire_sessions' }, 'adopt.collection'],
    ['the users', { collection: 'up_users' }, 'adopt.collection'],
    ['another id', { collection: 'orders', id: 'sku' }, 'adopt.id'],
    ['a path with an operator', { collection: 'orders', paths: { name: 'a.$b' } }, 'adopt.paths'],
    ['an empty path', { collection: 'orders', paths: { name: '' } }, 'adopt.paths'],
    [
      'a path of no attribute',
      { collection: 'orders', paths: { nane: 'a' } },
      'did you mean name?',
    ],
    ['an unknown option', { collection: 'orders', path: {} }, 'adopt.path'],
  ] as const) {
    it(`refuses ${what}`, () => {
      const faults = faultsOf({ adopt, attributes: NAME })
      expect(faults.join('\n')).to.include(problem)
      expect(faults).to.have.length(1)
    })
  }

  for (const option of [
    { kind: 'singleType' },
    { collectionName: 'others' },
    { from: 'purchase' },
    { options: { draftAndPublish: true } },
    { options: { sharded: true } },
    { options: { history: true } },
    { options: { push: true } },
    { options: { indexes: [['name']] } },
    { options: { search: { name: 1 } } },
    { options: { preview: 'https://example.org/{documentId}' } },
    { pluginOptions: { i18n: { localized: true } } },
  ]) {
    it(`refuses ${JSON.stringify(option)}`, () => {
      expect(faultsOf({ ...option, attributes: NAME }).join('\n')).to.include('does not support it')
    })
  }

  for (const [attribute, problem] of [
    [{ type: 'uid' }, 'type uid'],
    [{ type: 'password' }, 'type password'],
    [{ type: 'media' }, 'type media'],
    [{ type: 'location' }, 'type location'],
    [{ type: 'dynamiczone', components: [] }, 'type dynamiczone'],
    [{ type: 'string', unique: true }, 'does not support it'],
    [{ type: 'string', index: true }, 'does not support it'],
    [{ type: 'string', from: 'label' }, 'does not support it'],
    [{ type: 'component', component: 'shop.part' }, 'type time'],
    [{ type: 'component', component: 'shop.endless' }, 'at most 5 levels'],
  ] as const) {
    it(`refuses ${JSON.stringify(attribute)}`, () => {
      const faults = faultsOf(
        { attributes: { attribute } },
        componentFile('shop.part', { at: { type: 'time' } }),
        componentFile('shop.endless', {
          again: { type: 'component', component: 'shop.endless' },
        }),
      )
      expect(faults.join('\n')).to.include(problem)
    })
  }

  it('accepts writes, with a version and a history', () => {
    const adopt = { collection: 'orders', write: true, version: 'meta.rev' }
    expect(faultsOf({ adopt, options: { history: true }, attributes: NAME })).to.deep.equal([])
  })

  for (const [paths, more, problem] of [
    [{ name: '_id' }, {}, '_id and _id overlap'],
    [{ name: 'meta.rev' }, {}, 'meta.rev and meta.rev overlap'],
    [{ name: 'meta' }, {}, 'meta and meta.rev overlap'],
    [{ name: 'other.name' }, { other: { type: 'json' } }, 'overlap'],
  ] as const) {
    it(`refuses writes of overlapping paths: ${JSON.stringify(paths)}`, () => {
      const adopt = { collection: 'orders', write: true, version: 'meta.rev', paths }
      expect(faultsOf({ adopt, attributes: { ...NAME, ...more } }).join('\n')).to.include(problem)
      const fixed = { name: { type: 'string', writable: false } }
      expect(faultsOf({ adopt, attributes: { ...fixed, ...more } })).to.deep.equal([])
    })
  }

  for (const [paths, problem] of [
    [{ updatedAt: '_id' }, '_id and _id overlap'],
    [{ createdAt: 'rev' }, 'rev and rev overlap'],
    [{ updatedAt: 'details.changed' }, 'details.changed and details overlap'],
    [{ createdAt: 'made', updatedAt: 'made.last' }, 'made.last and made overlap'],
  ] as const) {
    it(`refuses writes with overlapping times: ${JSON.stringify(paths)}`, () => {
      const adopt = { collection: 'orders', write: true, version: 'rev', paths }
      const faults = faultsOf({ adopt, attributes: { details: { type: 'json' } } })
      expect(faults).to.have.length(1)
      expect(faults[0]).to.include(problem)
    })
  }

  it('accepts writes of attributes with the path of a time, and of times beside fixed attributes', () => {
    const paths = { seen: 'at', createdAt: 'at', updatedAt: 'details.changed' }
    const adopt = { collection: 'orders', write: true, paths }
    const attributes = { seen: { type: 'datetime' }, details: { type: 'json', writable: false } }
    expect(faultsOf({ adopt, attributes })).to.deep.equal([])
  })

  it('refuses a version without writes, and relations that change other documents', () => {
    const adopt = { collection: 'orders', version: 'rev' }
    expect(faultsOf({ adopt, attributes: NAME }).join('\n')).to.include('does not support it')
    const one = { type: 'relation', relation: 'oneToOne', target: 'api::order.order' }
    const attributes = { a: { ...one, inversedBy: 'b' }, b: { ...one, mappedBy: 'a' } }
    const written = { adopt: { collection: 'orders', write: true }, attributes }
    expect(faultsOf(written).join('\n')).to.include('attributes.a.inversedBy')
  })

  it('refuses to be the inverse side of one-to-one relations that the server writes', () => {
    const side = { type: 'relation', relation: 'oneToOne' }
    const other = typeFile('note', {
      order: { ...side, target: 'api::order.order', inversedBy: 'note' },
    })
    const attributes = { note: { ...side, target: 'api::note.note', mappedBy: 'order' } }
    expect(faultsOf({ attributes }, other).join('\n')).to.include('would write')
  })
})
