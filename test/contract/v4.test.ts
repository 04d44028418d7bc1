import { expect } from 'chai'
import type { Answer, Json } from '../support/server.ts'
import { type Library, loadLibrary, openLibrary } from './library.ts'
import { type Row, testTable } from './table.ts'

const V4 = { 'strapi-response-format': 'v4' }

/**
 * The previous format. Rules: an entry with a documentId is `{ id, documentId, attributes }`.
 * Targets of relations, media and `localizations` stand under `data`, including null and lists.
 * Components and zones stay flat, and their targets are wrapped. Counts, errors, `meta`, /users and
 * /upload are unchanged. Writes respond like reads.
 */
const ROWS: readonly Row[] = [
  ['GET /articles/{{a1}}?fields=title → attributes', { title: 'Alpha one' }],
  ['GET /articles/{{a1}}?fields=title → documentId.length', 24],
  ['GET /articles/{{a1}}?fields=title → title', undefined],
  ['GET /articles/{{a1}}?status=draft&fields=views → attributes', { views: 10 }],
  ['GET /articles?locale=fr&fields=title → attributes', [{ title: 'Alpha un' }]],
  [
    'GET /articles/{{a1}}?populate[category][fields]=name → attributes.category.data.attributes',
    { name: 'Science' },
  ],
  ['GET /articles/{{a5}}?populate=category → attributes.category', { data: null }],
  ['GET /articles/{{a5}}?populate=tags → attributes.tags', { data: [] }],
  ['GET /articles/{{a5}}?populate=cover → attributes.cover', { data: null }],
  ['GET /articles/{{a5}}?populate=gallery → attributes.gallery', { data: [] }],
  ['GET /articles/{{a5}}?populate=localizations → attributes.localizations', { data: [] }],
  ['GET /articles/{{a5}}?populate=seo → attributes.seo', null],
  ['GET /articles/{{a5}}?populate=links → attributes.links', []],
  ['GET /articles/{{a5}}?populate=sections → attributes.sections', []],
  ['GET /articles/{{a1}}?populate[tags][count]=true → attributes.tags', { count: 2 }],
  ['GET /articles/{{a1}}?populate[links][count]=true → attributes.links', { count: 2 }],
  [
    'GET /articles/{{a1}}?populate=author.profile → attributes.author.data.attributes.profile.data.attributes.nickname',
    'annie',
  ],
  [
    'GET /articles/{{a1}}?populate[author][populate]=articles → attributes.author.data.attributes.articles.data.attributes.views',
    [10, 30],
  ],
  ['GET /articles/{{a1}}?populate=links → attributes.links.label', ['L1', 'L2']],
  [
    'GET /articles/{{a1}}?populate[seo][populate]=* → attributes.seo.metaImage.data.attributes.name',
    'pic.png',
  ],
  [
    'GET /articles/{{a1}}?populate[seo][populate]=* → attributes.seo.metaSocial.network',
    ['Facebook', 'Twitter'],
  ],
  [
    'GET /articles/{{a1}}?populate[sections][populate]=* → attributes.sections.0.author.data.attributes.name',
    'Ann',
  ],
  [
    'GET /articles/{{a1}}?populate[sections][on][sections.hero][populate]=image → attributes.sections.0.image.data.attributes.ext',
    '.png',
  ],
  [
    'GET /articles/{{a1}}?populate[cover][populate]=related → attributes.cover.data.attributes.related.data.0.attributes.title',
    'Alpha one',
  ],
  [
    'GET /articles/{{a1}}?populate[localizations][populate]=links → attributes.localizations.data.0.attributes.links.0.label',
    'Lfr',
  ],
  ['POST /tags → attributes.name', { data: { name: 'v4' } }, 'v4'],
  [
    'PUT /tags/{{red}}?populate[articles][fields]=views → attributes.articles.data.attributes.views',
    { data: {} },
    [10, 20],
  ],
  [
    'POST /samples?populate=one → attributes.one.label',
    { data: { label: 'x', one: { label: 'a' } } },
    'a',
  ],
  [
    'PUT /homepage?populate=* → attributes.highlights.data.attributes.title',
    { data: { title: 'Home', highlights: ['{{a1}}'], seo: { metaTitle: 'm' } } },
    ['Alpha one'],
  ],
  ['GET /homepage?populate[seo][populate]=* → attributes.seo.metaImage', { data: null }],
  ['PUT /homepage?locale=fr → attributes.title', { data: { title: 'Accueil' } }, 'Accueil'],
  [
    'GET /homepage?populate[localizations][fields]=title → attributes.localizations.data.attributes.title',
    ['Accueil'],
  ],
  ['PUT /setting → attributes.site_name', { data: { site_name: 'S' } }, 'S'],
  ['GET /setting → attributes.site_name', 'S'],
  ['DELETE /setting', 204],
  ['DELETE /tags/zzz', 204],
  ['GET /setting', '404 NotFoundError: Not Found'],
  [
    'GET /articles?filters[nope]=1',
    '400 ValidationError: Invalid key nope; did you mean note? [nope null query filters]',
  ],
  ['POST /samples', { data: {} }, '400 ValidationError: label must be defined. [label]'],
  ['public GET /secret-notes', '403 ForbiddenError: Forbidden'],
  ['GET /users?filters[username]=reader&populate=role → role.type', ['authenticated']],
  ['user GET /users/me → username', 'reader'],
  ['GET /upload/files?filters[name]=pic.png&populate=related → related.0.title', ['Alpha one']],
  ['GET /upload/files/{{pic.id}} → name', 'pic.png'],
  ['GET /i18n/locales → code', ['en', 'fr', 'de']],
]

