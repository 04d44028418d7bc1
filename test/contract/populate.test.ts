import { type Library, loadLibrary, openLibrary } from './library.ts'
import { type Row, testTable } from './table.ts'

const key = (param: string, name: string, path: string | null, at = ''): string =>
  `400 ValidationError: Invalid key ${name}${at === '' ? '' : ` at ${at}`} [${name} ${path} query ${param}]`

/** Our message names the nested parameter, and the path starts there. */
const within = (level: string, refusal: string): string =>
  refusal.replace('Invalid key', `populate.${level}: Invalid key`)

/**
 * Populate. Rules: a key is an attribute with a target, otherwise it is refused by its path. A
 * relation with an unreadable target is omitted silently. `*` covers one level and must stand
 * alone. `filters`, `fields` and `sort` inside are checked as at the root, with the path from
 * there.
 */
const POPULATE: readonly Row[] = [
  ...[
    'true',
    'false',
    '1',
    'deep',
    'views',
    'secret',
    'pass',
    'createdBy',
    'updatedBy',
    'nope',
  ].map((name): Row => [`public GET /articles?populate=${name}`, key('populate', name, name)]),
  ['public GET /articles?populate[*]=true', key('populate', '*', '*')],
  ['public GET /articles?populate[0]=*&populate[1]=tags', key('populate', '*', '*')],
  ['public GET /articles?populate=*,tags', key('populate', '*', '*')],
  ['public GET /tags?populate=localizations', key('populate', 'localizations', 'localizations')],
  ['public GET /setting?populate=nope', /^404|nope/],
  [
    'public GET /articles?populate=author.nope',
    key('populate', 'nope', 'author.nope', 'author.nope'),
  ],
  ['public GET /articles?populate=nope.author', key('populate', 'nope', 'nope')],
  ['public GET /articles?populate[category]=', key('populate', '', 'category', 'category')],
  ['public GET /articles?populate[category]=name', key('populate', 'name', 'category', 'category')],
  [
    'public GET /articles?populate[category]=*',
    '400 ValidationError: Invalid key articles at category.articles',
  ],
  [
    'public GET /articles?populate[category][status]=draft',
    key('populate', 'status', 'category', 'category'),
  ],
  [
    'public GET /articles?populate[category][locale]=fr',
    key('populate', 'locale', 'category.locale', 'category.locale'),
  ],
  ['public GET /articles?populate[tags][limit]=1', key('populate', 'limit', 'tags', 'tags')],
  ['public GET /articles?populate[tags][start]=1', key('populate', 'start', 'tags', 'tags')],
  ['public GET /articles?populate[seo][foo]=1', key('populate', 'foo', 'seo', 'seo')],
  ['public GET /articles?populate[cover][foo]=1', key('populate', 'foo', 'cover', 'cover')],
  [
    'public GET /articles?populate[sections][foo]=1',
    key('populate', 'foo', 'sections', 'sections'),
  ],
  ['public GET /articles?populate[seo][on][shared.seo]=true', key('populate', 'on', 'seo', 'seo')],
  [
    'public GET /articles?populate[author][populate]=nope',
    within('author.populate', key('populate', 'nope', 'nope')),
  ],
  [
    'public GET /articles?populate[seo][populate][0]=nope',
    within('seo.populate', key('populate', 'nope', 'nope')),
  ],
  [
    'public GET /articles?populate[tags][fields]=nope',
    within('tags.fields', key('populate', 'nope', null)),
  ],
  [
    'public GET /articles?populate[tags][sort]=nope',
    within('tags.sort', key('populate', 'nope', null)),
  ],
  [
    'public GET /articles?populate[links][fields]=hidden',
    within('links.fields', key('populate', 'hidden', 'hidden')),
  ],
  [
    'public GET /articles?populate[links][filters][hidden]=x',
    within('links.filters', key('populate', 'hidden', 'hidden')),
  ],
  [
    'public GET /articles?populate[related][filters][secret]=x',
    within('related.filters', key('populate', 'secret', 'secret')),
  ],
  [
    'public GET /articles?populate[related][filters][note][text]=x',
    within('related.filters', key('populate', 'note', 'note')),
  ],
  [
    'public GET /articles?populate[related][sort]=note.text',
    within('related.sort', key('populate', 'note', 'note')),
  ],
  [
    'public GET /articles?populate[sections][on][sections.nope]=true',
    key(
      'populate',
      'sections.nope',
      'sections.on.sections.nope',
      'sections.on.sections.nope',
    ).replace(' [', '; did you mean sections.quote? ['),
  ],
  ['public GET /articles?populate[sections]=*', /Invalid nested populate for article.sections/],
  [
    'public GET /articles?populate[sections][fields]=heading',
    /Invalid nested populate for article.sections/,
  ],
  [
    'public GET /articles?populate[sections][populate][0]=image',
    key('populate', 'populate', 'sections', 'sections'),
  ],
  [
    'public GET /articles?populate[0]=tags&populate[author][fields]=name',
    /^400 ValidationError: populate/,
  ],
  ['public GET /articles/{{a1}}?populate=category, tags, → tags.name', ['red', 'green']],
  ['public GET /articles/{{a1}}?populate[]= → tags', undefined],
  ['public GET /articles/{{a1}}?populate[tags]=false → tags', undefined],
  ['public GET /articles/{{a1}}?populate[tags][filters][weight][$gt]=1 → tags.name', ['red']],
  ['public GET /articles/{{a1}}?populate[tags][filters][$not][name]=red → tags.name', ['green']],
  [
    'public GET /articles/{{a1}}?populate[tags][filters][articles][views]=30 → tags.name',
    ['green'],
  ],
  ['public GET /articles/{{a1}}?populate[tags][sort]=weight → tags.name', ['green', 'red']],
  ['public GET /articles/{{a1}}?populate[tags][sort][weight]=desc → tags.name', ['red', 'green']],
  ['public GET /articles/{{a1}}?populate[tags][count]=true → tags', { count: 2 }],
  ['public GET /articles/{{a1}}?populate[author][count]=true → author', { count: 1 }],
  ['public GET /articles/{{a5}}?populate[author][count]=true → author', { count: 0 }],
  ['public GET /articles/{{a1}}?populate[gallery][count]=true → gallery', { count: 2 }],
  ['public GET /articles/{{a1}}?populate[links][count]=true → links', { count: 2 }],
  ['public GET /articles/{{a1}}?populate[sections][count]=true → sections', { count: 3 }],
  ['public GET /articles/{{a1}}?populate[localizations][count]=true → localizations', { count: 1 }],
  ['public GET /articles/{{a1}}?populate[tags][count]=false → tags.name', ['red', 'green']],
  ['public GET /articles/{{a1}}?populate[author][filters][name]=Bob → author', null],
  ['public GET /articles/{{a1}}?populate[seo][filters][metaTitle]=x → seo', null],
  ['public GET /articles/{{a1}}?populate[links][filters][weight]=1 → links.label', ['L2']],
  ['public GET /articles/{{a1}}?populate[links][sort]=label:desc → links.label', ['L2', 'L1']],
  [
    'public GET /articles/{{a1}}?populate[gallery][sort]=name → gallery.name',
    ['note.txt', 'pic.png'],
  ],
  ['public GET /articles/{{a1}}?populate[gallery][filters][ext]=.png → gallery.name', ['pic.png']],
  [
    'public GET /articles/{{a1}}?populate=seo.metaSocial → seo.metaSocial.network',
    ['Facebook', 'Twitter'],
  ],
  ['public GET /articles/{{a1}}?populate=seo.metaImage → seo.metaImage.name', 'pic.png'],
  ['public GET /articles/{{a1}}?populate=sections.image → sections.0.image.name', 'pic.png'],
  [
    'public GET /articles/{{a1}}?populate=author.profile.author → author.profile.author.name',
    'Ann',
  ],
  [
    'public GET /articles/{{a1}}?populate[seo][populate]=* → seo.metaSocial.title',
    ['fb one', 'tw one'],
  ],
  ['public GET /articles/{{a1}}?populate[sections][populate]=* → sections.0.author.name', 'Ann'],
  ['public GET /articles/{{a1}}?populate=sections → sections.0.author', undefined],
  [
    'public GET /articles/{{a1}}?populate[sections][on][sections.quote][fields]=cite → sections.cite',
    ['Someone'],
  ],
  [
    'public GET /articles/{{a1}}?populate[sections][on][sections.quote][filters][cite]=x → sections',
    [],
  ],
  ['public GET /articles/{{a1}}?populate[sections][on][shared.link]=true → sections', []],
  [
    'public GET /articles/{{a1}}?populate[localizations][fields]=title → localizations.title',
    ['Alpha un'],
  ],
  [
    'public GET /articles/{{a1}}?populate[localizations][populate]=links → localizations.0.links.0.label',
    'Lfr',
  ],
  [
    'public GET /articles/{{a1}}?locale=fr&populate=localizations → localizations.title',
    ['Alpha one'],
  ],
  ['public GET /articles/{{a2}}?populate=localizations → localizations', []],
  ['public GET /articles/{{a5}}?populate=* → tags', []],
  ['public GET /articles/{{a5}}?populate=* → seo', null],
  ['public GET /articles/{{a4}}?populate=category → category', null],
  ['GET /articles/{{a4}}?status=draft&populate=category → category.name', 'Hidden draft'],
  ['public GET /tags/{{blue}}?populate=articles → articles.title', ['Gamma THREE']],
  [
    'GET /tags/{{blue}}?status=draft&populate=articles → articles.title',
    ['Gamma THREE', 'Draft eight'],
  ],
  ['public GET /articles/{{a1}}?populate=note → note', undefined],
  ['public GET /articles/{{a1}}?populate=note.article → note', undefined],
  ['public GET /articles/{{a1}}?populate[note][fields]=text → note', undefined],
  ['public GET /articles/{{a2}}?populate[related][populate]=* → related.0.note', undefined],
  ['readonly GET /articles/{{a1}}?populate=note → note.text', 'classified'],
  ['custom GET /articles?filters[views]=10&populate=* → category', [undefined]],
  ['custom GET /articles?filters[views]=10&populate=* → cover.name', ['pic.png']],
  [
    'custom GET /articles?filters[views]=10&populate=localizations → localizations.0.title',
    ['Alpha un'],
  ],
  ['user GET /articles/{{a1}}?populate[0]=tags&populate[1]=author → tags.name', ['red', 'green']],
  ['user GET /articles/{{a1}}?populate[0]=tags&populate[1]=author → author', undefined],
]

describe('the contract of populate', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_populate')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('keys and results', () => testTable(() => library, POPULATE))
})
