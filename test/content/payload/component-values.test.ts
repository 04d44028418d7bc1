import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  collectRelationChanges,
  countNewComponents,
  mergeComponents,
} from '../../../src/content/payload/component-values.ts'
import { unsetValue } from '../../../src/mongo/versions/stored-content.ts'
import type { DocumentChange } from '../../../src/content/payload/relation-change.ts'
import type { DocumentChanges } from '../../../src/content/payload/relation-input.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { thrownBy } from '../../fixtures/errors.ts'
import { pagePlan } from '../../fixtures/plans.ts'

const plan = pagePlan()

/** New ids start at 101 for every component. */
function merge(
  stored: Data | null,
  sent: Data,
  changes: DocumentChanges = new Map<string, DocumentChange>(),
): Data {
  let last = 100
  const newId = (): number => (last += 1)
  return mergeComponents(plan, stored, sent, { newId, changes, isDraft: true })
}

const link = (id: number, values: Data = {}): Data => ({
  id,
  label: null,
  external: null,
  tag: null,
  ...values,
})
const seo = (id: number, values: Data = {}): Data => ({
  id,
  metaTitle: null,
  image: null,
  social: [],
  main: null,
  ...values,
})
const hero = (id: number, values: Data = {}): Data => ({
  id,
  heading: null,
  tags: [],
  ...values,
  __component: 'sections.hero',
})

const stored: Data = {
  title: 'Page',
  seo: seo(1, {
    metaTitle: 'm',
    image: 'file',
    social: [link(2, { label: 'a' }), link(3, { label: 'b', tag: 'red' })],
    main: link(4, { label: 'main' }),
  }),
  links: [link(5, { label: 'x' }), link(6, { label: 'y', tag: 'blue' })],
  sections: [
    hero(7, { heading: 'h', tags: ['red', 'blue'] }),
    { id: 7, caption: 'c', links: [link(8)], __component: 'sections.list' },
  ],
}

describe('unsetValue', () => {
  it('is an empty list for lists and null for all other attributes', () => {
    const unset = [...plan.attributes.values()].map((one) => [one.name, unsetValue(one)])
    expect(Object.fromEntries(unset)).to.deep.equal({
      title: null,
      tags: [],
      category: null,
      cover: null,
      gallery: [],
      seo: null,
      links: [],
      sections: [],
    })
  })
})

