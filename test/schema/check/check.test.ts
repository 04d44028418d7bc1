import { expect } from 'chai'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { FAULT_CODES } from '../../../src/base/fault-codes.ts'
import type { DeclarationFile } from '../../../src/schema/definition.ts'
import { componentFile, define, typeFile } from '../define.ts'

function faultsOf(...files: readonly DeclarationFile[]): readonly string[] {
  try {
    define(...files)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    expect(error.located.map(({ sentence }) => sentence)).to.deep.equal(error.faults)
    for (const { reason, sentence } of error.located) {
      expect(FAULT_CODES, sentence).to.include(reason.code)
    }
    return error.faults
  }
}

const ARTICLE = 'content-types/article.json'

/** Returns the faults of an article with these attributes, without the file name. */
function faultsIn(
  attributes: Readonly<Record<string, object>>,
  ...others: readonly DeclarationFile[]
): readonly string[] {
  return faultsOf(typeFile('article', attributes), ...others).map((fault) => {
    return fault.replace(`${ARTICLE}: attributes.`, '')
  })
}

/** Returns the warnings about an article with these attributes. */
function warningsIn(attributes: Readonly<Record<string, object>>): readonly string[] {
  return define(typeFile('article', attributes)).warnings ?? []
}

const relation = (kind: string, target: string, more: object = {}): object => {
  return { type: 'relation', relation: kind, target: `api::${target}.${target}`, ...more }
}

describe('checkDefinitions', () => {
  it('fills in omitted options', () => {
    const [type] = define(typeFile('blog-category', { title: { type: 'string' } })).contentTypes
    expect(type).to.deep.equal({
      uid: 'api::blog-category.blog-category',
      file: 'content-types/blog-category.json',
      kind: 'collectionType',
      collectionName: 'blog_categories',
      singularName: 'blog-category',
      pluralName: 'blog-categories',
      displayName: 'blog-category',
      draftAndPublish: false,
      localized: false,
      attributes: { title: { type: 'string' } },
    })
  })

  const plurals = [
    ['article', 'articles'],
    ['box', 'boxes'],
    ['day', 'days'],
    ['branch', 'branches'],
    ['city', 'cities'],
  ] as const
  for (const [singular, plural] of plurals) {
    it(`forms the plural ${plural} of ${singular}`, () => {
      expect(define(typeFile(singular, {})).contentTypes[0]?.pluralName).to.equal(plural)
    })
  }

  it('keeps declared options', () => {
    const file = typeFile(
      'person',
      {},
      {
        kind: 'singleType',
        collectionName: 'folk',
        info: { singularName: 'person', pluralName: 'people', displayName: 'Person' },
        options: { draftAndPublish: true, sharded: true },
        pluginOptions: { i18n: { localized: true } },
      },
    )
    expect(define(file).contentTypes[0]).to.include({
      sharded: true,
      kind: 'singleType',
      collectionName: 'folk',
      pluralName: 'people',
      displayName: 'Person',
      draftAndPublish: true,
      localized: true,
    })
  })

  it("ignores keys that only the reference's admin panel reads", () => {
    const attribute = {
      type: 'string',
      configurable: false,
      visible: true,
      writable: true,
      column: { unique: true },
      conditions: { visible: {} },
      pluginOptions: { 'content-manager': { visible: false } },
    }
    const more = {
      info: { displayName: 'Article', description: '', icon: 'book', name: 'article' },
      options: { draftAndPublish: true, comment: '', timestamps: true },
      config: { attributes: {} },
    }
    expect(faultsOf(typeFile('article', { title: attribute }, more))).to.deep.equal([])
  })

  it('resolves built-in types', () => {
    const target = 'plugin::users-permissions.user'
    const owner = { type: 'relation', relation: 'manyToOne', target }
    const file = { type: 'relation', relation: 'oneToOne', target: 'plugin::upload.file' }
    expect(faultsIn({ owner, file })).to.deep.equal([])
  })

  it('adds attributes to a built-in type but replaces none', () => {
    const user = typeFile('user', { password: { type: 'string' }, city: { type: 'string' } })
    const uid = 'plugin::users-permissions.user'
    const { contentTypes } = define({ ...user, uid })
    const attributes = contentTypes.find((type) => type.uid === uid)?.attributes
    expect(attributes).to.have.property('city')
    expect(attributes?.['password']).to.include({ type: 'password' })
  })

  it('lists all faults of all files', () => {
    const faults = faultsOf(
      { ...typeFile('broken', {}), content: null, fault: 'line 1, column 2: no valid JSON' },
      typeFile('article', { title: { type: 'strng' }, views: { type: 'integer', min: 'x' } }),
      typeFile('other', { broken: relation('manyToOne', 'broken'), id: { type: 'string' } }),
      componentFile('shared.seo', { image: { type: 'media', multiple: 'no' } }),
    )
    expect(faults).to.deep.equal([
      'content-types/broken.json: line 1, column 2: no valid JSON',
      `${ARTICLE}: attributes.title.type: no attribute type strng; did you mean string?`,
      `${ARTICLE}: attributes.views.min: must be a number`,
      'content-types/other.json: attributes.id: the name is reserved; give the attribute another one',
      'content-types/components/shared/seo.json: attributes.image.multiple: must be a boolean',
    ])
  })

  const shapes: readonly [string, unknown, string][] = [
    ['content that is not an object', 'x', 'must be of type object'],
    ['an unknown kind', { kind: 'collection' }, 'kind: must be one of collectionType, singleType'],
    ['attributes in a list', { attributes: [] }, 'attributes: must be of type object'],
    [
      'a mistyped option',
      { options: { draftAndPublished: true } },
      'options.draftAndPublished: no such option; did you mean draftAndPublish?',
    ],
    ['an attribute without a type', { attributes: { a: {} } }, 'attributes.a.type: must be one of'],
    [
      'an attribute that is not an object',
      { attributes: { a: 'string' } },
      'attributes.a: must be an',
    ],
  ]
  for (const [label, content, fault] of shapes) {
    it(`refuses ${label}`, () => {
      const [found = ''] = faultsOf({ ...typeFile('article', {}), content })
      expect(found).to.contain(`${ARTICLE}: ${fault}`)
    })
  }
})

