import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { validatorsOf } from '../define.ts'

const LINK = {
  label: { type: 'string', required: true },
  external: { type: 'boolean', default: false },
  since: { type: 'date' },
}
const COMPONENTS = {
  'shared.link': LINK,
  'shared.seo': {
    title: { type: 'string', required: true, maxLength: 5 },
    links: { type: 'component', component: 'shared.link', repeatable: true },
    main: { type: 'component', component: 'shared.link' },
  },
  'menu.item': {
    name: { type: 'string', required: true },
    items: { type: 'component', component: 'menu.item', repeatable: true },
    area: { type: 'dynamiczone', components: ['menu.item', 'shared.link'] },
  },
}
const ATTRIBUTES = {
  seo: { type: 'component', component: 'shared.seo' },
  list: { type: 'component', component: 'shared.link', repeatable: true, min: 2, max: 3 },
  zone: { type: 'dynamiczone', components: ['shared.link', 'menu.item'], min: 1, max: 2 },
  author: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
  cover: { type: 'media' },
}

const { direct, draft } = validatorsOf(ATTRIBUTES, COMPONENTS)
const CREATING = { creating: true }
const UPDATING = { creating: false }

interface Listed {
  readonly path: readonly string[]
  readonly message: string
  readonly value?: unknown
}

