import { expect } from 'chai'
import * as fc from 'fast-check'
import { CmsError, PaginationError } from '../../../src/base/errors.ts'
import {
  parsePopulate,
  POPULATE_LIMITS,
  type PopulateRules,
} from '../../../src/query/populate/parse-populate.ts'
import type { Filter, PopulateNode } from '../../../src/query/query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  Uid,
} from '../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { thrownBy } from '../../fixtures/errors.ts'

type Attributes = Readonly<Record<string, AttributeDefinition>>

const text: AttributeDefinition = { type: 'string' }
const secret: AttributeDefinition = { type: 'string', private: true }

const schema = compileSchema({
  contentTypes: [
    contentType('api::article.article', true, {
      title: text,
      secret,
      pass: { type: 'password' },
      views: { type: 'integer' },
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      category: relation('manyToOne', 'api::category.category'),
      tags: relation('manyToMany', 'api::tag.tag'),
      author: relation('manyToOne', 'api::author.author'),
      related: relation('oneToMany', 'api::article.article'),
      note: relation('oneToOne', 'api::note.note'),
      reviewer: { ...relation('oneToOne', 'api::author.author'), private: true },
      seo: { type: 'component', component: 'shared.seo' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      sections: {
        type: 'dynamiczone',
        components: ['sections.hero', 'sections.quote', 'sections.linklist'],
      },
    }),
    contentType('api::category.category', true, {
      name: text,
      articles: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::article.article',
        mappedBy: 'category',
      },
    }),
    contentType('api::tag.tag', false, { name: text, weight: { type: 'integer' } }),
    contentType('api::author.author', false, {
      name: text,
      avatar: { type: 'media' },
      profile: relation('oneToOne', 'api::profile.profile'),
      articles: relation('oneToMany', 'api::article.article'),
    }),
    contentType('api::profile.profile', false, { nickname: text }),
    contentType('api::note.note', false, {
      text,
      article: relation('oneToOne', 'api::article.article'),
    }),
    contentType('plugin::upload.file', false, {
      name: text,
      album: relation('manyToOne', 'api::tag.tag'),
    }),
  ],
  components: [
    component('shared.seo', {
      metaTitle: text,
      metaImage: { type: 'media' },
      socials: { type: 'component', component: 'shared.social', repeatable: true },
    }),
    component('shared.social', { network: text, locale: text }),
    component('shared.link', { label: text, weight: { type: 'integer' }, hidden: secret }),
    component('sections.hero', {
      heading: text,
      image: { type: 'media' },
      author: relation('oneToOne', 'api::author.author'),
      note: relation('oneToOne', 'api::note.note'),
      key: { ...relation('oneToOne', 'api::tag.tag'), private: true },
    }),
    component('sections.quote', { text }),
    component('sections.linklist', {
      caption: text,
      links: { type: 'component', component: 'shared.link', repeatable: true },
    }),
  ],
})

function contentType(uid: Uid, localized: boolean, attributes: Attributes): ContentTypeDefinition {
  const name = uid.slice(uid.indexOf('.') + 1)
  return {
    uid,
    file: `content-types/${name}.json`,
    kind: 'collectionType',
    collectionName: name,
    singularName: name,
    pluralName: `${name}s`,
    displayName: name,
    draftAndPublish: false,
    localized,
    attributes,
  }
}

function component(uid: Uid, attributes: Attributes): ComponentDefinition {
  return { uid, file: `content-types/components/${uid}.json`, displayName: uid, attributes }
}

function relation(
  relation: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany',
  target: Uid,
): AttributeDefinition {
  return { type: 'relation', relation, target }
}

function typeOf(uid: Uid): ContentTypePlan {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`${uid} was not compiled`)
  return plan
}

const article = typeOf('api::article.article')
const file = typeOf('plugin::upload.file')

/** The rules of a principal that may read everything but notes. */
const rules: PopulateRules = {
  mayRead: (uid) => uid !== 'api::note.note',
  defaultLimit: 25,
  maxLimit: 100,
  fileHolder: file,
  components: schema.components,
}