describe('checkDefinitions, ineffective keys', () => {
  it('warns of unknown and inapplicable keys', () => {
    expect(
      warningsIn({
        title: { type: 'string', foo: 1 },
        views: { type: 'integer', maxLength: 3, 'x-note': '' },
        at: { type: 'location', unique: true },
      }),
    ).to.deep.equal([
      `${ARTICLE}: attributes.title.foo: is not known, and has no effect`,
      `${ARTICLE}: attributes.views.maxLength: has no effect on attributes of type integer`,
      `${ARTICLE}: attributes.views.x-note: is not known, and has no effect`,
      `${ARTICLE}: attributes.at.unique: has no effect on attributes of type location`,
    ])
  })

  it('does not warn of keys from schema files of the reference', () => {
    const common = { required: true, private: false, configurable: true, visible: false }
    const more = {
      conditions: {},
      searchable: true,
      column: {},
      pluginOptions: {},
      displayName: 'A',
    }
    expect(
      warningsIn({
        a: { type: 'string', ...common, ...more, unique: true, minLength: 1, regex: '.' },
        b: { type: 'uid', targetField: 'a', options: { separator: '_' } },
        c: { type: 'enumeration', enum: ['x'], enumName: 'X' },
        d: { ...relation('manyToOne', 'article'), useJoinTable: false, joinColumn: {} },
        e: { type: 'customField', customField: 'plugin::color-picker.color', options: {} },
        f: { type: 'media', multiple: false, allowedTypes: ['images'] },
      }),
    ).to.deep.equal([])
  })

  for (const kind of ['morphToOne', 'morphToMany', 'morphOne', 'morphMany']) {
    it(`leaves out a ${kind} relation with a warning`, () => {
      const related = { type: 'relation', relation: kind, target: 'api::x.x', morphBy: 'y' }
      const { contentTypes, warnings } = define(
        typeFile('article', { title: { type: 'string' }, related }),
      )
      expect(Object.keys(contentTypes[0]?.attributes ?? {})).to.deep.equal(['title'])
      expect(warnings).to.deep.equal([
        `${ARTICLE}: attributes.related: polymorphic relations are not supported; the attribute is left out`,
      ])
    })
  }

  it('accepts the other side of a relation that is left out', () => {
    const notes = relation('oneToMany', 'article', { mappedBy: 'related' })
    const related = { type: 'relation', relation: 'morphToOne' }
    expect(faultsIn({ notes, related })).to.deep.equal([])
  })
})

