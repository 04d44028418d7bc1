import { SCALAR_TYPES } from '@quire/schema/attributes'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { ValidationError } from '../../../src/base/errors.ts'
import { validatorsOf } from '../define.ts'

const COMPONENTS = {
  'shared.part': {
    text: { type: 'string', required: true },
    day: { type: 'date' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
  },
}

const ATTRIBUTES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(SCALAR_TYPES.map((type) => [type, { type, enum: ['a'] }])),
  component: { type: 'component', component: 'shared.part' },
  list: { type: 'component', component: 'shared.part', repeatable: true, min: 1, max: 2 },
  zone: { type: 'dynamiczone', components: ['shared.part'] },
  relation: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  media: { type: 'media' },
}

/** JSON close to valid input: random values mixed with keywords. */
const NEARLY: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const key = fc.constantFrom(
    'id',
    '__component',
    'text',
    'day',
    'parts',
    'type',
    'children',
    'url',
  )
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        -0,
        1.5,
        1e300,
        '',
        '1e999',
        '2024-02-30',
        'shared.part',
      ),
      fc.constantFrom<unknown>('paragraph', 'list', 'text', '__proto__', '$where', 'a\0', '\ud800'),
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }
}).value

describe('any JSON', () => {
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) {
    it(`for ${name} is either accepted or refused with a ValidationError`, () => {
      const { draft, direct, publishable } = validatorsOf({ [name]: attribute }, COMPONENTS)
      fc.assert(
        fc.property(NEARLY, fc.boolean(), (value, creating) => {
          for (const validate of [draft, direct]) {
            try {
              const data = validate({ [name]: value }, { creating })
              expect(Object.keys(data)).to.deep.equal([name])
              if (validate === draft) publishable(data)
            } catch (error) {
              if (!(error instanceof ValidationError)) throw error
              expect(() => JSON.stringify(error.details)).not.to.throw()
            }
          }
        }),
        { numRuns: 300 },
      )
    })
  }

  it('for the whole payload is either accepted or refused with a ValidationError', () => {
    const { draft, direct } = validatorsOf(ATTRIBUTES, COMPONENTS)
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (payload) => {
        for (const validate of [draft, direct]) {
          try {
            validate(payload, { creating: true })
          } catch (error) {
            if (!(error instanceof ValidationError)) throw error
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('with inherited names as keys is refused', () => {
    const { direct } = validatorsOf(ATTRIBUTES, COMPONENTS)
    const payload = JSON.parse('{"__proto__":{"string":"x"}}') as unknown
    expect(() => direct(payload, { creating: true })).to.throw('Invalid key __proto__')
    const inside = JSON.parse('{"component":{"text":"x","__proto__":{}}}') as unknown
    expect(() => direct(inside, { creating: true })).to.throw('Invalid key __proto__ at component')
  })

  it('with very deep nesting is refused', () => {
    const { direct } = validatorsOf(ATTRIBUTES, COMPONENTS)
    const deep = (open: string, close: string): unknown => {
      return JSON.parse(`${open.repeat(3000)}1${close.repeat(3000)}`) as unknown
    }
    for (const name of ['json', 'blocks', 'string', 'integer', 'list', 'zone', 'enumeration']) {
      for (const value of [deep('[', ']'), deep('{"a":', '}'), [deep('{"children":[', ']}')]]) {
        expect(() => direct({ [name]: value }, { creating: true }), name).to.throw(ValidationError)
      }
    }
  })
})
