import { expect } from 'chai'
import { english } from '../src/texts/english.ts'
import { german } from '../src/texts/german.ts'
import { sayFault } from '../src/texts/say-refusal.ts'
import { textsOf } from '../src/texts/texts.ts'

interface LocatedFault {
  readonly path: string
  readonly sentence: string
  readonly reason: { readonly code: string; readonly params?: Readonly<Record<string, unknown>> }
}

interface DeclarationFile {
  readonly file: string
  readonly kind: 'contentType' | 'component' | 'query'
  readonly uid: string
  readonly content: unknown
  readonly fault?: string
}

/** The Studio imports nothing of the server, so the test loads its build. */
async function serverModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(`../../../../dist/src/${path}.js`, import.meta.url).href
  return (await import(url)) as Readonly<Record<string, unknown>>
}

type Check = (files: readonly DeclarationFile[], builtIn: unknown) => unknown

async function faultsOf(files: readonly DeclarationFile[]): Promise<readonly LocatedFault[]> {
  const { checkDefinitions } = await serverModule('schema/check/check')
  const { BUILT_IN_TYPES } = await serverModule('schema/built-in-types')
  try {
    ;(checkDefinitions as Check)(files, BUILT_IN_TYPES)
    return []
  } catch (error) {
    const { located } = error as { readonly located?: readonly LocatedFault[] }
    if (located === undefined) throw error
    return located
  }
}

function typeFile(name: string, attributes: unknown, more: object = {}): DeclarationFile {
  const content = { attributes, ...more }
  return { file: `${name}.json`, kind: 'contentType', uid: `api::${name}.${name}`, content }
}

function componentFile(uid: string, attributes: object): DeclarationFile {
  return { file: `${uid}.json`, kind: 'component', uid, content: { attributes } }
}

const one = (attribute: object): readonly DeclarationFile[] => [
  typeFile('page', { one: attribute }),
]
const options = (given: object, attributes: object = {}): readonly DeclarationFile[] => [
  typeFile('page', attributes, { options: given }),
]
const named = (info: object): readonly DeclarationFile[] => [typeFile('page', {}, { info })]
const relation = (kind: string, more: object = {}): object => {
  return { type: 'relation', relation: kind, target: 'api::tag.tag', ...more }
}
const toUser = (kind: string, more: object): object =>
  relation(kind, { target: 'plugin::users-permissions.user', ...more })
const pair = (near: object, far: object): readonly DeclarationFile[] => [
  typeFile('page', { tags: near }),
  typeFile('tag', { pages: far }),
]
const back = (kind: string, more: object): object => {
  return { type: 'relation', relation: kind, target: 'api::page.page', ...more }
}
const many = { type: 'component', component: 'shared.link', repeatable: true }
const link = componentFile('shared.link', { url: { type: 'string' } })
const adopted = (attributes: object, more: object = {}): DeclarationFile =>
  typeFile('page', attributes, { adopt: { collection: 'sheets' }, ...more })

const WRITTEN_TWICE = { collection: 'sheets', write: true, paths: { a: 'x.y', b: 'x' } }