/** Converts a response from the current format to the previous one, by the rules above. */
function asV4(value: Json): Json {
  if (Array.isArray(value)) return value.map(asV4)
  if (value === null || typeof value !== 'object') return value
  const { id, documentId, ...rest } = value
  const shown = Object.fromEntries(
    Object.entries(rest).map(([name, one]) => [name, wrap(name, one)]),
  )
  return documentId === undefined
    ? { ...(id !== undefined && { id }), ...shown }
    : { id, documentId, attributes: shown }
}

const LEADS_TO_DOCUMENTS = [
  'category',
  'tags',
  'author',
  'profile',
  'articles',
  'related',
  'note',
  'cover',
  'gallery',
  'localizations',
  'image',
  'metaImage',
  'highlights',
  'article',
  'avatar',
  'restaurants',
]

function wrap(name: string, value: Json): Json {
  const isCount = value?.count !== undefined
  return LEADS_TO_DOCUMENTS.includes(name) && !isCount ? { data: asV4(value) } : asV4(value)
}

const EVERYTHING = [
  'articles?populate=*&sort=views',
  'articles?status=draft&populate=*&sort=views&locale=*',
  'articles/{{a1}}?populate[sections][populate]=*&populate[seo][populate]=*&populate[links]=true',
  'articles?populate=author.profile.author,tags.articles,related.related.tags',
  'categories?populate[articles][populate]=*',
  'authors?populate[profile][populate]=*&populate[articles][populate][cover][fields]=name',
  'tags/{{red}}?populate[articles][populate][localizations][fields]=title',
  'homepage?populate[seo][populate]=*&populate[highlights][populate]=*',
  'secret-notes?populate=*',
]

describe('the contract of the previous format', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_v4')
    await loadLibrary(library)
  })

  after(() => library.close())

  testTable(() => library, ROWS, V4)

  for (const target of EVERYTHING) {
    it(`returns all of ${target} in the previous format`, async () => {
      const ask = (headers: object): Promise<Answer> =>
        library.as('root', 'GET', `/api/${target}`, undefined, headers)
      const [flat, wrapped] = [await ask({}), await ask(V4)]
      expect(flat.status, flat.text).to.equal(200)
      expect(wrapped.body.data).to.deep.equal(asV4(flat.body.data))
      expect(wrapped.body.meta).to.deep.equal(flat.body.meta)
    })
  }

  for (const value of ['V4', 'v5', 'v3', '4', '', ' v4,']) {
    it(`ignores the header value ${JSON.stringify(value)}`, async () => {
      const headers = { 'strapi-response-format': value }
      const answer = await library.as('root', 'GET', '/api/tags/{{red}}', undefined, headers)
      expect(answer.body.data).to.include({ name: 'red' })
    })
  }
})