const nodesOf = (
  input: unknown,
  overrides: Partial<PopulateRules> = {},
  holder: ContentTypePlan = article,
): readonly PopulateNode[] => parsePopulate(input, holder, { ...rules, ...overrides })

/** Shows nodes without their plans: `'tags'`, or `['tags', { … }]` with unusual options. */
function shapes(nodes: readonly PopulateNode[]): unknown[] {
  return nodes.map((node) => {
    if (node.kind === 'zone') {
      const on = [...node.on].map(([uid, shown]) => [uid, unusual(shown)])
      const mode = node.mode === 'entries' ? {} : { mode: node.mode }
      return [node.zone.name, { ...mode, on: Object.fromEntries(on) }]
    }
    if (node.kind === 'users') {
      const types = node.types.map(({ uid }) => uid)
      return ['related', { ...(node.mode === 'count' && { mode: 'count' }), types }]
    }
    const changes = unusual(node)
    return Object.keys(changes).length === 0 ? nameOf(node) : [nameOf(node), changes]
  })
}

function nameOf(node: PopulateNode): string {
  switch (node.kind) {
    case 'relation':
      return node.relation.name
    case 'component':
      return node.component.name
    case 'media':
      return node.media.name
    case 'zone':
      return node.zone.name
    case 'localizations':
      return node.kind
    case 'users':
      return 'related'
  }
}

type Shown = Omit<Extract<PopulateNode, { kind: 'component' }>, 'kind' | 'component' | 'mode'>

function unusual(node: Shown & { readonly mode?: string; readonly range?: unknown }): object {
  const { mode, fields, filter, sort, populate, range } = node
  return {
    ...(mode === undefined || mode === 'entries' ? {} : { mode }),
    ...(fields === 'all' ? {} : { fields }),
    ...(filter === null ? {} : { filter: conditionOf(filter) }),
    ...(sort.length === 0
      ? {}
      : { sort: sort.map(({ attribute, direction }) => `${attribute.name}:${direction}`) }),
    ...(populate.length === 0 ? {} : { populate: shapes(populate) }),
    ...(range === undefined || range === null ? {} : { range }),
  }
}

function conditionOf(filter: Filter): unknown {
  return filter.kind === 'compare'
    ? [filter.attribute.name, filter.operator, filter.operand]
    : filter.kind
}

const EVERY_COMPONENT = { 'sections.hero': {}, 'sections.quote': {}, 'sections.linklist': {} }
const ZONE = ['sections', { on: EVERY_COMPONENT }]

/** Builds `related.related.…` of the given depth. */
const relatedLevels = (levels: number): string =>
  Array.from({ length: levels }, () => 'related').join('.')

type Row = readonly [subject: string, input: unknown, expected: readonly unknown[]]

function accepts(rows: readonly Row[]): void {
  for (const [subject, input, expected] of rows) {
    it(`accepts ${subject}`, () => {
      expect(shapes(nodesOf(input))).to.deep.equal(expected)
    })
  }
}

