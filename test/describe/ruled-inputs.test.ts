import { expect } from 'chai'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { createSchema, inputSchema } from '../../src/describe/openapi/input-schemas.ts'
import { describedReader } from '../../src/describe/described-reader.ts'
import { openVocabulary } from '../../src/describe/openapi/vocabulary.ts'
import type { Grants } from '../../src/people/access/principal.ts'
import { bindRules } from '../../src/people/rules/bound-rules.ts'
import { holdRules } from '../../src/people/rules/held-rules.ts'
import type { StoredRule } from '../../src/people/rules/stored-rule.ts'
import { compile, typeFile } from '../schema/define.ts'

const NOTE = 'api::note.note'

describe('inputs of writes under rules', () => {
  const schema = compile(
    typeFile('note', {
      title: { type: 'string', required: true },
      body: { type: 'text' },
      code: { type: 'string', required: true },
      secret: { type: 'string' },
    }),
  )
  const grantsFor = (rules: readonly StoredRule[], always: readonly string[] = []): Grants => {
    const held = holdRules(schema, { source: 'role one', rules })
    const values = { user: 'a'.repeat(24), now: new Date(), paths: new Map() }
    return { has: (action) => always.includes(action), rules: bindRules(held, values) }
  }
  const schemasOf = (grants: Grants): ReadonlyMap<string, object> => {
    const seen = describedReader(schema, grants)
    const vocabulary = openVocabulary(seen.schema, seen.grants)
    const plan = seen.schema.contentTypes.get(NOTE)
    if (plan === undefined) throw new Error('no type')
    createSchema(vocabulary, plan)
    inputSchema(vocabulary, plan)
    return vocabulary.schemas
  }
  const namesOf = (input: object | undefined): readonly string[] => {
    const { properties } = input as { readonly properties: object }
    return Object.keys(properties).filter((name) => name !== 'locale' && name !== 'publishedAt')
  }
  const codeOf = (grants: Grants): string => {
    const locales = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }
    const text = writeTypeScript({ schema, locales, grants })
    return /\bcreate: \{.*?\bupdate: \{.*?\}/s.exec(text)?.[0] ?? ''
  }

  const find = `${NOTE}.find`
  const ruled = grantsFor(
    [
      { action: `${NOTE}.create`, fields: ['title', 'code'], set: { code: 'a' } },
      { action: `${NOTE}.update`, fields: ['body'] },
    ],
    [find],
  )

  it('name the attributes that a rule lets the caller give', () => {
    const schemas = schemasOf(ruled)
    expect(namesOf(schemas.get('Note_Input'))).to.deep.equal(['title', 'body'])
    expect(namesOf(schemas.get('Note_Create'))).to.deep.equal(['title', 'body'])
    expect(schemas.get('Note_Create')).to.deep.include({ required: ['title'] })
    expect(codeOf(ruled)).to.match(/title: string\n +body\?: /)
    expect(codeOf(ruled)).not.to.match(/code|secret/)
  })

  it('name all attributes with a permission without a rule', () => {
    const free = grantsFor(
      [{ action: `${NOTE}.create`, fields: ['title'] }],
      [find, `${NOTE}.update`],
    )
    expect(namesOf(schemasOf(free).get('Note_Input'))).to.deep.equal([
      'title',
      'body',
      'code',
      'secret',
    ])
    expect(codeOf(free)).to.match(/secret/)
  })

  it('name all attributes for rules without fields', () => {
    const all = grantsFor([{ action: `${NOTE}.update`, where: { title: 'a' } }], [find])
    expect(namesOf(schemasOf(all).get('Note_Input'))).to.deep.equal([
      'title',
      'body',
      'code',
      'secret',
    ])
  })
})
