import { expect } from 'chai'
import { assertGiven } from '../../src/content/payload/relation-change.ts'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { createSchema, inputSchema } from '../../src/describe/openapi/input-schemas.ts'
import { openVocabulary } from '../../src/describe/openapi/vocabulary.ts'
import { compile, typeFile } from '../schema/define.ts'

const REQUIRED = { required: true } as const

describe('inputs of adopted types', () => {
  const schema = compile(
    typeFile(
      'order',
      {
        number: { type: 'string', ...REQUIRED },
        remark: { type: 'text' },
        buyer: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::order.order',
          ...REQUIRED,
        },
        fixed: { type: 'string', writable: false, ...REQUIRED },
      },
      { adopt: { collection: 'orders', write: true } },
    ),
  )
  const plan = schema.contentTypes.get('api::order.order')
  if (plan === undefined) throw new Error('no type')

  it('require what the writes check', () => {
    const vocabulary = openVocabulary(schema, { has: () => true })
    createSchema(vocabulary, plan)
    inputSchema(vocabulary, plan)
    const created = vocabulary.schemas.get('Order_Create')
    expect(created).to.deep.include({ required: ['number', 'buyer'] })
    expect(created).to.have.nested.property('properties.number.type', 'string')
    expect(vocabulary.schemas.get('Order_Input')).not.to.have.property('required')
  })

  it('leave null to responses, because the other service fills the documents', () => {
    const locales = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }
    const code = writeTypeScript({ schema, locales, grants: { has: () => true } })
    expect(code).to.match(/\bcreate: \{[^}]*\bnumber: string\n/)
    expect(code).to.match(/\bcreate: \{[^}]*\bbuyer: /)
    expect(code).to.match(/\bupdate: \{[^}]*\bnumber\?: string\n/)
    expect(code).to.match(/\bnumber: string \| null\n/)
  })

  it('refuse a required relation without a target', () => {
    const buyer = plan.attributes.get('buyer')
    if (buyer?.kind !== 'relation') throw new Error('no relation')
    expect(() => assertGiven(buyer, [], ['buyer'])).to.throw('buyer')
  })
})
