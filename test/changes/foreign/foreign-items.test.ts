import { expect } from 'chai'
import { Long, ObjectId, UUID } from 'mongodb'
import { readForeignChanges, timeOfEvent } from '../../../src/changes/foreign/foreign-items.ts'
import type { AdoptedIdKind } from '../../../src/schema/definition.ts'

const ID = '65a000000000000000000001'
const UUID_TEXT = '0b6ad6b4-2b57-4f0b-9a57-0123456789ab'

function followed(collection: string, idKind: AdoptedIdKind) {
  return { collection, type: `api::${collection}.${collection}`, idKind }
}

const FOLLOWED = [
  followed('orders', 'objectId'),
  followed('devices', 'uuid'),
  followed('countries', 'text'),
  followed('counters', 'number'),
]

function event(operationType: string, coll: string, _id?: unknown) {
  const documentKey = _id === undefined ? {} : { documentKey: { _id } }
  return { _id: {}, operationType, ns: { db: 'shop', coll }, ...documentKey }
}

describe('readForeignChanges', () => {
  it('returns an item for each change, with the documentId of each kind of id', () => {
    const events = [
      event('insert', 'orders', new ObjectId(ID)),
      event('update', 'devices', new UUID(UUID_TEXT)),
      event('replace', 'countries', 'a:b'),
      event('delete', 'counters', 7),
      event('update', 'counters', Long.fromString('9223372036854775807')),
    ]
    const { items, lost } = readForeignChanges(events, FOLLOWED)
    expect(
      items.map(({ type, documentId, op, isNew }) => [type, documentId, op, isNew]),
    ).to.deep.equal([
      ['api::orders.orders', ID, 'put', true],
      ['api::devices.devices', UUID_TEXT, 'put', undefined],
      ['api::countries.countries', 'a:b', 'put', undefined],
      ['api::counters.counters', '7', 'delete', undefined],
      ['api::counters.counters', '9223372036854775807', 'put', undefined],
    ])
    expect([...lost]).to.deep.equal([])
  })

  it('leaves out documents whose ids are not served', () => {
    const events = [event('insert', 'orders', 'text'), event('insert', 'countries', 7)]
    expect(readForeignChanges(events, FOLLOWED).items).to.deep.equal([])
  })

  it('reports the type of a collection that is dropped, renamed or replaced as lost', () => {
    const renamed = { ...event('rename', 'made_at_night'), to: { db: 'shop', coll: 'devices' } }
    const events = [event('drop', 'orders'), renamed, event('unknown', 'counters', 1)]
    const { items, lost } = readForeignChanges(events, FOLLOWED)
    expect(items).to.deep.equal([])
    expect([...lost]).to.deep.equal([
      'api::orders.orders',
      'api::devices.devices',
      'api::counters.counters',
    ])
  })

  it('knows the time of an event, in seconds before MongoDB 6.0', () => {
    const wallTime = new Date(1_234)
    expect(timeOfEvent({ ...event('drop', 'orders'), wallTime })).to.equal(wallTime)
    const clusterTime = { t: 5 }
    expect(timeOfEvent({ ...event('drop', 'orders'), clusterTime })).to.deep.equal(new Date(5_000))
    expect(timeOfEvent(event('drop', 'orders'))).to.equal(null)
  })
})
