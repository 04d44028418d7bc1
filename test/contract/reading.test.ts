import { type Library, loadLibrary, openLibrary } from './library.ts'
import { type Row, testTable } from './table.ts'

const key = (param: string, name: string, path: string | null, at = ''): string =>
  `400 ValidationError: Invalid key ${name}${at === '' ? '' : ` at ${at}`} [${name} ${path} query ${param}]`

/** Our message suggests a name. */
const near = (name: string, refusal: string): string =>
  refusal.replace(' [', `; did you mean ${name}? [`)

/**
 * Fields. Rule: readable scalars by name, or `*` alone for all of them. `id` and `documentId` are
 * always included. The response has the requested order.
 */
const FIELDS: readonly Row[] = [
  ...['secret', 'pass', 'category', 'tags', 'seo', 'links', 'sections', 'cover', 'createdBy'].map(
    (name): Row => [`public GET /articles/{{a1}}?fields=${name}`, key('fields', name, name)],
  ),
  ...['nope', 'category.name', 'seo.metaTitle', '$where'].map((name): Row => [
    `public GET /articles?fields[]=${name}`,
    key('fields', name, null),
  ]),
  ...['Title', '-title'].map((name): Row => [
    `public GET /articles?fields[]=${name}`,
    near('title', key('fields', name, null)),
  ]),
  ['GET /articles/{{a1}}?fields=secret', key('fields', 'secret', 'secret')],
  ['public GET /articles/{{a1}}?fields=title,title → title', 'Alpha one'],
  ['public GET /articles/{{a1}}?fields[5]=title → title', 'Alpha one'],
  ['public GET /articles/{{a1}}?fields[0]=* → views', 10],
  ['public GET /articles/{{a1}}?fields=locale → locale', 'en'],
  ['public GET /articles/{{a1}}?fields=id → documentId.length', 24],
  ['public GET /articles/{{a1}}?fields[a]=title', /Invalid fields parameter/],
  ['public GET /articles/{{a1}}?fields=', /^400 ValidationError: .*fields/],
  ['POST /tags?fields=nope', { data: { name: 'x' } }, key('fields', 'nope', null)],
  ['POST /tags?fields=weight → name', { data: { name: 'x' } }, undefined],
  ['PUT /tags/{{red}}?fields=name → weight', { data: { weight: 3 } }, undefined],
]

/**
 * Sort. Rule: readable attributes, also through relations, components and media. The default is
 * ascending.
 */
const SORT: readonly Row[] = [
  ...[
    'tags',
    'category',
    'seo',
    'links',
    'sections',
    'cover',
    'gallery',
    'secret',
    'pass',
    'createdBy',
  ].map((name): Row => [`public GET /articles?sort=${name}`, key('sort', name, name)]),
  ['public GET /articles?sort=nope:desc', key('sort', 'nope', null)],
  ...['-views', 'Views'].map((name): Row => [
    `public GET /articles?sort=${name}:desc`,
    near('views', key('sort', name, null)),
  ]),
  ['public GET /articles/{{a1}}?sort=nope', key('sort', 'nope', null)],
  ['public GET /articles?sort=views:up', /Invalid order/],
  ['public GET /articles?sort=views:Desc', /Invalid order/],
  ['public GET /articles?sort[views]=up', /Invalid order/],
  ['public GET /articles?sort=category.nope', key('sort', 'nope', 'category', 'category')],
  [
    'public GET /articles?sort=author.profile.nope',
    key('sort', 'nope', 'author.profile', 'author.profile'),
  ],
  ['public GET /articles?sort=seo.nope', key('sort', 'nope', 'seo', 'seo')],
  ['public GET /articles?sort=links.hidden', key('sort', 'hidden', 'links.hidden', 'links.hidden')],
  [
    'public GET /tags?sort=articles.secret',
    key('sort', 'secret', 'articles.secret', 'articles.secret'),
  ],
  ['public GET /articles?sort=note.text', key('sort', 'note', 'note')],
  [
    'public GET /tags?sort=articles.note.text',
    key('sort', 'note', 'articles.note', 'articles.note'),
  ],
  ['custom GET /articles?sort=category.name', key('sort', 'category', 'category')],
  ['readonly GET /articles?sort=note.text:desc&pagination[limit]=1 → views', [10]],
  ['public GET /tags?sort=,name → name', ['blue', 'green', 'red']],
  ['public GET /tags?sort[]=name:desc → name', ['red', 'green', 'blue']],
  ['public GET /tags?sort[0][weight]=desc → name', ['red', 'blue', 'green']],
  ['public GET /tags?sort[weight]=DESC → name', ['red', 'blue', 'green']],
  ['public GET /tags?sort=name&sort=weight → name', ['blue', 'green', 'red']],
  [
    'public GET /articles?sort=author.profile.nickname:desc,views&pagination[limit]=3 → views',
    [10, 30, 20],
  ],
  ['public GET /articles?sort=links.weight:desc&pagination[limit]=2 → views', [20, 10]],
  ['public GET /articles?sort=gallery.name:desc&pagination[limit]=1 → views', [10]],
  [
    'public GET /articles?sort=views&filters[tags][name]=red&fields=title → views',
    [undefined, undefined],
  ],
  ['public GET /articles?sort=rating&pagination[limit]=4 → rating', [null, null, null, null]],
]

