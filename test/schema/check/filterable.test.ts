import { expect } from 'chai'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { DeclarationFile } from '../../../src/schema/definition.ts'

const SEO: DeclarationFile = {
  file: 'components/shared/seo.json',
  kind: 'component',
  uid: 'shared.seo',
  content: { attributes: { metaTitle: { type: 'string' } } },
}

function article(api: unknown): DeclarationFile {
  return {
    file: 'article.json',
    kind: 'contentType',
    uid: 'api::article.article',
    content: {
      options: { api },
      attributes: {
        title: { type: 'string' },
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::article.article' },
        seo: { type: 'component', component: 'shared.seo' },
        cover: { type: 'media' },
      },
    },
  }
}

const check = (api: unknown) => checkDefinitions([article(api), SEO])

describe('declared filterable attributes', () => {
  it('accepts attributes and those of relations and components', () => {
    const filterable = ['title', 'createdAt', 'documentId', 'parent.title', 'seo.metaTitle']
    const plan = compileSchema(check({ filterable })).contentTypes.get('api::article.article')
    expect(plan?.filterable).to.deep.equal(filterable)
    const without = compileSchema(check({})).contentTypes.get('api::article.article')
    expect(without?.filterable).to.equal(null)
  })

  const FAULTS: readonly (readonly [label: string, api: unknown, fault: RegExp])[] = [
    [
      'an unknown attribute',
      { filterable: ['tilte'] },
      /filterable\.0: .* tilte .*did you mean title/,
    ],
    [
      'a relation itself',
      { filterable: ['parent'] },
      /filterable\.0: there is no attribute parent/,
    ],
    ['an unknown relation', { filterable: ['title', 'author.name'] }, /filterable\.1: .* author/],
    [
      'an unknown attribute of a component',
      { filterable: ['seo.tilte'] },
      /filterable\.0: .* tilte/,
    ],
    ['media', { filterable: ['cover.name'] }, /filterable\.0: .* cover/],
    [
      'a path through two relations',
      { filterable: ['parent.parent.title'] },
      /more than one relation/,
    ],
    ['an inherited name', { filterable: ['constructor.name'] }, /constructor/],
    ['a text', { filterable: 'title' }, /filterable: must be an array/],
    ['a misspelled option', { filterables: ['title'] }, /did you mean filterable/],
  ]
  for (const [label, api, fault] of FAULTS) {
    it(`refuses ${label}`, () => {
      expect(() => check(api))
        .to.throw(SchemaError)
        .with.property('message')
        .that.matches(fault)
    })
  }
})