describe('mergeComponents', () => {
  const rows: readonly (readonly [string, Data | null, Data, Data])[] = [
    ['returns no components if none are sent', stored, { title: 'New' }, {}],
    ['omits components that are not sent', stored, { seo: undefined, links: [] }, { links: [] }],
    [
      'fills in missing attributes of a new component',
      null,
      { seo: { metaTitle: 'm' } },
      { seo: seo(101, { metaTitle: 'm' }) },
    ],
    ['ignores ids in a new version', null, { seo: { id: 1 } }, { seo: seo(101) }],
    [
      'ignores duplicate ids in a new version',
      null,
      { links: [{ id: 1 }, { id: 1 }] },
      { links: [link(101), link(102)] },
    ],
    [
      'replaces a component that is sent without an id',
      stored,
      { seo: { metaTitle: 'n' } },
      { seo: seo(101, { metaTitle: 'n' }) },
    ],
    ['treats a null id as a missing id', stored, { seo: { id: null } }, { seo: seo(101) }],
    ['removes a single component', stored, { seo: null }, { seo: null }],
    ['empties lists', stored, { links: [], sections: [] }, { links: [], sections: [] }],
    [
      'merges a component that is sent with its id',
      stored,
      { seo: { id: 1, metaTitle: 'n' } },
      { seo: { ...(stored['seo'] as Data), metaTitle: 'n' } },
    ],
    [
      'distinguishes null from absent values',
      stored,
      { seo: { id: '1', metaTitle: null, main: null, social: [] } },
      { seo: seo(1, { image: 'file' }) },
    ],
    [
      'merges nested components with their ids',
      stored,
      { seo: { id: 1, social: [{ id: 3, label: 'B' }, { label: 'c' }], main: { label: 'new' } } },
      {
        seo: seo(1, {
          metaTitle: 'm',
          image: 'file',
          social: [link(3, { label: 'B', tag: 'red' }), link(101, { label: 'c' })],
          main: link(102, { label: 'new' }),
        }),
      },
    ],
    [
      'treats nested components of a new component as new',
      stored,
      { seo: { social: [{ id: 3 }], main: { id: 4, label: 'm' } } },
      { seo: seo(101, { social: [link(102)], main: link(103, { label: 'm' }) }) },
    ],
    [
      'takes the order of the sent list',
      stored,
      { links: [{ id: 6 }, { label: 'new' }, { id: 5, label: 'z' }] },
      {
        links: [
          link(6, { label: 'y', tag: 'blue' }),
          link(101, { label: 'new' }),
          link(5, { label: 'z' }),
        ],
      },
    ],
    [
      'keeps the last of two components with the same id',
      stored,
      { links: [{ id: 5, label: 'first' }, { id: 6 }, { id: '5', label: 'last' }] },
      { links: [link(6, { label: 'y', tag: 'blue' }), link(5, { label: 'last' })] },
    ],
    [
      'distinguishes components of a zone by type',
      stored,
      {
        sections: [
          { __component: 'sections.list', id: 7, caption: 'd' },
          { __component: 'sections.hero', id: 7 },
          { __component: 'sections.hero', heading: 'new' },
        ],
      },
      {
        sections: [
          { id: 7, caption: 'd', links: [link(8)], __component: 'sections.list' },
          hero(7, { heading: 'h', tags: ['red', 'blue'] }),
          hero(101, { heading: 'new' }),
        ],
      },
    ],
  ]
  for (const [subject, before, sent, expected] of rows) {
    it(subject, () => {
      expect(merge(before, sent)).to.deep.equal(expected)
    })
  }

  it('puts the id first, __component last and attributes in declared order', () => {
    const sent = { sections: [{ __component: 'sections.hero', tags: [], heading: 'h' }] }
    const { sections } = merge(null, sent)
    expect(Object.keys((sections as Data[])[0] ?? {})).to.deep.equal([
      'id',
      'heading',
      'tags',
      '__component',
    ])
  })

  it('applies relation and media changes to the stored values', () => {
    const connect: DocumentChange = {
      kind: 'change',
      connect: [{ target: 'green', position: { kind: 'start' } }],
      disconnect: ['red'],
      strict: true,
    }
    const changes = new Map<string, DocumentChange>([
      ['seo.image', { kind: 'set', targets: [] }],
      ['sections.0.tags', connect],
      ['sections.1.tags', connect],
      ['links.1.tag', { kind: 'set', targets: ['red', 'green'] }],
    ])
    const sent = {
      seo: { id: 1, image: null },
      links: [{ id: 6 }, { tag: ['1', '2'] }],
      sections: [
        { __component: 'sections.hero', tags: {} },
        { __component: 'sections.hero', id: 7, tags: {} },
      ],
    }
    expect(merge(stored, sent, changes)).to.deep.equal({
      seo: { ...(stored['seo'] as Data), image: null },
      links: [link(6, { label: 'y', tag: 'blue' }), link(101, { tag: 'green' })],
      sections: [
        hero(102, { tags: ['green'] }),
        hero(7, { heading: 'h', tags: ['green', 'blue'] }),
      ],
    })
  })

  it('adds attributes that were declared after the component was stored', () => {
    const merged = merge({ seo: { id: 1 } }, { seo: { id: 1, metaTitle: 'm' } })
    expect(merged).to.deep.equal({ seo: seo(1, { metaTitle: 'm' }) })
  })

  const foreign: readonly (readonly [string, string, Data, Data])[] = [
    ['an unknown component', 'seo', stored, { seo: { id: 424242 } }],
    ['a component if none is stored', 'seo', { seo: null }, { seo: { id: 1 } }],
    ['a component of an attribute that is not stored', 'seo', {}, { seo: { id: 1 } }],
    ['a component of another attribute', 'links', stored, { links: [{ id: 2 }] }],
    [
      'a component of another type',
      'sections',
      stored,
      { sections: [{ __component: 'sections.hero', id: 8 }] },
    ],
    ['a component nested elsewhere', 'seo.main', stored, { seo: { id: 1, main: { id: 2 } } }],
    ['a component as text', 'seo', stored, { seo: { id: 'one' } }],
    ['a component as true', 'links', { links: [{ label: 'no id' }] }, { links: [{ id: true }] }],
  ]
  for (const [subject, name, before, sent] of foreign) {
    it(`refuses the id of ${subject}`, () => {
      const error = thrownBy(() => merge(before, sent))
      expect(error.name).to.equal('ApplicationError')
      expect(error.status).to.equal(400)
      expect(error.message).to.equal(
        `Some of the provided components in ${name} are not related to the entity`,
      )
      expect(error.details).to.deep.equal({})
    })
  }

  it('does not modify the stored version', () => {
    const before = structuredClone(stored)
    merge(stored, { seo: { id: 1, metaTitle: 'n' }, links: [{ id: 6, label: 'n' }] })
    expect(stored).to.deep.equal(before)
  })
})

