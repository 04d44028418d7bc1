import { expect } from 'chai'
import type { AttributeDefinition, Definitions } from '../../../src/schema/definition.ts'
import { enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { EMPTY_LEDGER, type Ledger } from '../../../src/schema/ledger/ledger.ts'

const THING = 'api::thing.thing'

const names = (name: string) => ({
  uid: `api::${name}.${name}`,
  file: `${name}.json`,
  kind: 'collectionType' as const,
  singularName: name,
  pluralName: `${name}s`,
  displayName: name,
  draftAndPublish: false,
  localized: false,
})

function definitionsOf(
  value: AttributeDefinition,
  { adopted = 'order', collection = 'orders' } = {},
): Definitions {
  const types = ['red', 'blue'].map((name) => ({
    ...names(name),
    collectionName: `${name}s`,
    attributes: {},
  }))
  const foreign = {
    ...names(adopted),
    collectionName: collection,
    attributes: {},
    adopt: { paths: {} },
  }
  const thing = { ...names('thing'), collectionName: 'things', attributes: { value } }
  return { contentTypes: [...types, foreign, thing], components: [] }
}

const toOne = (target: string): AttributeDefinition => ({
  type: 'relation',
  relation: 'manyToOne',
  target: `api::${target}.${target}`,
})

const zone = (...components: readonly string[]): AttributeDefinition => ({
  type: 'dynamiczone',
  components,
})

const enter = (ledger: Ledger, definitions: Definitions) =>
  enterDefinitions(ledger, definitions, () => false, new Date(0))

/** The kinds of conversions of the last of several releases. */
function lastOf(...releases: readonly Definitions[]) {
  let ledger = EMPTY_LEDGER
  let entered = enter(ledger, definitionsOf({ type: 'string' }))
  for (const release of releases) {
    entered = enter(ledger, release)
    ledger = entered.ledger
  }
  const { retyped } = entered
  return { ledger, kinds: retyped.map(({ conversion }) => conversion) }
}

/** As a release left it that did not enter members. */
function withoutMembers(ledger: Ledger): Ledger {
  const holder = ledger.holders[THING]
  if (holder === undefined) throw new Error('the ledger does not know the type')
  const columns = holder.columns.map(({ members: _members, ...column }) => column)
  return { ...ledger, holders: { ...ledger.holders, [THING]: { ...holder, columns } } }
}

describe('the members of a type in the ledger', () => {
  it('are compared for relations and zones', () => {
    const relation = lastOf(definitionsOf(toOne('red')), definitionsOf(toOne('blue')))
    expect(relation.kinds).to.deep.equal(['none'])
    const fewer = lastOf(definitionsOf(zone('a.a', 'a.b')), definitionsOf(zone('a.b')))
    expect(fewer.kinds).to.deep.equal(['checked'])
    const more = lastOf(definitionsOf(zone('a.b')), definitionsOf(zone('a.b', 'a.a')))
    expect(more.kinds).to.deep.equal([])
    const twice = [definitionsOf(zone('a.b')), definitionsOf(zone('a.b', 'a.a'))]
    expect(lastOf(...twice, definitionsOf(zone('a.a'))).kinds).to.deep.equal(['checked'])
  })

  it('stay the same in another order', () => {
    const { ledger } = lastOf(definitionsOf(zone('a.a', 'a.b')))
    const after = enter(ledger, definitionsOf(zone('a.b', 'a.a')))
    expect(after.retyped).to.deep.equal([])
    expect(after.ledger.holders[THING]).to.deep.equal(ledger.holders[THING])
  })

  it('are entered by the first start of a known release, and compared from then on', () => {
    const before = definitionsOf(toOne('red'))
    const { ledger } = lastOf(before)
    const upgraded = enter(withoutMembers(ledger), before)
    expect(upgraded.retyped).to.deep.equal([])
    expect(upgraded.ledger.holders[THING]?.columns[0]?.members).to.deep.equal(['api::red.red'])
    expect(enter(upgraded.ledger, before).ledger).to.equal(upgraded.ledger)
    const after = enter(upgraded.ledger, definitionsOf(toOne('blue')))
    expect(after.retyped.map(({ conversion }) => conversion)).to.deep.equal(['none'])
  })

  it('are unknown for a ledger without them, so that the first change is not noticed', () => {
    const { ledger } = lastOf(definitionsOf(toOne('red')))
    const after = enter(withoutMembers(ledger), definitionsOf(toOne('blue')))
    expect(after.retyped).to.deep.equal([])
  })

  it('name an adopted target by its collection', () => {
    const order = definitionsOf(toOne('order'))
    const renamed = definitionsOf(toOne('sale'), { adopted: 'sale' })
    expect(lastOf(order, renamed).kinds).to.deep.equal([])
    const other = definitionsOf(toOne('order'), { collection: 'sales' })
    expect(lastOf(order, other).kinds).to.deep.equal(['none'])
  })
})