/**
 * Pagination. Rules: by page or by offset, never both. Values above the maximum are reduced to it.
 * A page or start of 0 or less means the first. Everything else that is not a positive integer
 * causes a 400.
 */
const PAGINATION: readonly Row[] = [
  ...['page]=abc', 'page]=', 'page]=1.5', 'start]=abc', 'start]=1.5'].map((pair): Row => [
    `public GET /tags?pagination[${pair}`,
    /^400 ValidationError: pagination/,
  ]),
  ...['abc', '0', '-1', '1.5', '', '1e1'].flatMap((value): Row[] => [
    [
      `public GET /tags?pagination[pageSize]=${value}`,
      /^400 ValidationError: pagination\[pageSize\]/,
    ],
    [`public GET /tags?pagination[limit]=${value}`, /^400 ValidationError: pagination\[limit\]/],
  ]),
  ...[
    'page]=1&pagination[start]=0',
    'pageSize]=1&pagination[limit]=1',
    'page]=1&pagination[limit]=1',
    'pageSize]=1&pagination[start]=1',
  ].map((pair): Row => [
    `public GET /tags?pagination[${pair}`,
    /^400 PaginationError: Cannot use both/,
  ]),
  ...['page', 'pageSize'].map((name): Row => [
    `public GET /tags?${name}=1`,
    /^400 PaginationError: Invalid pagination attributes/,
  ]),
  ...['maybe', '', 'TRUE', '2'].map((value): Row => [
    `public GET /tags?pagination[withCount]=${value}`,
    /^400 ValidationError: Invalid withCount/,
  ]),
  ['public GET /tags?pagination[page]=0&sort=name → name', ['blue', 'green', 'red']],
  ['public GET /tags?pagination[page]=-3&sort=name → name', ['blue', 'green', 'red']],
  ['public GET /tags?pagination[start]=-3&sort=name → name', ['blue', 'green', 'red']],
  ['public GET /tags?pagination[page]=9 → name', []],
  ['public GET /tags?pagination[start]=9 → name', []],
  ['public GET /tags?start=2&limit=1&_limit=1&sort=name → name', ['blue', 'green', 'red']],
  ['public GET /tags?pagination[foo]=1&sort=name → name', ['blue', 'green', 'red']],
  ['public GET /tags/{{red}}?pagination[page]=abc → name', 'red'],
  ['public GET /upload/files?start=1&limit=1&sort=name → name', ['pic.png']],
  ['public GET /upload/files?pagination[page]=abc&sort=name → name', ['note.txt', 'pic.png']],
]

describe('the contract of reading', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_reading')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('sort', () => testTable(() => library, SORT))
  describe('pagination', () => testTable(() => library, PAGINATION))
  describe('fields', () => testTable(() => library, FIELDS))
})
