import { expect } from 'chai'
import { type Document, ObjectId, UUID } from 'mongodb'
import { adoptedPipeline } from '../../../src/mongo/versions/adopted-pipeline.ts'
import { type AdoptedType, isAdopted } from '../../../src/mongo/versions/adopted-expression.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import type { AdoptedIdKind } from '../../../src/schema/definition.ts'
import { typeFile } from '../../schema/define.ts'

const HEX = '65b000000000000000000001'
const DEVICE = '0b6ad6b4-2b57-4f0b-9a57-0123456789ab'

function typeOf(idKind: AdoptedIdKind): AdoptedType {
  const attributes = {
    name: { type: 'string' },
    count: { type: 'integer' },
    price: { type: 'float' },
    next: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
  }
  const paths = { count: 'numbers.count' }
  const file = typeFile('thing', attributes, { adopt: { collection: 'things', paths } })
  const { contentTypes, ...rest } = checkDefinitions([file])
  const kinds = contentTypes.map((type) => ({ ...type, adopt: { paths, idKind } }))
  const plan = compileSchema({ ...rest, contentTypes: kinds }).contentTypes.get('api::thing.thing')
  if (plan === undefined || !isAdopted(plan)) throw new Error('not adopted')
  return plan
}

/** The stages before the projection. */
function before(kind: AdoptedIdKind, match: Document, ...more: Document[]): readonly Document[] {
  const stages = adoptedPipeline(typeOf(kind), [{ $match: match }, ...more])
  return stages.slice(
    0,
    stages.findIndex((stage) => '$project' in stage),
  )
}

function behind(kind: AdoptedIdKind, match: Document): Document | undefined {
  return adoptedPipeline(typeOf(kind), [{ $match: match }]).findLast((stage) => '$match' in stage)
}

const OBJECT_IDS = { _id: { $type: 'objectId' } }

describe('the pipeline of an adopted collection', () => {
  const NARROWED: readonly (readonly [string, Document, Document])[] = [
    ['an id', { documentId: { $eq: HEX } }, { _id: { $in: [new ObjectId(HEX)] } }],
    ['no id of the collection', { documentId: { $eq: 'x' } }, { _id: { $in: [] } }],
    ['later ids', { documentId: { $gt: HEX } }, { _id: { $gt: new ObjectId(HEX) } }],
    [
      'the only version of a document',
      { _id: { $eq: `${HEX}::published` } },
      { _id: { $in: [new ObjectId(HEX)] } },
    ],
    ['a draft', { _id: { $in: [`${HEX}::draft`] } }, { _id: { $in: [] } }],
    ['a text', { name: { $eq: 'a' } }, { name: { $in: ['a'] } }],
    [
      'the text of an ObjectId',
      { name: { $eq: HEX } },
      { name: { $in: [HEX, new ObjectId(HEX)] } },
    ],
    [
      'a number at its path',
      { count: { $gt: 1, $lte: 5 } },
      { 'numbers.count': { $gt: 1, $lte: 5 } },
    ],
    ['a relation', { next: { $in: [HEX] } }, { next: { $in: [new ObjectId(HEX), HEX] } }],
  ]
  for (const [what, match, narrowed] of NARROWED) {
    it(`repeats a condition on ${what} for the indexes`, () => {
      expect(before('objectId', match)).to.deep.equal([
        { $match: { $and: [OBJECT_IDS, narrowed] } },
      ])
    })
  }

  for (const match of [
    { name: { $eq: null } },
    { name: { $in: ['a', null] } },
    { name: { $ne: 'a' } },
    { name: { $regex: '^a' } },
    { price: { $gt: 1 } },
    { $or: [{ name: { $eq: 'a' } }, { count: { $eq: 1 } }] },
    { $nor: [{ name: { $eq: 'a' } }] },
    { count: { $not: { $gt: 1 } } },
  ] as const) {
    it(`leaves ${JSON.stringify(match)} behind the projection`, () => {
      expect(before('objectId', match)).to.deep.equal([{ $match: OBJECT_IDS }])
      expect(behind('objectId', match)).to.deep.equal({ $match: match })
    })
  }

  it('sorts by ids before the projection', () => {
    const $sort = { documentId: -1 }
    expect(before('objectId', {}, { $sort })).to.deep.equal([
      { $match: OBJECT_IDS },
      { $sort: { _id: -1 } },
    ])
    const byId = before('number', {}, { $sort: { id: 1 } })
    expect(byId).to.deep.equal([{ $match: { _id: { $type: 'number' } } }, { $sort: { _id: 1 } }])
    expect(before('number', {}, { $sort })).to.have.length(1)
    expect(before('objectId', {}, { $sort: { name: 1, documentId: 1 } })).to.have.length(1)
  })

  it('compares UUIDs by their bytes', () => {
    const match = { $or: [{ documentId: { $eq: DEVICE } }, { next: { $in: [DEVICE] } }] }
    const id = new UUID(DEVICE)
    expect(behind('uuid', match)).to.deep.equal({
      $match: { $or: [{ documentId: { $eq: id } }, { next: { $in: [id] } }] },
    })
    expect(() => before('uuid', { documentId: { $regex: 'a' } })).to.throw(
      'UUIDs compare as a whole',
    )
  })

  for (const [text, id] of [
    ['5', 5],
    ['-5', -5],
    ['1.5', 1.5],
    ['05', undefined],
    ['5.0', undefined],
    ['', undefined],
    ['NaN', undefined],
  ] as const) {
    it(`finds the number of the id "${text}"`, () => {
      const ids = id === undefined ? [] : [id]
      const [first] = before('number', { documentId: { $eq: text } })
      expect(first?.['$match']).to.deep.equal({
        $and: [{ _id: { $type: 'number' } }, { _id: { $in: ids } }],
      })
    })
  }

  it('finds texts that contain the separator of version ids', () => {
    const match = { _id: { $in: ['a:b::published'] } }
    expect(before('text', match)).to.deep.equal([
      { $match: { $and: [{ _id: { $type: 'string' } }, { _id: { $in: ['a:b'] } }] } },
    ])
  })
})
