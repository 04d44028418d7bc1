import { expect } from 'chai'
import qs from 'qs'
import { measureAnswer } from '../../src/query/answer-size.ts'
import { parseQuery } from '../../src/query/parse-query.ts'
import type { QueryRules } from '../../src/query/query.ts'
import { typesOfQuery } from '../../src/query/types-of-query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { AttributeDefinition } from '../../src/schema/definition.ts'
import { component, contentType } from '../fixtures/definitions.ts'

const text: AttributeDefinition = { type: 'string' }
const PLAIN = { draftAndPublish: false, localized: false }

function one(target: string): AttributeDefinition {
  return { type: 'relation', relation: 'oneToOne', target: `api::${target}.${target}` }
}

const schema = compileSchema({
  contentTypes: [
    contentType(
      'article',
      { draftAndPublish: true, localized: true },
      {
        title: text,
        author: one('author'),
        cover: { type: 'media', multiple: false },
        seo: { type: 'component', component: 'shared.seo' },
        sections: { type: 'dynamiczone', components: ['shared.seo', 'shared.plain'] },
      },
    ),
    contentType('author', PLAIN, { name: text, town: one('town') }),
    contentType('town', PLAIN, { name: text, land: one('land') }),
    contentType('land', PLAIN, { name: text }),
    { ...contentType('file', PLAIN, { name: text }), uid: 'plugin::upload.file' },
  ],
  components: [
    component('shared.seo', { title: text, town: one('town') }),
    component('shared.plain', { title: text }),
  ],
})

const codes = ['en', 'fr']
const rules: QueryRules = {
  defaultLimit: 25,
  maxLimit: 100,
  locales: {
    defaultCode: 'en',
    all: codes.map((code) => ({ code })),
    has: (code) => codes.includes(code),
  },
  mayRead: () => true,
  mayReadDrafts: () => true,
  components: schema.components,
  contentTypes: schema.contentTypes,
  format: 'v5',
  fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
  answer: measureAnswer({ maxEntries: 1_000, maxBytes: 1_000_000 }),
}

describe('the types in a response', () => {
  const plan = schema.contentTypes.get('api::article.article')
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['only the requested type', 'filters[title]=a&sort=title&fields=title', []],
    ['a populated relation', 'populate=author', ['author']],
    ['a relation shown by ids', 'populate[author]=ids', ['author']],
    ['a counted relation', 'populate[author][count]=true', ['author']],
    [
      'nested relations',
      'populate[author][populate][town][populate]=land',
      ['author', 'town', 'land'],
    ],
    ['files', 'populate=cover', ['file']],
    ['relations of other locales', 'populate[localizations][populate]=author', ['author']],
    ['relations of a component', 'populate[seo][populate]=town', ['town']],
    [
      'relations of a component in a zone',
      'populate[sections][on][shared.seo][populate]=town',
      ['town'],
    ],
    ['all relations one level deep', 'populate=*', ['author', 'file']],
    ['relations in filters', 'filters[author][town][name]=a', ['author', 'town']],
    ['files in filters', 'filters[cover][name]=a', ['file']],
    ['relations in nested filters', 'filters[$or][0][$not][author][name]=a', ['author']],
    ['relations of components in filters', 'filters[seo][town][name]=a', ['town']],
    [
      'relations in filters of populated relations',
      'populate[author][filters][town][name]=a',
      ['author', 'town'],
    ],
    ['relations in sort', 'sort=author.town.name', ['author', 'town']],
    [
      'relations in sort of populated relations',
      'populate[author][sort]=town.name',
      ['author', 'town'],
    ],
  ]
  for (const [label, query, expected] of cases) {
    it(`contain ${label}: ${query}`, () => {
      if (plan === undefined) throw new Error('there is an article')
      const types = typesOfQuery(plan, parseQuery(qs.parse(query, { depth: 20 }), plan, rules))
      const names = [...types]
        .map((uid) => uid.split('.').at(-1))
        .filter((name) => name !== 'article')
      expect(types.has(plan.uid)).to.equal(true)
      expect(names).to.have.members(expected)
    })
  }
})
