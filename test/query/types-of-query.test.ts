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
  format: 'v5',
  fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
  answer: measureAnswer({ maxEntries: 1_000, maxBytes: 1_000_000 }),
}

describe('the types that an answer is made of', () => {
  const plan = schema.contentTypes.get('api::article.article')
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['its own alone', 'filters[title]=a&sort=title&fields=title', []],
    ['a relation that is populated', 'populate=author', ['author']],
    ['one of which only ids are shown', 'populate[author]=ids', ['author']],
    ['one that is only counted', 'populate[author][count]=true', ['author']],
    [
      'relations within each other',
      'populate[author][populate][town][populate]=land',
      ['author', 'town', 'land'],
    ],
    ['files', 'populate=cover', ['file']],
    ['other locales, and what they show', 'populate[localizations][populate]=author', ['author']],
    ['what a component shows', 'populate[seo][populate]=town', ['town']],
    [
      'what a component in a zone shows',
      'populate[sections][on][shared.seo][populate]=town',
      ['town'],
    ],
    ['everything, one level', 'populate=*', ['author', 'file']],
    ['conditions', 'filters[author][town][name]=a', ['author', 'town']],
    ['conditions of files', 'filters[cover][name]=a', ['file']],
    ['conditions within others', 'filters[$or][0][$not][author][name]=a', ['author']],
    ['conditions of components', 'filters[seo][town][name]=a', ['town']],
    [
      'conditions of what is populated',
      'populate[author][filters][town][name]=a',
      ['author', 'town'],
    ],
    ['orders', 'sort=author.town.name', ['author', 'town']],
    ['orders of what is populated', 'populate[author][sort]=town.name', ['author', 'town']],
  ]
  for (const [what, query, expected] of cases) {
    it(`are ${what}: ${query}`, () => {
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