/** Broken declarations by the code of their fault. */
const BROKEN: readonly (readonly [code: string, files: readonly DeclarationFile[]])[] = [
  ['any.only', one({ type: 'media', allowedTypes: ['pictures'] })],
  ['any.required', one({ type: 'enumeration' })],
  ['array.base', one({ type: 'dynamiczone', components: 'shared.link' })],
  ['array.min', one({ type: 'enumeration', enum: [] })],
  ['array.unique', one({ type: 'enumeration', enum: ['a', 'a'] })],
  ['biginteger.base', one({ type: 'biginteger', min: 'few' })],
  ['boolean.base', one({ type: 'string', required: 'yes' })],
  ['number.base', one({ type: 'string', minLength: 'few' })],
  ['number.integer', one({ type: 'string', minLength: 1.5 })],
  ['number.min', one({ type: 'string', minLength: -1 })],
  ['object.base', [typeFile('page', {}, { info: 'page' })]],
  ['string.base', one({ type: 'string', regex: 1 })],
  ['string.max', one({ type: 'string', maxLength: 2, default: 'long' })],
  ['string.empty', one({ type: 'string', regex: '' })],
  [
    'declare.adoptInverse',
    [
      adopted({ tag: relation('oneToOne', { mappedBy: 'page' }) }),
      typeFile('tag', { page: back('oneToOne', { inversedBy: 'tag' }) }),
    ],
  ],
  [
    'declare.adoptLevels',
    [
      adopted({ one: { type: 'component', component: 'a.b' } }),
      componentFile('a.b', { again: { type: 'component', component: 'a.b' } }),
    ],
  ],
  ['declare.adoptOption', [adopted({}, { options: { draftAndPublish: true } })]],
  [
    'declare.adoptPaths',
    [adopted({ a: { type: 'string' }, b: { type: 'string' } }, { adopt: WRITTEN_TWICE })],
  ],
  ['declare.adoptType', [adopted({ one: { type: 'uid' } })]],
  ['declare.aboveLimit', one({ type: 'integer', min: 3, max: 2 })],
  [
    'declare.bothSides',
    pair(
      relation('manyToMany', { inversedBy: 'pages', mappedBy: 'pages' }),
      back('manyToMany', { inversedBy: 'tags' }),
    ),
  ],
  ['declare.aliasTaken', one({ type: 'text', alias: ['one'] })],
  ['declare.collection', [typeFile('page', {}, { collectionName: 'a b' })]],
  ['declare.collectionReserved', [typeFile('page', {}, { collectionName: 'quire_log' })]],
  [
    'declare.collectionTaken',
    [typeFile('page', {}), typeFile('leaf', {}, { collectionName: 'pages' })],
  ],
  ['declare.convert', one({ type: 'text', convert: 'zero' })],
  ['declare.defaultBlocks', one({ type: 'blocks', default: [{ type: 'film' }] })],
  ['declare.duplicate', [typeFile('page', {}), { ...typeFile('page', {}), file: 'other.json' }]],
  [
    'declare.endless',
    [componentFile('a.b', { again: { type: 'component', component: 'a.b', required: true } })],
  ],
  ['declare.filterDepth', options({ api: { filterable: ['a.b.c'] } })],
  ['declare.filterHolder', options({ api: { filterable: ['a.b'] } })],
  ['declare.filterName', options({ api: { filterable: ['titel'] } }, { title: { type: 'text' } })],
  ['declare.indexComponent', [...options({ indexes: [['one']] }, { one: many }), link]],
  ['declare.indexInside', options({ indexes: [['one.b']] }, { one: { type: 'text' } })],
  [
    'declare.indexInverse',
    [
      ...options({ indexes: [['tags']] }, { tags: relation('oneToMany', { mappedBy: 'page' }) }),
      typeFile('tag', { page: back('manyToOne', { inversedBy: 'tags' }) }),
    ],
  ],
  [
    'declare.indexLists',
    [...options({ indexes: [['one.url', 'two.url']] }, { one: many, two: many }), link],
  ],
  ['declare.indexPaths', options({ indexes: [Array.from({ length: 11 }, (_, at) => `a${at}`)] })],
  ['declare.indexPlace', [componentFile('a.b', { one: { type: 'string', index: true } })]],
  ['declare.indexShape', options({ indexes: 'title' })],
  ['declare.indexTwice', options({ indexes: [['one', 'one']] }, { one: { type: 'text' } })],
  ['declare.indexType', one({ type: 'json', index: true })],
  [
    'declare.inverseSide',
    pair(relation('oneToMany', { inversedBy: 'pages' }), back('manyToOne', {})),
  ],
  ['declare.nameForm', [typeFile('page', { '1st': { type: 'text' } })]],
  ['declare.nameReserved', [typeFile('page', { locale: { type: 'text' } })]],
  ['declare.noAttribute', one({ type: 'uid', targetField: 'title' })],
  [
    'declare.noAttributeOf',
    pair(relation('manyToOne', { inversedBy: 'page' }), back('oneToMany', { mappedBy: 'tags' })),
  ],
  ['declare.noAttributes', [{ ...typeFile('page', {}), content: {} }]],
  ['declare.noComponent', one({ type: 'component', component: 'a.b' })],
  ['declare.noContentType', one(relation('manyToOne'))],
  ['declare.noOption', one({ type: 'string', requird: true })],
  ['declare.noType', one({ type: 'strng' })],
  ['declare.notObject', [typeFile('page', { one: 'string' })]],
  ['declare.oneType', one({ type: 1 })],
  [
    'declare.oneWay',
    [
      componentFile('a.b', { tags: relation('manyToOne', { inversedBy: 'x' }) }),
      typeFile('tag', {}),
    ],
  ],
  [
    'declare.otherKind',
    pair(relation('manyToMany', { inversedBy: 'pages' }), back('oneToMany', { mappedBy: 'tags' })),
  ],
  ['declare.otherType', pair(relation('manyToOne', { inversedBy: 'pages' }), { type: 'text' })],
  ['declare.owningSide', pair(relation('manyToOne', { mappedBy: 'pages' }), back('oneToMany', {}))],
  [
    'declare.pointsBack',
    pair(relation('manyToOne', { inversedBy: 'pages' }), back('oneToMany', {})),
  ],
  ['declare.previewAddress', options({ preview: 'ftp://example.org/' })],
  ['declare.previewPlace', options({ preview: 'https://example.org/{slug}' })],
  ['declare.urlAddress', options({ url: 'articles/{slug}' })],
  ['declare.urlPrivate', options({ url: '/{a}' }, { a: { type: 'string', private: true } })],
  ['declare.urlType', options({ url: '/{a}' }, { a: { type: 'json' } })],
  ['declare.query', [{ file: 'Q.json', kind: 'query', uid: 'Q', content: { type: 'page' } }]],
  ['declare.regex', one({ type: 'string', regex: '(' })],
  ['declare.reviewDrafts', options({ review: true })],
  ['declare.reviewPublish', options({ draftAndPublish: true, review: { publish: 'draft' } })],
  ['declare.routeForm', named({ singularName: 'a b' })],
  ['declare.routeReserved', named({ pluralName: 'users' })],
  [
    'declare.routeTaken',
    [typeFile('page', {}), typeFile('leaf', {}, { info: { pluralName: 'page' } })],
  ],
  ['declare.studioCondition', one({ type: 'string', studio: { visibleWhen: {} } })],
  ['declare.studioOperand', one({ type: 'string', studio: { visibleWhen: { one: 1 } } })],
  ['declare.studioText', one({ type: 'string', studio: { label: { fr: 'Titre' } } })],
  ['declare.studioValue', one({ type: 'string', studio: { values: { a: 'A' } } })],
  [
    'declare.searchPrivate',
    options({ search: { one: 1 } }, { one: { type: 'text', private: true } }),
  ],
  ['declare.searchType', options({ search: { one: 1 } }, { one: { type: 'json' } })],
  ['declare.userDeleteMany', one(toUser('manyToMany', { onUserDelete: 'delete' }))],
  [
    'declare.userDeletePlace',
    [componentFile('a.b', { tags: toUser('manyToOne', { onUserDelete: 'keep' }) })],
  ],
  [
    'declare.userDeleteRequired',
    one(toUser('manyToOne', { required: true, onUserDelete: 'anonymize' })),
  ],
  [
    'declare.renamedValue',
    one({ type: 'enumeration', enum: ['new', 'old'], from: { old: 'new' } }),
  ],
  ['declare.unreadable', [{ ...typeFile('page', {}), fault: 'no valid JSON' }]],
]

