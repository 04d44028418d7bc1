import { expect } from 'chai'
import qs from 'qs'
import { fill, type Library, loadLibrary, openLibrary } from '../contract/library.ts'
import { outcome } from '../contract/outcome.ts'

/**
 * Queries as the documentation of the reference builds them, the compared part of the response, and
 * its expected value.
 */
const QUERIES: readonly (readonly [object, string, unknown])[] = [
  [{ filters: { title: { $eq: 'Alpha one' } } }, 'views', [10]],
  [{ filters: { id: { $in: ['{{a1.id}}', '{{a3.id}}'] } } }, 'views', [10, 30]],
  [
    { filters: { $or: [{ kind: { $eq: 'news' } }, { kind: { $eq: 'review' } }] } },
    'views',
    [10, 30],
  ],
  [
    { filters: { $and: [{ $or: [{ views: 10 }, { views: 20 }] }, { tags: { name: 'green' } }] } },
    'views',
    [10],
  ],
  [{ filters: { $not: { views: { $gte: 20 } } } }, 'views', [10]],
  [{ filters: { title: { $not: { $contains: 'a' } } } }, 'views', [50]],
  [{ filters: { author: { profile: { nickname: { $eq: 'annie' } } } } }, 'views', [10, 30]],
  [{ filters: { seo: { metaSocial: { network: { $eq: 'Twitter' } } } } }, 'views', [10]],
  [{ filters: { published_on: { $between: ['2024-01-01', '2024-01-31'] } } }, 'views', [10]],
  [
    { filters: { views: { $notIn: [10, 20, 30] }, body: { $notNull: true } } },
    'views',
    [50, 60, 70],
  ],
  [{ filters: { title: { $containsi: 'ÉTÉ' } } }, 'views', [40]],
  [{ filters: { title: `O'Reilly "q" (re.*) [x] \\back $1` } }, 'views', [60]],
  [{ filters: { title: { $contains: '% pure_' } } }, 'views', [50]],
  [{ filters: { title: { $in: ['日本語 Straße ELAN', '100% pure_gold'] } } }, 'views', [50, 70]],
  [
    { filters: { views: { $in: Array.from({ length: 150 }, (_, index) => index) } } },
    'views',
    [10, 20, 30, 40, 50, 60, 70],
  ],
  [{ filters: { category: { documentId: '{{arts}}' } } }, 'views', [30]],
  [
    { sort: ['kind:desc', 'views:asc'], filters: { kind: { $notNull: true } } },
    'views',
    [30, 20, 10],
  ],
  [
    { sort: { category: { name: 'asc' } }, filters: { category: { id: { $notNull: true } } } },
    'views',
    [30, 10, 20],
  ],
  [{ sort: 'views:desc', pagination: { page: 2, pageSize: 2 } }, 'views', [50, 40]],
  [{ sort: 'views', pagination: { start: 5, limit: 10, withCount: true } }, 'views', [60, 70]],
  [{ fields: ['title'], pagination: { limit: 1 } }, 'title', ['Alpha one']],
  [{ fields: '*', pagination: { limit: 1 } }, 'slug', ['alpha-one']],
  [{ populate: '*', filters: { views: 10 } }, 'category.name', ['Science']],
  [
    { populate: ['tags', 'author.profile'], filters: { views: 10 } },
    'author.profile.nickname',
    ['annie'],
  ],
  [
    {
      populate: {
        author: {
          fields: ['name'],
          populate: { articles: { fields: ['title'], sort: ['views:desc'] } },
        },
      },
      filters: { views: 10 },
    },
    'author.articles.title',
    [['Gamma THREE', 'Alpha one']],
  ],
  [
    {
      populate: { tags: { filters: { name: { $eq: 'green' } }, fields: ['name'] } },
      filters: { views: 10 },
    },
    'tags.name',
    [['green']],
  ],
  [
    {
      populate: { tags: { filters: { $or: [{ weight: { $gt: 2 } }, { name: 'blue' }] } } },
      filters: { views: 10 },
    },
    'tags.name',
    [['red']],
  ],
  [
    { populate: { seo: { populate: { metaImage: true } } }, filters: { views: 10 } },
    'seo.metaImage.name',
    ['pic.png'],
  ],
  [
    {
      populate: {
        sections: {
          on: {
            'sections.hero': { populate: { author: { fields: ['name'] } } },
            'sections.quote': true,
          },
        },
      },
      filters: { views: 10 },
    },
    'sections.0.author.name',
    ['Ann'],
  ],
  [
    { populate: { sections: { populate: '*' } }, filters: { views: 10 } },
    'sections.2.links.0.label',
    ['inner'],
  ],
  [
    { populate: { localizations: { fields: ['title', 'locale'] } }, filters: { views: 10 } },
    'localizations.title',
    [['Alpha un']],
  ],
  [{ populate: { tags: { count: true } }, filters: { views: 10 } }, 'tags.count', [2]],
  [{ populate: { category: true, author: false }, filters: { views: 10 } }, 'author', [undefined]],
  [{ locale: 'fr', fields: ['title'] }, 'title', ['Alpha un']],
  [{ locale: '*', filters: { views: 10 }, sort: 'locale' }, 'locale', ['en', 'fr']],
  [{ status: 'draft', filters: { tags: { name: 'blue' } } }, 'views', [30, 80]],
  [{ status: 'draft', hasPublishedVersion: false }, 'views', [80]],
  [
    { filters: { nope: { $eq: 1 } } },
    '',
    '400 ValidationError: Invalid key nope; did you mean note? [nope null query filters]',
  ],
]

const FORMS: Readonly<Record<string, qs.IStringifyOptions>> = {
  'only values encoded': { encodeValuesOnly: true },
  'keys and values encoded': {},
  'lists with empty brackets': { encodeValuesOnly: true, arrayFormat: 'brackets' },
  'lists as repeated parameters': { encodeValuesOnly: true, arrayFormat: 'repeat' },
  'with a question mark': { encodeValuesOnly: true, addQueryPrefix: true },
}

/**
 * Empty brackets and repetition cannot separate the objects of a list, so the documentation never
 * uses them there.
 */
const holdsObjects = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some((one) => typeof one === 'object')
    : value !== null && typeof value === 'object' && Object.values(value).some(holdsObjects)

describe('URLs built by qs', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('clients_qs')
    await loadLibrary(library)
  })

  after(() => library.close())

  for (const [form, options] of Object.entries(FORMS)) {
    describe(form, () => {
      for (const [query, shown, expected] of QUERIES) {
        const isListed = options.arrayFormat !== undefined
        if (isListed && holdsObjects(query)) continue
        it(`returns the expected entries for ${JSON.stringify(query).slice(0, 140)}`, async () => {
          const text = qs.stringify(fill(query, library.ids), options).replace(/^\??/, '?')
          const answer = await library.server.get(`/api/articles${text}`)
          expect(outcome(answer, shown), answer.text).to.deep.equal(expected)
        })
      }
    })
  }
})