describe('checkDefinitions, several faults', () => {
  it('lists faults of attributes, options and info together', () => {
    const content = {
      kind: 'collection',
      info: { displayName: 5 },
      options: { draftAndPublish: 'yes', draftAndPublished: true },
      attributes: { a: { type: 'strng' }, b: relation('manyToOne', 'nobody') },
    }
    expect(faultsOf({ ...typeFile('article', {}), content })).to.deep.equal([
      `${ARTICLE}: kind: must be one of collectionType, singleType`,
      `${ARTICLE}: info.displayName: must be a string`,
      `${ARTICLE}: options.draftAndPublish: must be a boolean`,
      `${ARTICLE}: options.draftAndPublished: no such option; did you mean draftAndPublish?`,
      `${ARTICLE}: attributes.a.type: no attribute type strng; did you mean string?`,
      `${ARTICLE}: attributes.b.target: no content-type api::nobody.nobody`,
    ])
  })
})

describe('checkDefinitions, text in messages', () => {
  it('prints text literally even if it looks like a message template', () => {
    for (const place of ['slug', '#label', '{1+1}', ':x', '(']) {
      const preview = `https://app.example.org/?s={${place}}`
      const file = typeFile('article', {})
      const faults = faultsOf({
        ...file,
        content: Object.assign({}, file.content, { options: { preview } }),
      })
      const name = /\{([^{}]*)\}/.exec(preview)?.[1]
      expect(faults).to.deep.equal([
        `${ARTICLE}: options.preview: knows no {${name}}; there are {documentId}, {locale}, {status}, {secret}`,
      ])
    }
  })
})

describe('checkDefinitions, one attribute', () => {
  const reserved =
    'id documentId createdAt updatedAt publishedAt createdBy updatedBy locale localizations'
  const names = [
    ...reserved.split(' '),
    'status',
    'meta',
    '_id',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'a.b',
    '$where',
    'a\0',
    '1st',
    'naïve',
    'a b',
    '',
  ]
  for (const name of names) {
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      expect(faultsIn({ [name]: { type: 'string' } })).to.have.length(1)
    })
  }

  it('refuses the name __proto__', () => {
    const attributes = JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, object>
    expect(faultsIn(attributes)).to.have.length(1)
  })

  it('refuses __component but accepts status in a component', () => {
    const uid = 'shared.seo'
    expect(faultsOf(componentFile(uid, { __component: { type: 'string' } }))).to.have.length(1)
    expect(faultsOf(componentFile(uid, { status: { type: 'string' } }))).to.have.length(0)
  })

  const rows: readonly [object, string][] = [
    [{ type: 'string', requird: true }, 'a.requird: no such option; did you mean required?'],
    [{ type: 'string', required: 'yes' }, 'a.required: must be a boolean'],
    [{ type: 'string', minLength: -1 }, 'a.minLength: must be greater than or equal to 0'],
    [
      { type: 'string', minLength: 3, maxLength: 2 },
      'a.minLength: must not be above maxLength (2)',
    ],
    [
      { type: 'string', regex: '(' },
      'a.regex: Invalid regular expression: /(/: Unterminated group',
    ],
    [{ type: 'integer', min: 3, max: 2 }, 'a.min: must not be above max (2)'],
    [{ type: 'biginteger', min: '10', max: '9' }, 'a.min: must not be above max (9)'],
    [{ type: 'biginteger', min: 'ten' }, 'a.min: must be a whole number'],
    [{ type: 'enumeration' }, 'a.enum: is required'],
    [{ type: 'enumeration', enum: [] }, 'a.enum: must contain at least 1 items'],
    [{ type: 'enumeration', enum: ['x', 'x'] }, 'a.enum.1: contains a duplicate value'],
    [{ type: 'enumeration', enum: [''] }, 'a.enum.0: is not allowed to be empty'],
    [{ type: 'enumeration', enum: [1] }, 'a.enum.0: must be a string'],
    [
      { type: 'uid', targetField: 'titel' },
      'a.targetField: no attribute titel; did you mean title?',
    ],
    [{ type: 'media', allowedTypes: ['image'] }, 'a.allowedTypes.0: must be one of images, videos'],
    [{ type: 'component' }, 'a.component: is required'],
    [{ type: 'component', component: 'x.y' }, 'a.component: no component x.y'],
    [{ type: 'dynamiczone', components: ['x.y'] }, 'a.components.0: no component x.y'],
    [{ type: 'relation', relation: 'manyWay', target: 'x' }, 'a.relation: must be one of oneToOne'],
    [{ type: 'string', default: 5 }, 'a.default: must be a `string` type'],
    [{ type: 'string', maxLength: 2, default: 'abc' }, 'a.default: must be at most 2 characters'],
    [{ type: 'integer', default: 1.5 }, 'a.default: must be an integer'],
    [{ type: 'boolean', default: 'yes' }, 'a.default: must be a `boolean` type'],
    [{ type: 'date', default: '2024-02-31' }, 'a.default: Invalid date'],
    [{ type: 'enumeration', enum: ['x'], default: 'y' }, 'a.default: must be one of'],
    [{ type: 'blocks', default: [{}] }, 'a.default: holds invalid nodes'],
    [{ type: 'json', default: JSON.parse('{"__proto__":1}') }, 'a.default: must not be a key'],
  ]
  for (const [attribute, fault] of rows) {
    it(`refuses ${JSON.stringify(attribute)}`, () => {
      const faults = faultsIn({ a: attribute, title: { type: 'string' } })
      expect(faults).to.have.length(1)
      expect(faults[0]).to.contain(fault)
    })
  }

  it('accepts defaults of several types', () => {
    const attributes = {
      a: { type: 'string', default: '' },
      b: { type: 'decimal', default: 0.5 },
      c: { type: 'biginteger', default: '9007199254740993', min: '5', max: '9007199254740994' },
      d: { type: 'date', default: '2024-02-29' },
      e: { type: 'json', default: { a: [] } },
      f: { type: 'boolean', default: null },
    }
    expect(faultsIn(attributes)).to.deep.equal([])
  })
})

