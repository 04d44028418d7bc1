import { type Library, loadLibrary, openLibrary } from './library.ts'
import { refused, shows } from './sample-rows.ts'
import { type Row, testTable } from './table.ts'

const badKey = (name: string, path: string | null, data: object, target = 'POST /samples'): Row => [
  target,
  { data },
  `400 ValidationError: Invalid key ${name}${path === null || path === name ? '' : ` at ${path}`} [${name} ${path} body]`,
]

/**
 * Keys. Rule: only attributes are accepted. Attributes that the server writes are refused by name,
 * or ignored.
 */
const KEYS: readonly Row[] = [
  ...['id', 'documentId'].map((name): Row => [
    'POST /samples',
    { data: { label: 'x', [name]: 1 } },
    `400 ValidationError: Invalid key ${name} [${name} body]`,
  ]),
  ...['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations'].map((name) =>
    badKey(name, name, { label: 'x', [name]: null }),
  ),
  badKey('nope', null, { label: 'x', nope: 1 }),
  badKey('status', null, { title: 'xx', status: 'draft' }, 'POST /articles'),
  badKey('nope', null, { nope: 1 }, 'PUT /setting'),
  badKey('nope', null, { nope: 1 }, 'PUT /tags/{{red}}'),
  badKey('nope', 'one', { label: 'x', one: { label: 'a', nope: 1 } }),
  badKey('nope', 'list', { label: 'x', list: [{ label: 'a' }, { label: 'a', nope: 1 }] }),
  badKey('nope', 'seo', { title: 'xx', seo: { metaTitle: 'm', nope: 1 } }, 'PUT /homepage'),
  badKey('nope', 'zone', {
    label: 'x',
    zone: [{ __component: 'sections.quote', text: 'q', nope: 1 }],
  }),
  badKey('note', 'note', { title: 'xx', note: null }, 'public POST /articles'),
  ['POST /samples → label', { data: { label: 'x', publishedAt: null } }, 'x'],
  ['POST /articles → publishedAt.length', { data: { title: 'xx', publishedAt: 'garbage' } }, 24],
  ['POST /samples → label', { data: { label: 'x', locale: 'zz' } }, 'x'],
  ['POST /samples → label', { data: { label: 'x' }, status: 'draft', foo: 1 }, 'x'],
]

/**
 * Components and dynamic zones. Rule: checks the shape, the number of items, then the rules of each
 * item, by path.
 */
const COMPONENTS: readonly Row[] = [
  refused('one', 5, 'one must be a `object` type, but the final value was: `5`.'),
  refused('one', [], 'one must be a `object` type, but the final value was: `[]`.'),
  refused('one', {}, 'one.label must be defined.', 'one.label'),
  refused(
    'one',
    { label: 5 },
    'one.label must be a `string` type, but the final value was: `5`.',
    'one.label',
  ),
  refused(
    'one',
    { label: 'a'.repeat(256) },
    'one.label must be at most 255 characters',
    'one.label',
  ),
  shows('one', 'one', null, null),
  shows('one.external', 'one', { label: 'a' }, false),
  shows('one.external', 'one', { label: 'a', external: null }, null),
  shows('one.hidden', 'one', { label: 'a', hidden: 'h' }, undefined),
  shows('one.label', 'one', { id: 424242, label: 'a' }, 'a'),
  refused('list', null, 'list must be a `array` type, but the final value was: `null`.'),
  refused('list', 'x', 'list must be a `array` type, but the final value was: `"x"`.'),
  refused('list', [{ label: 'a' }], 'list field must have at least 2 items'),
  refused(
    'list',
    [{ label: 'a' }, { label: 'b' }, { label: 'c' }, { label: 'd' }],
    'list field must have less than or equal to 3 items',
  ),
  refused('list', [{ label: 'a' }, {}], 'list[1].label must be defined.', 'list.1.label'),
  refused(
    'list',
    [{ label: 'a' }, null],
    'list[1] must be a `object` type, but the final value was: `null`.',
    'list.1',
  ),
  shows('list', 'list', [], []),
  refused('zone', null, 'zone must be a `array` type, but the final value was: `null`.'),
  refused(
    'zone',
    [null],
    'zone[0] must be a `object` type, but the final value was: `null`.',
    'zone.0',
  ),
  refused('zone', [{}], 'zone[0].__component is a required field', 'zone.0.__component'),
  [
    'POST /samples',
    { data: { label: 'x', zone: [{ __component: 'sections.nope' }] } },
    /zone\[0\].__component must be one of .* \[zone.0.__component\]$/,
  ],
  [
    'POST /samples',
    { data: { label: 'x', zone: [{ __component: 'sections.hero', heading: 'h' }] } },
    /zone\[0\].__component must be one of .* \[zone.0.__component\]$/,
  ],
  refused(
    'zone',
    [{ __component: 'sections.quote' }],
    'zone[0].text must be defined.',
    'zone.0.text',
  ),
  refused(
    'zone',
    [{ __component: 'sections.linklist', links: [{ label: 'a' }, {}] }],
    'zone[0].links[1].label must be defined.',
    'zone.0.links.1.label',
  ),
  shows('zone', 'zone', [], []),
  [
    'PUT /homepage',
    { data: { title: 'xx', links: [{}] } },
    '400 ValidationError: links[0].label must be a `string` type, but the final value was: `null`. [links.0.label]',
  ],
]

describe('the contract of payloads', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_payloads')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('keys', () => testTable(() => library, KEYS))
  describe('components and zones', () => testTable(() => library, COMPONENTS))
})
