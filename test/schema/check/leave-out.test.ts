import { expect } from 'chai'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { DeclarationFile } from '../../../src/schema/definition.ts'

const type = (name: string, attributes: object): DeclarationFile => ({
  file: `${name}.json`,
  kind: 'contentType',
  uid: `api::${name}.${name}`,
  content: { attributes },
})

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
})

const attributesOf = (files: readonly DeclarationFile[], uid: string): readonly string[] => {
  const plan = compileSchema(checkDefinitions(files)).contentTypes.get(uid)
  return [...(plan?.attributes.keys() ?? [])]
}

describe('declarations without effect', () => {
  it('omit an inverse side without an owner, with a warning that names it', () => {
    const files = [
      type('author', {
        name: { type: 'string' },
        articles: relation('oneToMany', 'api::article.article', { mappedBy: 'writer' }),
      }),
      type('article', { title: { type: 'string' } }),
    ]
    expect(attributesOf(files, 'api::author.author')).to.deep.equal(['name'])
    expect(checkDefinitions(files).warnings).to.deep.equal([
      'author.json: attributes.articles: api::article.article has no attribute writer; the attribute is left out',
    ])
  })

  it('turn a relation into a one-way relation if its inverse side is omitted', () => {
    const files = [
      type('author', {
        name: { type: 'string' },
        articles: relation('oneToMany', 'api::article.article', { mappedBy: 'writer' }),
      }),
      type('article', {
        author: relation('manyToOne', 'api::author.author', { inversedBy: 'articles' }),
      }),
    ]
    const plan = compileSchema(checkDefinitions(files)).contentTypes.get('api::article.article')
    expect(plan?.attributes.get('author')).to.deep.include({ side: 'owner', otherSide: null })
  })

  it('omit relations to admin accounts, also in components', () => {
    const files: readonly DeclarationFile[] = [
      type('article', {
        title: { type: 'string' },
        reviewer: relation('oneToOne', 'admin::user'),
        note: { type: 'component', component: 'shared.note' },
      }),
      {
        file: 'note.json',
        kind: 'component',
        uid: 'shared.note',
        content: {
          attributes: { text: { type: 'text' }, by: relation('oneToOne', 'admin::user') },
        },
      },
    ]
    expect(attributesOf(files, 'api::article.article')).to.deep.equal(['title', 'note'])
    expect(
      checkDefinitions(files).warnings?.map((text) => text.replace(/: admin.*/, '')),
    ).to.deep.equal(['article.json: attributes.reviewer', 'note.json: attributes.by'])
  })

  it('fail for an owner without its inverse side and for an unknown type', () => {
    for (const attribute of [
      relation('manyToOne', 'api::author.author', { inversedBy: 'nothing' }),
      relation('oneToMany', 'api::nobody.nobody', { mappedBy: 'nothing' }),
    ]) {
      const files = [type('article', { attribute }), type('author', { name: { type: 'string' } })]
      expect(() => checkDefinitions(files)).to.throw(SchemaError)
    }
  })

  it('fail for a file without attributes and name it', () => {
    const file = { ...type('package', {}), content: { name: 'a package', version: '1.0.0' } }
    expect(() => checkDefinitions([file])).to.throw(
      SchemaError,
      /package\.json: attributes: missing/,
    )
  })
})
