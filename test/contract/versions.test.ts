import { type Library, loadLibrary, openLibrary } from './library.ts'
import { type Row, testTable } from './table.ts'

/**
 * Draft & publish. Rule: a draft needs values of the right type only. A publication checks the
 * rest.
 */
const DRAFTS: readonly Row[] = [
  ['POST /articles?status=draft → title', { data: {} }, null],
  ['POST /articles?status=draft → publishedAt', { data: { title: 'x' } }, null],
  ['POST /articles?status=draft → contact', { data: { contact: 'nope' } }, 'nope'],
  [
    'POST /articles?status=draft',
    { data: { title: 'x'.repeat(81) } },
    /title must be at most 80 characters/,
  ],
  ['POST /articles?status=draft', { data: { views: 1.5 } }, /views must be an integer/],
  ['POST /articles?status=draft', { data: { kind: 'zz' } }, /kind must be one of/],
  ['POST /articles?status=draft', { data: { nope: 1 } }, /Invalid key nope/],
  [
    'POST /articles?status=draft',
    { data: { tags: ['zzz'] } },
    /Document with id "zzz", locale "null" not found/,
  ],
  ['POST /strict-items?status=draft → amount', { data: { title: 'a', amount: 0, list: [] } }, 0],
  [
    'POST /strict-items?status=draft',
    { data: { one: { label: 5 } } },
    /one.label must be a `string`/,
  ],
  [
    'POST /strict-items',
    { data: {} },
    '400 ValidationError: 4 errors occurred [title amount one list]',
  ],
  [
    'POST /strict-items',
    { data: { title: 'aa', amount: 1, one: {}, list: [{}] } },
    '400 ValidationError: 2 errors occurred [one.label list.0.label]',
  ],
  ['POST /articles', { data: { title: 'x' } }, /title must be at least 2 characters/],
  ['POST /articles', { data: { contact: 'nope', title: 'xx' } }, /contact must be a valid email/],
  ...['foo', '', 'DRAFT', 'Published'].flatMap((status): Row[] => [
    [`POST /articles?status=${status}`, { data: { title: 'xx' } }, /^400 ValidationError: status/],
    [`PUT /homepage?status=${status}`, { data: { title: 'xx' } }, /^400 ValidationError: status/],
    [`GET /articles?status=${status}`, /^400 ValidationError: status/],
    [`GET /tags?status=${status}`, /^400 ValidationError: status/],
    [`DELETE /articles/{{a7}}?status=${status}`, /^400 ValidationError: status/],
  ]),
  ['DELETE /articles/{{a7}}?status=draft', /^400 ValidationError: status/],
  ['GET /articles?status[0]=draft', /^400 ValidationError: status/],
  ['GET /articles?publicationState=preview&filters[views]=80 → title', []],
  [
    'GET /articles?status=draft&hasPublishedVersion=false&filters[views]=80 → title',
    ['Draft eight'],
  ],
  ['GET /articles?status=draft&hasPublishedVersion=true&filters[views]=80 → title', []],
  ['PUT /articles/zzz?status=draft', { data: { title: 'xx' } }, '404 NotFoundError: Not Found'],
  ['PUT /articles/{{a7.id}}', { data: { title: 'xx' } }, '404 NotFoundError: Not Found'],
  ['DELETE /articles/zzz', 204],
]

/**
 * Locales. Rule: the query gives the locale of a write, else `data.locale` of a POST, else the
 * default applies.
 */
const LOCALES: readonly Row[] = [
  ['POST /articles?locale=fr → locale', { data: { title: 'xx' } }, 'fr'],
  ['POST /articles?locale=fr → locale', { data: { title: 'xx', locale: 'de' } }, 'fr'],
  ['POST /articles → locale', { data: { title: 'xx', locale: 'de' } }, 'de'],
  ['POST /articles → locale', { data: { title: 'xx', locale: null } }, 'en'],
  ['POST /articles → locale', { data: { title: 'xx' }, locale: 'de' }, 'en'],
  ['POST /articles?locale= → locale', { data: { title: 'xx' } }, 'en'],
  ...['POST /articles', 'PUT /articles/{{a5}}', 'PUT /homepage'].flatMap((target): Row[] => [
    [
      `${target}?locale=*`,
      { data: { title: 'xx' } },
      '400 ValidationError: Invalid locale param * provided. Document locales must be strings.',
    ],
    [`${target}?locale=xx`, { data: { title: 'xx' } }, /^400 ValidationError: locale: xx/],
    [`${target}?locale=FR`, { data: { title: 'xx' } }, /^400 ValidationError: locale: FR/],
    [`${target}?locale[0]=fr`, { data: { title: 'xx' } }, /^400 ValidationError: .*locale/],
  ]),
  [
    'PUT /articles/{{a5}}?locale=fr',
    { data: { title: 'xx', locale: 'de' } },
    /^400 ValidationError: locale/,
  ],
  [
    'PUT /articles/{{a5}}?locale=de',
    { data: {} },
    /^400 ValidationError: title must be a `string`/,
  ],
  ['GET /articles/{{a5}}?locale=de&status=draft', '404 NotFoundError: Not Found'],
  ...['FR', 'xx', 'all'].map((code): Row => [`GET /articles?locale=${code} → title`, []]),
  ...['FR', 'xx', '*', 'all'].map((code): Row => [
    `GET /articles/{{a1}}?locale=${code}`,
    '404 NotFoundError: Not Found',
  ]),
  ...['FR', 'xx', '*', 'fr'].map((code): Row => [
    `GET /homepage?locale=${code}`,
    '404 NotFoundError: Not Found',
  ]),
  [
    'GET /articles?locale[0]=en&locale[1]=fr&filters[documentId]={{a1}}&sort=locale → locale',
    ['en', 'fr'],
  ],
  ['GET /articles?locale=*&filters[documentId]={{a1}}&sort=locale → views', [10, 10]],
  ['GET /tags/{{red}}?locale=xx → name', 'red'],
  ['GET /tags?locale=*&sort=name&filters[weight][$gt]=0 → name', ['blue', 'green', 'red']],
  ['POST /tags?locale=xx → name', { data: { name: 'x', locale: 'yy' } }, 'x'],
  ['PUT /setting?locale=* → site_name', { data: { site_name: 'S' } }, 'S'],
  ['GET /setting?locale=* → site_name', 'S'],
  ['DELETE /articles/{{a1}}?locale=xx', 204],
  ['DELETE /articles/{{a5}}?locale=fr', 204],
  ['GET /articles/{{a5}} → views', 50],
]

describe('the contract of versions', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_versions')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('draft & publish', () => testTable(() => library, DRAFTS))
  describe('locales', () => testTable(() => library, LOCALES))
})