describe('mergeComponents after the validators', () => {
  const update = (sent: Data): Data => plan.validators.direct(sent, { creating: false })

  it('applies defaults to new components only', () => {
    const sent = {
      links: [{ id: 5, label: 'x' }, { label: 'new' }, { label: 'z', external: null }],
    }
    expect(merge(stored, update(sent))).to.deep.equal({
      links: [
        link(5, { label: 'x' }),
        link(101, { label: 'new', external: false }),
        link(102, { label: 'z' }),
      ],
    })
  })

  it('applies defaults inside new components regardless of nested ids', () => {
    const sent = { seo: { main: { id: 4, label: 'm' } } }
    expect(merge(stored, update(sent))).to.deep.equal({
      seo: seo(101, { main: link(102, { label: 'm', external: false }) }),
    })
  })
})

describe('collectRelationChanges', () => {
  it('finds changes at the root, in components and in zones', () => {
    const found = collectRelationChanges(plan, {
      title: 'x',
      category: 'c',
      tags: {},
      gallery: { connect: ['g'] },
      seo: { image: null, main: { tag: 1 }, social: [{ label: 'x' }, { tag: ['t'] }] },
      links: [],
      sections: [
        { __component: 'sections.list', links: [{ tag: 'a' }] },
        { __component: 'sections.hero', tags: ['b'] },
      ],
    })
    expect(found.map(({ path, attribute }) => [path.join('.'), attribute.kind])).to.deep.equal([
      ['category', 'relation'],
      ['gallery', 'media'],
      ['seo.image', 'media'],
      ['seo.main.tag', 'relation'],
      ['seo.social.1.tag', 'relation'],
      ['sections.0.links.0.tag', 'relation'],
      ['sections.1.tags', 'relation'],
    ])
    expect(found.map(({ change }) => change.kind)).to.deep.equal([
      'set',
      'change',
      ...Array.from({ length: 5 }, () => 'set'),
    ])
  })

  it('returns an empty list for a payload without relations', () => {
    const sent = { seo: null, links: undefined, locale: 'en', constructor: {} }
    expect(collectRelationChanges(plan, sent)).to.deep.equal([])
  })
})

describe('countNewComponents', () => {
  const id = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })
  const links = fc.array(fc.record({ id, label: fc.string() }), { maxLength: 4 })
  const main = fc.option(fc.record({ id }))
  const optional = { requiredKeys: [] }
  const page = fc.record(
    {
      seo: fc.option(fc.record({ id, social: links, main }, optional)),
      links,
      sections: fc.array(
        fc.oneof(
          fc.record({ __component: fc.constant('sections.hero'), id }),
          fc.record({ __component: fc.constant('sections.list'), id, links }),
        ),
      ),
    },
    optional,
  )

  const counted = (before: Data | null, sent: Data): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    const newId = (uid: string): number => {
      counts.set(uid, (counts.get(uid) ?? 0) + 1)
      return 1000
    }
    mergeComponents(plan, before, sent, { newId, changes: new Map(), isDraft: true })
    return counts
  }

  /** A version that contains every id that a generated page may use. */
  const ids = [1, 2, 3, 4]
  const all = ids.map((id) => link(id))
  const nesting = (id: number): Data => seo(id, { social: all, main: link(1) })
  const holding = (id: number): Data => ({
    seo: nesting(id),
    links: all,
    sections: ids.flatMap((id) => [
      hero(id),
      { id, caption: null, links: all, __component: 'sections.list' },
    ]),
  })

  it('counts the new components of a creation', () => {
    fc.assert(
      fc.property(page, (sent) => {
        const count = countNewComponents(plan, sent, { creating: true })
        expect(count).to.deep.equal(counted(null, sent))
      }),
    )
  })

  it('counts the new components of an update', () => {
    fc.assert(
      fc.property(page, (sent) => {
        const seoId = sent.seo?.id ?? 1
        fc.pre((sent.seo?.main?.id ?? 1) === 1 || sent.seo?.id === undefined)
        const count = countNewComponents(plan, sent, { creating: false })
        expect(count).to.deep.equal(counted(holding(seoId), sent))
      }),
    )
  })

  it('returns no counts if all components are stored', () => {
    expect(countNewComponents(plan, stored, { creating: false })).to.deep.equal(new Map())
    expect(merge(stored, stored)).to.deep.equal({
      seo: stored['seo'],
      links: stored['links'],
      sections: stored['sections'],
    })
  })
})