describe('checkDefinitions, references', () => {
  const author = (articles?: object): DeclarationFile => {
    return typeFile('author', articles === undefined ? {} : { articles })
  }
  const owner = relation('manyToOne', 'author', { inversedBy: 'articles' })

  it('accepts one-way and two-way relations of every kind', () => {
    const attributes = {
      a: relation('oneToOne', 'article', { inversedBy: 'b' }),
      b: relation('oneToOne', 'article', { mappedBy: 'a' }),
      c: relation('manyToOne', 'article', { inversedBy: 'd' }),
      d: relation('oneToMany', 'article', { mappedBy: 'c' }),
      e: relation('manyToMany', 'article', { inversedBy: 'f' }),
      f: relation('manyToMany', 'article', { mappedBy: 'e' }),
      g: relation('oneToMany', 'article'),
      h: relation('manyToMany', 'article'),
    }
    expect(faultsIn(attributes)).to.deep.equal([])
  })

  const rows: readonly [string, object, DeclarationFile, string][] = [
    [
      'an unknown target',
      relation('manyToOne', 'auhtor'),
      author(),
      'author.target: no content-type api::auhtor.auhtor; did you mean api::author.author?',
    ],
    [
      'a missing attribute',
      relation('manyToOne', 'author', { inversedBy: 'article' }),
      author(),
      'author.inversedBy: api::author.author has no attribute article',
    ],
    [
      'an attribute that is not a relation',
      owner,
      author({ type: 'string' }),
      'author.inversedBy: articles of api::author.author is no relation to api::article.article',
    ],
    [
      'a relation to another type',
      owner,
      author(relation('oneToMany', 'author')),
      'author.inversedBy: articles of api::author.author is no relation to api::article.article',
    ],
    [
      'a side that does not point back',
      owner,
      author(relation('oneToMany', 'article')),
      'author.inversedBy: articles of api::author.author does not point back: it needs mappedBy: "author"',
    ],
    [
      'both sides at once',
      relation('oneToOne', 'author', { inversedBy: 'articles', mappedBy: 'articles' }),
      author(relation('oneToOne', 'article')),
      'author.mappedBy: a side is the owner (inversedBy) or the inverse (mappedBy), not both',
    ],
    [
      'a oneToMany relation with inversedBy',
      relation('oneToMany', 'author', { inversedBy: 'articles' }),
      author(relation('manyToOne', 'article')),
      'author.inversedBy: oneToMany is the inverse side: use mappedBy',
    ],
    [
      'a manyToOne relation with mappedBy',
      relation('manyToOne', 'author', { mappedBy: 'articles' }),
      author(relation('oneToMany', 'article')),
      'author.mappedBy: manyToOne is the owning side: use inversedBy',
    ],
  ]
  for (const [label, attribute, other, fault] of rows) {
    it(`refuses ${label}`, () => {
      expect(faultsIn({ author: attribute }, other)).to.deep.equal([fault])
    })
  }

  it('refuses two owners and mismatched kinds, on both sides', () => {
    const twoOwners = faultsIn({
      a: relation('manyToMany', 'article', { inversedBy: 'b' }),
      b: relation('manyToMany', 'article', { inversedBy: 'a' }),
    })
    expect(twoOwners).to.have.length(2)
    const kinds = faultsIn({
      a: relation('oneToOne', 'article', { inversedBy: 'b' }),
      b: relation('manyToMany', 'article', { mappedBy: 'a' }),
    })
    expect(kinds[0]).to.equal(
      'a.relation: b of api::article.article must be oneToOne, not manyToMany',
    )
  })

  it('refuses a two-way relation in a component', () => {
    const link = componentFile('shared.link', {
      article: relation('manyToOne', 'article', { inversedBy: 'links' }),
    })
    expect(faultsIn({}, link)).to.deep.equal([
      'content-types/components/shared/link.json: attributes.article.inversedBy: ' +
        'a relation in a component is one-way: leave this out',
    ])
  })

  it('reports a broken file or attribute only once', () => {
    const broken = { ...author(), content: 'x' }
    expect(faultsIn({ author: owner }, broken)).to.have.length(1)
    expect(faultsIn({ author: owner }, author({ type: 'relatoin' }))).to.have.length(1)
  })

  it('accepts a recursive component unless the recursion is required', () => {
    const item = (more: object): DeclarationFile => {
      return componentFile('menu.item', {
        child: { type: 'component', component: 'menu.item', ...more },
      })
    }
    expect(faultsOf(item({}), typeFile('menu', {}))).to.deep.equal([])
    expect(faultsOf(item({ repeatable: true, required: true }))).to.deep.equal([])
    expect(faultsOf(item({ required: true }))).to.have.length(1)
    expect(faultsOf(item({ required: true, repeatable: true, min: 1 }))).to.have.length(1)
  })

  it('reports a cycle of required components at each of them', () => {
    const part = (uid: string, next: string): DeclarationFile => {
      return componentFile(uid, { next: { type: 'component', component: next, required: true } })
    }
    expect(faultsOf(part('a.a', 'a.b'), part('a.b', 'a.c'), part('a.c', 'a.a'))).to.have.length(3)
  })
})