function refusal(validate: () => unknown): ValidationError {
  try {
    validate()
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error('It was accepted')
}

function faults(validate: () => unknown): readonly Listed[] {
  return (refusal(validate).details?.['errors'] ?? []) as readonly Listed[]
}

describe('a component', () => {
  it('is converted to stored form with defaults', () => {
    const seo = { title: 'a', main: { label: 'b', since: '2024-02-29' }, links: [{ label: 'c' }] }
    expect(direct({ seo }, CREATING)).to.deep.equal({
      seo: {
        title: 'a',
        main: { label: 'b', since: new Date('2024-02-29'), external: false },
        links: [{ label: 'c', external: false }],
      },
    })
  })

  it('is new in an update unless it has an id', () => {
    const fresh = { title: 'a', main: { label: 'b' } }
    expect(direct({ seo: fresh }, UPDATING)).to.deep.equal({
      seo: { title: 'a', main: { label: 'b', external: false } },
    })
    const merged = { id: 4, main: { id: 5, since: null }, links: [{ id: 6 }, { label: 'n' }] }
    expect(direct({ seo: merged }, UPDATING)).to.deep.equal({
      seo: {
        id: 4,
        main: { id: 5, since: null },
        links: [{ id: 6 }, { label: 'n', external: false }],
      },
    })
    expect(
      faults(() => direct({ seo: { main: {} } }, UPDATING)).map(({ path }) => path),
    ).to.deep.equal([
      ['seo', 'title'],
      ['seo', 'main', 'label'],
    ])
  })

  it('keeps its id, which has no effect on creation', () => {
    expect(direct({ seo: { id: 7, title: 'a' } }, CREATING)).to.deep.equal({
      seo: { id: 7, title: 'a' },
    })
    expect(faults(() => direct({ seo: { id: 7 } }, CREATING))).to.have.length(1)
  })

  it('requires a numeric id', () => {
    const sent = { id: '7', title: 'a' }
    expect(direct({ seo: sent }, UPDATING)).to.deep.equal({ seo: { id: 7, title: 'a' } })
    for (const id of ['x', 1.5, {}, [], true]) {
      const found = faults(() => direct({ seo: { id, title: 'a' } }, CREATING))
      expect(found.map(({ path }) => path)).to.deep.equal([['seo', 'id']])
    }
  })

  it('may be null', () => {
    expect(direct({ seo: null }, UPDATING)).to.deep.equal({ seo: null })
  })

  const rows: readonly [string, Data, readonly string[], string][] = [
    [
      'text instead of a component',
      { seo: 'm' },
      ['seo'],
      'seo must be a `object` type, but the final value was: `"m"`.',
    ],
    [
      'a list instead of a component',
      { seo: [] },
      ['seo'],
      'seo must be a `object` type, but the final value was: `[]`.',
    ],
    [
      'an object instead of a list',
      { list: { label: 'a' } },
      ['list'],
      'list must be a `array` type, but the final value was: `{\n  "label": "\\"a\\""\n}`.',
    ],
    [
      'null instead of a list',
      { list: null },
      ['list'],
      'list must be a `array` type, but the final value was: `null`.',
    ],
    [
      'null in a list',
      { list: [{ label: 'a' }, null] },
      ['list', '1'],
      'list[1] must be a `object` type, but the final value was: `null`.',
    ],
    [
      'a missing value in a list',
      { list: [{ label: 'a' }, {}] },
      ['list', '1', 'label'],
      'list[1].label must be defined.',
    ],
    [
      'a value that is too long two levels down',
      { seo: { title: 'a', links: [{ label: 'x'.repeat(256) }] } },
      ['seo', 'links', '0', 'label'],
      'seo.links[0].label must be at most 255 characters',
    ],
    [
      'too few items',
      { list: [{ label: 'a' }] },
      ['list'],
      'list field must have at least 2 items',
    ],
    [
      'too many items',
      { list: [1, 2, 3, 4].map((id) => ({ label: `${id}` })) },
      ['list'],
      'list field must have less than or equal to 3 items',
    ],
    [
      'text in a zone',
      { zone: ['x'] },
      ['zone', '0'],
      'zone[0] must be a `object` type, but the final value was: `"x"`.',
    ],
    [
      'a zone entry without a component',
      { zone: [{ label: 'a' }] },
      ['zone', '0', '__component'],
      'zone[0].__component is a required field',
    ],
    [
      'a component outside of the zone',
      { zone: [{ __component: 'shared.seo' }] },
      ['zone', '0', '__component'],
      'zone[0].__component must be one of the following values: shared.link, menu.item',
    ],
    [
      'a wrong value in a zone',
      { zone: [{ __component: 'shared.link', label: 5 }] },
      ['zone', '0', 'label'],
      'zone[0].label must be a `string` type, but the final value was: `5`.',
    ],
    [
      'null instead of a zone',
      { zone: null },
      ['zone'],
      'zone must be a `array` type, but the final value was: `null`.',
    ],
  ]
  for (const [subject, data, path, message] of rows) {
    it(`refuses ${subject} with one message`, () => {
      const error = refusal(() => direct(data, CREATING))
      expect(error.message).to.equal(message)
      expect(faults(() => direct(data, CREATING)).map((fault) => fault.path)).to.deep.equal([path])
    })
  }

  it('is reported as sent, without defaults', () => {
    expect(faults(() => direct({ list: [{ label: 'a' }] }, CREATING))[0]?.value).to.deep.equal([
      { label: 'a' },
    ])
  })

  it('may have no items in lists and zones', () => {
    expect(direct({ list: [], zone: [] }, CREATING)).to.deep.equal({ list: [], zone: [] })
  })

  it('keeps its __component in a zone', () => {
    const entry = { __component: 'shared.link', id: 3, label: 'a', external: true }
    expect(direct({ zone: [entry] }, CREATING)).to.deep.equal({ zone: [entry] })
  })

  it('may be recursive', () => {
    const item = { name: 'a', items: [{ name: 'b', items: [{ name: 'c' }] }] }
    const zone = [
      { __component: 'menu.item', ...item, area: [{ __component: 'menu.item', name: 'd' }] },
    ]
    expect(direct({ zone }, CREATING)).to.deep.equal({ zone })
    const bad = [
      { __component: 'menu.item', name: 'a', items: [{ name: 'b', items: [{ name: 5 }] }] },
    ]
    expect(faults(() => direct({ zone: bad }, UPDATING)).map(({ path }) => path)).to.deep.equal([
      ['zone', '0', 'items', '0', 'items', '0', 'name'],
    ])
  })

  it('may be nested at most 20 levels', () => {
    let item: Data = { name: 'bottom' }
    for (let level = 0; level < 30; level += 1) item = { name: 'x', items: [item] }
    const error = refusal(() => direct({ zone: [{ __component: 'menu.item', ...item }] }, CREATING))
    expect(error.message).to.match(/nested more than 20 levels/)
  })
})

describe('an unknown nested key', () => {
  const rows: readonly [Data, string, string][] = [
    [{ seo: { title: 'a', nope: 1 } }, 'nope', 'seo'],
    [{ seo: { title: 'a', main: { nope: 1 } } }, 'nope', 'seo.main'],
    [{ seo: { title: 'a', links: [{ label: 'a' }, { nope: 1 }] } }, 'nope', 'seo.links'],
    [{ list: [{ documentId: 'x' }] }, 'documentId', 'list'],
    [{ zone: [{ __component: 'shared.link', label: 'a', nope: 1 }] }, 'nope', 'zone'],
    [{ seo: { title: 'a', createdAt: 1 } }, 'createdAt', 'seo'],
    [{ list: [{ __component: 'shared.link' }] }, '__component', 'list'],
  ]
  for (const [data, key, path] of rows) {
    it(`is refused: ${key} at ${path}`, () => {
      for (const validate of [direct, draft]) {
        const error = refusal(() => validate(data, CREATING))
        expect(error.message).to.equal(`Invalid key ${key} at ${path}`)
        expect(error.details).to.deep.equal({ key, path, source: 'body' })
      }
    })
  }
})

describe('relations and media', () => {
  it('are not changed', () => {
    const data = { author: { connect: ['abc'] }, cover: 5 }
    expect(direct(data, CREATING)).to.deep.equal(data)
  })
})

describe('required attributes of other kinds', () => {
  const required = {
    list: { type: 'component', component: 'shared.link', repeatable: true, required: true, min: 1 },
    one: { type: 'component', component: 'shared.link', required: true },
    zone: { type: 'dynamiczone', components: ['shared.link'], required: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing', required: true },
    cover: { type: 'media', multiple: true, required: true },
    day: { type: 'date', required: true },
    data: { type: 'json', required: true },
    blocks: { type: 'blocks', required: true },
    count: { type: 'integer', required: true },
    flag: { type: 'boolean', required: true, default: true },
  }
  const validators = validatorsOf(required, { 'shared.link': LINK })

  it('are required on creation unless they have a default', () => {
    const messages = faults(() => validators.direct({}, CREATING)).map(({ message }) => message)
    const names = Object.keys(required).filter((name) => name !== 'flag')
    expect(messages).to.deep.equal(names.map((name) => `${name} must be defined.`))
  })

  it('refuse null', () => {
    const data = Object.fromEntries(Object.keys(required).map((name) => [name, null]))
    const messages = faults(() => validators.direct(data, UPDATING)).map(({ message }) => message)
    expect(messages).to.deep.equal([
      'list must be a `array` type, but the final value was: `null`.',
      'one must be a `object` type, but the final value was: `null`.',
      'zone must be a `array` type, but the final value was: `null`.',
      'author must be defined.',
      'cover must be defined.',
      'day must be defined.',
      'data must be defined.',
      'blocks must be a `array` type, but the final value was: `null`.',
      'count must be a `number` type, but the final value was: `null`.',
      'flag must be a `boolean` type, but the final value was: `null`.',
    ])
  })

  it('do not apply to the inverse side of a relation', () => {
    const more = { type: 'relation', target: 'api::thing.thing' }
    const { direct, publishable } = validatorsOf({
      parent: { ...more, relation: 'manyToOne', inversedBy: 'children' },
      children: { ...more, relation: 'oneToMany', mappedBy: 'parent', required: true },
    })
    expect(direct({}, CREATING)).to.deep.equal({})
    expect(() => publishable({})).not.to.throw()
  })

  it('must not be empty in a list with a minimum', () => {
    const messages = faults(() => validators.direct({ list: [], cover: [] }, UPDATING))
    expect(messages.map(({ message }) => message)).to.deep.equal([
      'list field must have at least 1 items',
      'cover must be defined.',
    ])
  })
})