/** Codes of the request rather than of a declaration; the parameter is `name`. */
const OF_THE_REQUEST = [
  'declare.componentUid',
  'declare.gone',
  'declare.link',
  'declare.populate',
  'declare.singularName',
  'declare.typeUid',
]

/** Codes of stored values that a new type would lose. */
const OF_STORED_VALUES = ['declare.convertLoses', 'declare.convertValues', 'declare.convertZone']

/** Codes of names that the ledger rules out, with their parameters. */
const OF_THE_LEDGER = [['declare.stored', ['name']]] as const

const TEXTS = [textsOf('en', english), textsOf('de', german)]

function placesIn(text: string): readonly string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

describe('faults of declarations', () => {
  for (const [code, files] of BROKEN) {
    it(`have a complete text for ${code}`, async () => {
      const faults = await faultsOf(files)
      const fault = faults.find(({ reason }) => reason.code === code)
      expect(fault, faults.map(({ sentence }) => sentence).join('\n')).not.to.equal(undefined)
      const { path = '', sentence = '', reason = { code } } = fault ?? {}
      const { params = {} } = reason
      for (const [index, catalogue] of [english, german].entries()) {
        const text: string = { ...catalogue }[`fault.${code}` as 'fault.within']
        const known = [...Object.keys(params), 'count']
        expect(placesIn(text).filter((name) => !known.includes(name))).to.deep.equal([])
        const texts = TEXTS[index] ?? textsOf('en', english)
        const said = sayFault({ path: path.split('.'), message: sentence, ...reason }, texts)
        expect(said).not.to.equal(sentence)
        expect(said).to.match(/\S/)
      }
    })
  }

  for (const code of OF_STORED_VALUES) {
    it(`name the number of values for ${code}`, () => {
      const params = { amount: '1234', kind: 'string', type: 'email' }
      for (const texts of TEXTS) {
        const said = sayFault(
          { path: ['api::a.a', 'attributes'], message: '', code, params },
          texts,
        )
        expect(said).to.match(/: 1234\./)
        expect(said).to.include('string').and.to.include('email')
        expect(said).not.to.match(/\{\w+\}/)
      }
    })
  }

  for (const [code, names] of OF_THE_LEDGER) {
    it(`name the values for ${code}`, () => {
      const params = Object.fromEntries(names.map((name) => [name, `the-${name}`]))
      for (const texts of TEXTS) {
        const said = sayFault({ path: ['api::a.a'], message: '', code, params }, texts)
        for (const name of names) expect(said).to.include(`the-${name}`)
        expect(said).not.to.match(/\{\w+\}/)
      }
    })
  }

  it('are all covered here', async () => {
    const { FAULT_CODES } = await serverModule('base/fault-codes')
    const codes = (FAULT_CODES as readonly string[]).filter((code) => code.startsWith('declare.'))
    const covered = BROKEN.map(([code]) => code).filter((code) => code.startsWith('declare.'))
    const ledger = OF_THE_LEDGER.map(([code]) => code)
    expect([...covered, ...OF_THE_REQUEST, ...OF_STORED_VALUES, ...ledger].sort()).to.deep.equal(
      codes,
    )
    for (const code of OF_THE_REQUEST) {
      for (const catalogue of [english, german]) {
        const text: string = catalogue[`fault.${code}` as 'fault.within']
        expect(placesIn(text).filter((name) => name !== 'name')).to.deep.equal([])
      }
    }
  })

  it('include the suggestion of the server', () => {
    const fault = {
      path: ['api::page.page', 'attributes', 'one', 'type'],
      message: 'page.json: attributes.one.type: no attribute type strng; did you mean string?',
      code: 'declare.noType',
      params: { name: 'strng', near: 'string' },
    }
    expect(sayFault(fault, textsOf('de', german))).to.equal(
      'Es gibt keinen Attributtyp strng. Meinten Sie string?',
    )
  })
})