describe('checkDefinitions, names', () => {
  const named = (name: string, singularName: string, pluralName: string): DeclarationFile => {
    return typeFile(name, {}, { info: { singularName, pluralName }, collectionName: name })
  }

  it('refuses a taken name in any case, singular or plural', () => {
    const faults = faultsOf(named('a', 'news', 'news-items'), named('b', 'item', 'News'))
    expect(faults).to.deep.equal([
      'content-types/b.json: info.pluralName: News is a name of api::a.a already',
    ])
  })

  it('refuses a name that cannot be a path', () => {
    expect(faultsOf(named('a', 'a', 'a/b'))).to.deep.equal([
      'content-types/a.json: info.pluralName: a/b is no name for a path: ' +
        'it takes letters, digits and hyphens',
    ])
    expect(faultsOf(typeFile('My type', {}))[0]).to.contain('info.singularName: My type is no name')
  })

  it('refuses a path that the server uses', () => {
    for (const name of ['auth', 'connect', 'i18n', 'upload', 'Users', 'users-permissions']) {
      expect(faultsOf(named('a', 'a', name)), name).to.deep.equal([
        `content-types/a.json: info.pluralName: /api/${name.toLowerCase()} is taken by the server itself; choose another name`,
      ])
    }
    expect(faultsOf(named('a', 'upload', 'uploads'))).to.deep.equal([])
  })

  it('refuses a collection name that is taken, also by a built-in type', () => {
    const a = typeFile('a', {}, { collectionName: 'things' })
    const b = typeFile('b', {}, { collectionName: 'Things' })
    expect(faultsOf(a, b)).to.have.length(1)
    expect(faultsOf(typeFile('a', {}, { collectionName: 'up_users' }))).to.have.length(1)
    expect(faultsOf(typeFile('a', {}, { collectionName: 'system.users' }))).to.have.length(1)
  })

  it('refuses a duplicate uid', () => {
    const again = { ...named('a', 'c', 'cs'), file: 'content-types/a/schema.json' }
    expect(faultsOf(named('a', 'a', 'as'), again)).to.include(
      'content-types/a/schema.json: api::a.a is declared in content-types/a.json already',
    )
  })

  for (const [label, file] of [
    ['given explicitly', typeFile('a', {}, { collectionName: 'quire_admin_sessions' })],
    ['in any case', typeFile('a', {}, { collectionName: 'Quire_settings' })],
    ['derived from the plural', typeFile('quire-setting', {})],
  ] as const) {
    it(`refuses a collection of the server, ${label}`, () => {
      const [fault = '', ...others] = faultsOf(file)
      expect(others).to.deep.equal([])
      expect(fault).to.match(/collectionName: quire_\w+: collections that begin with quire_ are/i)
    })
  }
})