describe('parsePopulate', () => {
  describe('names', () => {
    accepts([
      ['undefined', undefined, []],
      ['an empty text', '', []],
      ['an empty text in a list', [''], []],
      ['an empty object', {}, []],
      ['one name', 'category', ['category']],
      ['names by commas, in the order of the schema', 'tags,category', ['category', 'tags']],
      ['spaces and a trailing comma', ' tags , author, ', ['tags', 'author']],
      ['a list', ['category', 'tags'], ['category', 'tags']],
      ['commas in a list', ['category,tags', 'cover'], ['cover', 'category', 'tags']],
      ['repetitions', ['tags', 'tags,tags'], ['tags']],
      [
        'every kind',
        'localizations,sections,links,seo,tags,cover,gallery',
        ['cover', 'gallery', 'tags', 'seo', 'links', ZONE, 'localizations'],
      ],
      ['an object', { tags: 'true', category: 'true' }, ['category', 'tags']],
      [
        '1, t and the boolean true',
        { tags: '1', author: 't', seo: true },
        ['tags', 'author', 'seo'],
      ],
      ['false, 0 and f as absent', { tags: 'false', author: '0', seo: 'f', cover: false }, []],
      [
        'ids of relations and media',
        { tags: 'ids', category: 'ids', cover: 'ids' },
        [
          ['cover', { mode: 'ids' }],
          ['category', { mode: 'ids' }],
          ['tags', { mode: 'ids' }],
        ],
      ],
    ])

    it('puts localizations last for any input order', () => {
      expect(shapes(nodesOf(['localizations', 'sections']))).to.deep.equal([ZONE, 'localizations'])
    })
  })

  describe('*', () => {
    it('selects everything one level down except private and forbidden attributes', () => {
      expect(shapes(nodesOf('*'))).to.deep.equal([
        'cover',
        'gallery',
        'category',
        'tags',
        'author',
        'related',
        'seo',
        'links',
        ZONE,
        'localizations',
      ])
    })

    it('selects readable relations, and localizations of localized types only', () => {
      const all = { mayRead: () => true }
      expect(shapes(nodesOf('*', all))).to.include('note')
      expect(shapes(nodesOf('*', all, typeOf('api::author.author')))).to.deep.equal([
        'avatar',
        'profile',
        'articles',
      ])
      expect(nodesOf('*', { mayRead: () => false }, typeOf('api::note.note'))).to.deep.equal([])
    })

    accepts([
      [
        'a star inside a relation',
        { author: { populate: '*' } },
        [['author', { populate: ['avatar', 'profile', 'articles'] }]],
      ],
      [
        'a star inside a component',
        { seo: { populate: '*' } },
        [['seo', { populate: ['metaImage', 'socials'] }]],
      ],
      [
        'a star inside media',
        { cover: { populate: '*' } },
        [
          [
            'cover',
            {
              populate: [
                'album',
                ['related', { types: ['api::article.article', 'api::author.author'] }],
              ],
            },
          ],
        ],
      ],
    ])
  })

  describe('dotted paths', () => {
    accepts([
      ['a relation of a relation', 'author.profile', [['author', { populate: ['profile'] }]]],
      [
        'a shared prefix',
        'author.profile,author.avatar,author',
        [['author', { populate: ['avatar', 'profile'] }]],
      ],
      ['a component in a component', 'seo.socials', [['seo', { populate: ['socials'] }]]],
      [
        'media of a component and its relations',
        'seo.metaImage.album',
        [['seo', { populate: [['metaImage', { populate: ['album'] }]] }]],
      ],
      [
        'a circular path with a first page for its inverse side',
        'category.articles.category',
        [
          [
            'category',
            {
              populate: [['articles', { range: { start: 0, limit: 25 }, populate: ['category'] }]],
            },
          ],
        ],
      ],
      [
        'localizations and paths below them',
        'localizations.category.localizations',
        [['localizations', { populate: [['category', { populate: ['localizations'] }]] }]],
      ],
      [
        'a path through the matching components of a zone',
        'sections.author.profile',
        [
          [
            'sections',
            {
              on: {
                ...EVERY_COMPONENT,
                'sections.hero': { populate: [['author', { populate: ['profile'] }]] },
              },
            },
          ],
        ],
      ],
      [
        'dotted paths in a nested list',
        { author: { populate: ['profile', 'articles.tags'] } },
        [['author', { populate: ['profile', ['articles', { populate: ['tags'] }]] }]],
      ],
    ])
  })

  describe('options', () => {
    accepts([
      ['fields', { category: { fields: ['name'] } }, [['category', { fields: ['name'] }]]],
      [
        'filters',
        { tags: { filters: { weight: { $gt: '1' } } } },
        [['tags', { filter: ['weight', 'gt', 1] }]],
      ],
      [
        'sort',
        { tags: { sort: 'weight:desc,name' } },
        [['tags', { sort: ['weight:desc', 'name:asc'] }]],
      ],
      [
        'all options together',
        {
          author: {
            fields: 'name',
            populate: {
              articles: { fields: ['title'], sort: 'views', filters: { views: '1' } },
              profile: 'true',
            },
          },
        },
        [
          [
            'author',
            {
              fields: ['name'],
              populate: [
                'profile',
                [
                  'articles',
                  { fields: ['title'], filter: ['views', 'eq', 1], sort: ['views:asc'] },
                ],
              ],
            },
          ],
        ],
      ],
      [
        'options of a component',
        { links: { fields: 'label', sort: 'weight' } },
        [['links', { fields: ['label'], sort: ['weight:asc'] }]],
      ],
      [
        'a member that is called locale in a component',
        {
          seo: { populate: { socials: { fields: 'locale' } } },
        },
        [['seo', { populate: [['socials', { fields: ['locale'] }]] }]],
      ],
      [
        'options of media',
        { gallery: { fields: ['name'], populate: 'album' } },
        [['gallery', { fields: ['name'], populate: ['album'] }]],
      ],
      [
        'options of localizations',
        { localizations: { fields: ['title', 'locale'] } },
        [['localizations', { fields: ['title', 'locale'] }]],
      ],
      [
        'count',
        { tags: { count: 'true' }, author: { count: '1' }, seo: { count: 't' } },
        [
          ['tags', { mode: 'count' }],
          ['author', { mode: 'count' }],
          ['seo', { mode: 'count' }],
        ],
      ],
      [
        'count with filters',
        { tags: { count: 'true', filters: { name: 'a' } } },
        [['tags', { mode: 'count', filter: ['name', 'eq', 'a'] }]],
      ],
      ['count=false as absent', { tags: { count: 'false' } }, ['tags']],
      ['an empty nested populate', { author: { populate: '' } }, ['author']],
    ])

    accepts([
      [
        'a page of a to-many relation',
        { tags: { pagination: { page: '3', pageSize: '5' } } },
        [['tags', { range: { start: 10, limit: 5 } }]],
      ],
      [
        'the first page by default',
        { tags: { pagination: { pageSize: '5' } } },
        [['tags', { range: { start: 0, limit: 5 } }]],
      ],
      [
        'the default size',
        { tags: { pagination: { page: '2' } } },
        [['tags', { range: { start: 25, limit: 25 } }]],
      ],
      [
        'an offset',
        { tags: { pagination: { start: '7', limit: '2' } } },
        [['tags', { range: { start: 7, limit: 2 } }]],
      ],
      [
        'sizes up to the maximum',
        { tags: { pagination: { limit: '1000' } } },
        [['tags', { range: { start: 0, limit: 100 } }]],
      ],
    ])
  })

  describe('zones', () => {
    accepts([
      ['true', { sections: 'true' }, [ZONE]],
      [
        'one more level',
        { sections: { populate: '*' } },
        [
          [
            'sections',
            {
              on: {
                'sections.hero': { populate: ['image', 'author'] },
                'sections.quote': {},
                'sections.linklist': { populate: ['links'] },
              },
            },
          ],
        ],
      ],
      [
        'components by name',
        {
          sections: {
            on: { 'sections.quote': 'true', 'sections.hero': { populate: ['image', 'author'] } },
          },
        },
        [
          [
            'sections',
            { on: { 'sections.quote': {}, 'sections.hero': { populate: ['image', 'author'] } } },
          ],
        ],
      ],
      [
        'options of a component, nested',
        {
          sections: {
            on: {
              'sections.linklist': {
                fields: 'caption',
                populate: { links: { fields: ['label'], sort: 'weight' } },
              },
              'sections.hero': { filters: { heading: 'a' }, populate: 'author.profile' },
            },
          },
        },
        [
          [
            'sections',
            {
              on: {
                'sections.linklist': {
                  fields: ['caption'],
                  populate: [['links', { fields: ['label'], sort: ['weight:asc'] }]],
                },
                'sections.hero': {
                  filter: ['heading', 'eq', 'a'],
                  populate: [['author', { populate: ['profile'] }]],
                },
              },
            },
          ],
        ],
      ],
      [
        '`on` in preference to populate',
        {
          sections: { populate: '*', on: { 'sections.hero': 'true' } },
        },
        [['sections', { on: { 'sections.hero': {} } }]],
      ],
      [
        'a component set to false',
        { sections: { on: { 'sections.hero': 'false' } } },
        [['sections', { on: {} }]],
      ],
      [
        'a component outside of the zone as no component',
        {
          sections: { on: { 'shared.link': 'true' } },
        },
        [['sections', { on: {} }]],
      ],
      [
        'count',
        { sections: { count: 'true' } },
        [['sections', { mode: 'count', on: EVERY_COMPONENT }]],
      ],
      [
        'count of some components',
        { sections: { count: 'true', on: { 'sections.hero': '1' } } },
        [['sections', { mode: 'count', on: { 'sections.hero': {} } }]],
      ],
    ])
  })

  describe('relations to unreadable types', () => {
    accepts([
      ['one name and omits it', 'note', []],
      ['a name in a list and omits it', ['note', 'category'], ['category']],
      ['a dotted path through an unreadable type and omits it', 'note.article.tags,tags', ['tags']],
      [
        'options of an unreadable type and omits them',
        { note: { count: 'true', fields: 'text' } },
        [],
      ],
      ['ids of an unreadable type and omits them', { note: 'ids' }, []],
      [
        'a nested unreadable type and omits it',
        { related: { populate: ['note', 'tags'] } },
        [['related', { populate: ['tags'] }]],
      ],
      ['an unreadable type in a component of a zone and omits it', 'sections.note', [ZONE]],
    ])
  })

  describe('invalid input', () => {
    interface Fault {
      readonly message: string
      readonly key: string
      readonly path: string | null
    }
    const unknown = (key: string): Fault => ({ message: `Invalid key ${key}`, key, path: key })
    const unknownAt = (key: string, path: string): Fault => ({
      message: `Invalid key ${key} at ${path}`,
      key,
      path,
    })
    const unusableAt = (key: string, parent: string): Fault => ({
      message: `Invalid key ${key} at ${parent}.${key}`,
      key,
      path: `${parent}.${key}`,
    })
    const nested = (key: string): Fault => ({ message: `Invalid key ${key}`, key, path: null })
    /** The message names the level. The path is relative to it, as in the reference. */
    const within = (level: string, fault: Fault): Fault => ({
      ...fault,
      message: `${level}: ${fault.message}`,
    })

    const keys: readonly (readonly [string, unknown, Fault])[] = [
      ['true', 'true', unknown('true')],
      ['false', 'false', unknown('false')],
      ['deep', 'deep', unknown('deep')],
      ['* in a list', ['*'], unknown('*')],
      ['* together with other names', '*,category', unknown('*')],
      ['* as a key', { '*': 'true' }, unknown('*')],
      ['an unknown name', ['category', 'nope'], unknown('nope')],
      ['an unknown name as a key, before its options', { nope: { foo: '1' } }, unknown('nope')],
      ['an unknown name set to false', { nope: 'false' }, unknown('nope')],
      ['a position as a key', { '1000': 'tags' }, unknown('1000')],
      ['a dotted key of an object', { 'author.profile': 'true' }, unknown('author.profile')],
      ['a scalar', 'views', unknown('views')],
      ['a system attribute', 'createdAt', unknown('createdAt')],
      ['a private attribute', 'secret', unknown('secret')],
      ['a password', 'pass', unknown('pass')],
      ['a private relation', 'reviewer', unknown('reviewer')],
      ['creators', ['createdBy', 'updatedBy'], unknown('createdBy')],
      ['inherited names', 'constructor', unknown('constructor')],
      ['__proto__', '__proto__.polluted', unknown('__proto__')],
      [
        'localizations of a type without them',
        'tags.localizations',
        {
          message: 'Invalid key localizations at tags.localizations',
          key: 'localizations',
          path: 'tags.localizations',
        },
      ],
      [
        'an unknown name in a nested list',
        { author: { populate: ['nope'] } },
        within('populate.author.populate', unknown('nope')),
      ],
      [
        'a scalar in a nested list',
        { author: { populate: ['name'] } },
        within('populate.author.populate', unknown('name')),
      ],
      [
        'an unknown name in a nested object',
        { seo: { populate: { nope: '1' } } },
        within('populate.seo.populate', unknown('nope')),
      ],
      ['an unknown name in a path', 'author.nope', unusableAt('nope', 'author')],
      [
        'an unknown name deeper in a path',
        'author.articles.nope.x',
        unusableAt('nope', 'author.articles'),
      ],
      ['a scalar in a path', 'author.name', unusableAt('name', 'author')],
      ['* in a path', 'author.*', unusableAt('*', 'author')],
      ['creators in a path', 'author.createdBy', unusableAt('createdBy', 'author')],
      ['a path that ends in a dot', 'author.', unusableAt('', 'author')],
      ['a name that no component of a zone has', 'sections.nope', unusableAt('nope', 'sections')],
      ['a name that is private in a component', 'sections.key', unusableAt('key', 'sections')],
      ['an empty text as the value of a name', { category: '' }, unknownAt('', 'category')],
      [
        'any text as the value of a name',
        { category: 'articles' },
        unknownAt('articles', 'category'),
      ],
      ['a list as the value of a name', { author: ['profile'] }, unknownAt('0', 'author')],
      ['ids of a component', { seo: 'ids' }, unknownAt('ids', 'seo')],
      ['ids of localizations', { localizations: 'ids' }, unknownAt('ids', 'localizations')],
      ['ids of a zone', { sections: 'ids' }, unknownAt('ids', 'sections')],
      ['* for a type without relations', { tags: '*' }, unknownAt('*', 'tags')],
      ['an unknown option of a relation', { author: { foo: '1' } }, unknownAt('foo', 'author')],
      [
        'a nested unknown option',
        {
          author: { populate: { profile: { foo: '1' } } },
        },
        within('populate.author.populate', unknownAt('foo', 'profile')),
      ],
      ['status', { category: { status: 'draft' } }, unknownAt('status', 'category')],
      ['locale', { category: { locale: 'fr' } }, unusableAt('locale', 'category')],
      ['limit', { tags: { limit: '1' } }, unknownAt('limit', 'tags')],
      ['start', { tags: { start: '1' } }, unknownAt('start', 'tags')],
      ['on outside of zones', { tags: { on: {} } }, unknownAt('on', 'tags')],
      [
        'pagination of a to-one relation',
        {
          author: { pagination: { page: '1' } },
        },
        unknownAt('pagination', 'author'),
      ],
      [
        'pagination of media',
        {
          gallery: { pagination: { page: '1' } },
        },
        unknownAt('pagination', 'gallery'),
      ],
      [
        'pagination of a component',
        {
          links: { pagination: { page: '1' } },
        },
        unknownAt('pagination', 'links'),
      ],
      [
        'a cursor inside',
        {
          tags: { pagination: { cursor: '' } },
        },
        unknownAt('cursor', 'tags.pagination'),
      ],
      ['an unknown option of a zone', { sections: { foo: '1' } }, unknownAt('foo', 'sections')],
      [
        'a list for a whole zone',
        {
          sections: { populate: ['image'] },
        },
        unknownAt('populate', 'sections'),
      ],
      [
        '* in a list for a whole zone',
        {
          sections: { populate: ['*'] },
        },
        unknownAt('populate', 'sections'),
      ],
      [
        'an unknown component',
        {
          sections: { on: { 'sections.nope': 'true' } },
        },
        {
          ...unusableAt('sections.nope', 'sections.on'),
          message:
            'Invalid key sections.nope at sections.on.sections.nope; did you mean sections.quote?',
        },
      ],
      [
        'ids of a component in a zone',
        {
          sections: { on: { 'sections.hero': 'ids' } },
        },
        unknownAt('ids', 'sections.on.sections.hero'),
      ],
      [
        'count of a component in a zone',
        {
          sections: { on: { 'sections.hero': { count: 'true' } } },
        },
        unknownAt('count', 'sections.on.sections.hero'),
      ],
      [
        'an unknown option of a component outside of the zone',
        {
          sections: { on: { 'shared.link': { foo: '1' } } },
        },
        unknownAt('foo', 'sections.on.shared.link'),
      ],
      [
        'an unknown name in a component of a zone',
        {
          sections: { on: { 'sections.hero': { populate: 'nope' } } },
        },
        within('populate.sections.on.sections.hero.populate', unknown('nope')),
      ],
      [
        'an unknown name two levels down',
        { author: { populate: { articles: { populate: 'nope' } } } },
        within('populate.author.populate.articles.populate', unknown('nope')),
      ],
      [
        'an unknown name after a valid nested list',
        { author: { populate: ['articles'] }, nope: 'true' },
        unknown('nope'),
      ],
      [
        'nested filters',
        { tags: { filters: { nope: '1' } } },
        within('populate.tags.filters', nested('nope')),
      ],
      [
        'nested fields',
        { tags: { fields: ['nope'] } },
        within('populate.tags.fields', nested('nope')),
      ],
      ['nested sort', { tags: { sort: 'nope' } }, within('populate.tags.sort', nested('nope'))],
      [
        'a private field of a component',
        { links: { fields: 'hidden' } },
        within('populate.links.fields', unknown('hidden')),
      ],
    ]
    for (const [subject, input, { message, key, path }] of keys) {
      it(`refuses ${subject}: ${message}`, () => {
        const error = thrownBy(() => nodesOf(input))
        expect([error.status, error.name, error.message]).to.deep.equal([
          400,
          'ValidationError',
          message,
        ])
        expect(error.details).to.deep.equal({ key, path, source: 'query', param: 'populate' })
      })
    }

    it('reports the first attribute that * selects for a name', () => {
      const error = thrownBy(() => nodesOf({ category: '*' }))
      expect(error.message).to.equal('Invalid key articles at category.articles')
      expect(error.details).to.deep.equal({ key: 'articles', path: 'category.articles' })
    })

    const mixed = /^populate: a list must hold texts only and cannot be mixed with the object form$/
    const withoutFragment = (found: string): RegExp =>
      new RegExp(
        '^Invalid nested populate for article\\.sections \\(api::article\\.article\\)\\. ' +
          `Expected a fragment \\("on"\\) or "count" but found "${found}"$`,
      )
    const refused: readonly (readonly [string, unknown, RegExp])[] = [
      ['a number', 7, /^populate: expected a text, a list of texts or an object$/],
      ['null', null, /^populate: expected a text, a list of texts or an object$/],
      ['a list and an object', { '0': 'category', tags: 'true' }, mixed],
      ['a text and an object', ['category', { tags: 'true' }], mixed],
      ['a list of objects', [{ tags: 'true' }], mixed],
      [
        'a nested mix of list and object',
        { author: { populate: { '0': 'profile', articles: '1' } } },
        mixed,
      ],
      ['fields of a zone', { sections: { fields: ['heading'] } }, withoutFragment('fields')],
      ['filters of a zone', { sections: { filters: {} } }, withoutFragment('filters')],
      ['* as the value of a zone', { sections: '*' }, withoutFragment('\\*')],
      ['`on` as a text', { sections: { on: 'x' } }, /^populate\[sections\]\[on\]: expected/],
      ['`on` as a list', { sections: { on: ['x'] } }, /^populate\[sections\]\[on\]: expected/],
      ['an invalid count', { tags: { count: 'yes' } }, /^populate\[tags\]\[count\]: expected/],
      ['an invalid page', { tags: { pagination: { page: 'x' } } }, /^pagination\[page\]: /],
      [
        'pagination given as text',
        { tags: { pagination: 'x' } },
        /^pagination: expected an object/,
      ],
      ['a list of paginations', { tags: { pagination: ['x'] } }, /^pagination: expected an object/],
      ['filters given as text', { tags: { filters: 'x' } }, /^The filters parameter must be/],
      ['an unknown sort direction', { tags: { sort: 'name:up' } }, /^Invalid order\./],
      [
        'a filter value that does not parse',
        { tags: { filters: { weight: 'x' } } },
        /^filters\[weight\]/,
      ],
    ]
    for (const [subject, input, message] of refused) {
      it(`refuses ${subject}`, () => {
        const error = thrownBy(() => nodesOf(input))
        expect([error.status, error.name]).to.deep.equal([400, 'ValidationError'])
        expect(error.message).to.match(message)
      })
    }

    it('refuses page and offset together', () => {
      const pagination = { page: '1', start: '2' }
      expect(thrownBy(() => nodesOf({ tags: { pagination } }))).to.be.instanceOf(PaginationError)
    })

    it('refuses options and paths below media that do not support them', () => {
      const bare = { fileHolder: null }
      expect(shapes(nodesOf('cover', bare))).to.deep.equal(['cover'])
      expect(shapes(nodesOf({ cover: { count: 'true' } }, bare))).to.deep.equal([
        ['cover', { mode: 'count' }],
      ])
      for (const [input, message] of [
        [{ cover: { fields: 'name' } }, 'Invalid key fields at cover'],
        [{ cover: { populate: '*' } }, 'Invalid key populate at cover'],
        [{ cover: '*' }, 'Invalid key * at cover'],
        ['cover.album', 'Invalid key album at cover.album'],
      ] as const) {
        expect(thrownBy(() => nodesOf(input, bare)).message).to.equal(message)
      }
    })
  })

  describe('limits', () => {
    /** Selects two attributes at each level of nested `related`. */
    const wide = (levels: number): unknown =>
      levels === 0 ? {} : { tags: 'true', related: { populate: wide(levels - 1) } }

    it(`accepts ${POPULATE_LIMITS.depth} levels and refuses more`, () => {
      expect(() => nodesOf(relatedLevels(20))).not.to.throw()
      for (const levels of [21, 5_000]) {
        const error = thrownBy(() => nodesOf(relatedLevels(levels)))
        expect([error.status, error.message]).to.deep.equal([400, 'populate: at most 20 levels'])
      }
      expect(thrownBy(() => nodesOf(wide(21))).message).to.equal('populate: at most 20 levels')
    })

    it(`accepts ${POPULATE_LIMITS.nodes} attributes in total and refuses more`, () => {
      const paths = ['tags', 'author', 'category', 'seo', 'links'].flatMap((name) =>
        Array.from({ length: 19 }, (_, levels) => `${'related.'.repeat(levels)}${name}`),
      )
      expect(() => nodesOf(paths.slice(0, 82))).not.to.throw() // `related` 18 times and 82 paths
      const error = thrownBy(() => nodesOf(paths.slice(0, 83)))
      expect([error.status, error.message]).to.deep.equal([
        400,
        'populate: at most 100 attributes in one request',
      ])
    })

    it('counts the attributes selected by * and by zones', () => {
      const star = (levels: number): unknown =>
        levels === 0
          ? '*'
          : { related: { populate: star(levels - 1) }, sections: { populate: '*' } }
      expect(() => nodesOf(star(10))).not.to.throw()
      expect(thrownBy(() => nodesOf(star(19))).message).to.match(/at most 100 attributes/)
    })
  })

  describe('random input', () => {
    const names =
      '* true false ids nope 0 $not __proto__ constructor tags author related note seo links sections cover ' +
      'category author.profile sections.author seo.socials tags,seo name locale fields filters sort populate ' +
      'count on pagination sections.hero'
    const name = fc.constantFrom('', ...names.split(' '))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        name,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: false }),
      ),
    }))
    const parsesOrRefuses = (input: unknown): void => {
      try {
        expect(nodesOf(input)).to.be.an('array')
      } catch (error) {
        if (!(error instanceof CmsError)) throw error
        expect(error.status).to.equal(400)
      }
    }

    it('parses or fails with 400 for trees of keywords', () => {
      fc.assert(fc.property(value, parsesOrRefuses), { numRuns: 2_000 })
    })

    it('parses or fails with 400 for values of any kind', () => {
      fc.assert(fc.property(fc.anything({ withBigInt: true }), parsesOrRefuses), { numRuns: 1_000 })
    })

    it('never shows an unreadable type', () => {
      const isShown = (nodes: readonly PopulateNode[]): boolean =>
        nodes.some((node) =>
          node.kind === 'zone'
            ? [...node.on.values()].some(({ populate }) => isShown(populate))
            : node.kind === 'users'
              ? node.types.some(({ uid }) => uid === 'api::note.note')
              : nameOf(node) === 'note' || isShown(node.populate),
        )
      const shows = (input: unknown): boolean => {
        try {
          return isShown(nodesOf(input))
        } catch (error) {
          if (error instanceof CmsError) return false
          throw error
        }
      }
      fc.assert(
        fc.property(value, (input) => !shows(input)),
        { numRuns: 1_000 },
      )
    })
  })
})
