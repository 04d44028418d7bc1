import { expect } from 'chai'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { compile, componentFile, define, typeFile } from '../define.ts'

const SEO = componentFile('shared.seo', { title: { type: 'string' }, raw: { type: 'json' } })
const LINK = componentFile('shared.link', {
  label: { type: 'string' },
  seo: { type: 'component', component: 'shared.seo', repeatable: true },
})

const ATTRIBUTES = {
  title: { type: 'string' },
  views: { type: 'integer' },
  extra: { type: 'json' },
  seo: { type: 'component', component: 'shared.seo' },
  links: { type: 'component', component: 'shared.link', repeatable: true },
  more: { type: 'component', component: 'shared.link', repeatable: true },
  zone: { type: 'dynamiczone', components: ['shared.seo'] },
  parent: {
    type: 'relation',
    relation: 'manyToOne',
    target: 'api::article.article',
    inversedBy: 'children',
  },
  children: {
    type: 'relation',
    relation: 'oneToMany',
    target: 'api::article.article',
    mappedBy: 'parent',
  },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::article.article' },
}

const article = (indexes: unknown, more: Readonly<Record<string, object>> = {}) =>
  typeFile('article', { ...ATTRIBUTES, ...more }, { options: { indexes } })

function faultsOf(indexes: unknown, more?: Readonly<Record<string, object>>): readonly string[] {
  try {
    define(article(indexes, more), SEO, LINK)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) => fault.replace('content-types/article.json: ', ''))
  }
}

function indexesOf(indexes: unknown, more?: Readonly<Record<string, object>>) {
  return compile(article(indexes, more), SEO, LINK).contentTypes.get('api::article.article')
    ?.indexes
}

describe('declared indexes', () => {
  it('reads lists of attributes with directions and single attributes', () => {
    expect(
      indexesOf([['views:desc', 'title'], 'publishedAt:desc', ['seo.title', 'parent'], ['tags']]),
    ).to.deep.equal([
      [
        { path: 'views', direction: -1 },
        { path: 'title', direction: 1 },
      ],
      [{ path: 'publishedAt', direction: -1 }],
      [
        { path: 'seo.title', direction: 1 },
        { path: 'parent', direction: 1 },
      ],
      [{ path: 'tags', direction: 1 }],
    ])
  })

  it('adds each index that an attribute declares once', () => {
    const more = { title: { type: 'string', index: true }, off: { type: 'string', index: false } }
    expect(indexesOf([['title'], ['title']], more)).to.deep.equal([
      [{ path: 'title', direction: 1 }],
    ])
    expect(indexesOf(undefined)).to.deep.equal([])
  })

  it('adds no index for a relation, which already has one', () => {
    const tags = { ...ATTRIBUTES.tags, index: true }
    expect(indexesOf(undefined, { tags })).to.deep.equal([])
  })

  const shapes: readonly unknown[] = ['title', {}, [[]], [{}], [[1]], ['title:up'], [['a', ['b']]]]
  for (const indexes of shapes) {
    it(`refuses ${JSON.stringify(indexes)}`, () => {
      const [fault, ...others] = faultsOf(indexes)
      expect(fault).to.contain('must be a list of indexes')
      expect(others).to.deep.equal([])
    })
  }

  const rows: readonly [readonly string[], string][] = [
    [['titel'], 'no attribute titel; did you mean title?'],
    [['seo.titel'], 'no attribute seo.titel; did you mean title?'],
    [['__proto__'], 'no attribute __proto__'],
    [['constructor.name'], 'no attribute constructor'],
    [['seo'], 'seo is a component: name an attribute in it'],
    [['extra'], 'no index serves attributes of type json (extra)'],
    [['extra.deep'], 'extra is not a component'],
    [['zone'], 'no index serves attributes of type dynamiczone (zone)'],
    [['children'], 'children is stored on the other side, which has an index'],
    [['parent.title'], 'parent is not a component'],
    [['title', 'views', 'title:desc'], 'title is named twice'],
    [['links.label', 'more.label'], 'links and more are lists, and an index holds only one'],
    [['links.label', 'tags'], 'links and tags are lists, and an index holds only one'],
    [['seo.raw'], 'no index serves attributes of type json (seo.raw)'],
    [[''], 'must be a list of indexes'],
  ]
  for (const [index, fault] of rows) {
    it(`refuses ${JSON.stringify(index)}`, () => {
      const faults = faultsOf([index])
      expect(faults).to.have.length(1)
      expect(faults[0]).to.match(/^options\.indexes\.0: /)
      expect(faults[0]).to.contain(fault)
    })
  }

  it('accepts two attributes of one list and a list within it', () => {
    expect(faultsOf([['links.label', 'links.seo.title']])).to.deep.equal([])
  })

  it('refuses an index on an attribute that cannot have one', () => {
    expect(faultsOf(undefined, { extra: { type: 'json', index: true } })).to.deep.equal([
      'attributes.extra.index: no index serves attributes of type json',
    ])
    const inComponent = componentFile('shared.x', { a: { type: 'string', index: true } })
    expect(() => define(typeFile('article', {}), inComponent)).to.throw(
      SchemaError,
      'attributes.a.index: name the path of the attribute in options.indexes of the content-type',
    )
  })
})
