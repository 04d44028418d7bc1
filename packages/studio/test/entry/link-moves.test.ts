import { expect } from 'chai'
import * as fc from 'fast-check'
import { adoptAnswer } from '../../src/entry/adopt-answer.ts'
import type { Attributes } from '../../src/api/attributes.ts'
import { movedLinks, orderedMoves, withMove } from '../../src/entry/link-moves.ts'
import { answeredAt, populateAt } from '../../src/entry/link-page.ts'
import { mergeEntries } from '../../src/entry/merge.ts'
import { changedData } from '../../src/entry/payload.ts'
import { relationChange, type RelationPayload } from '../../src/entry/relation-change.ts'
import type { Link, LinkMove, Links } from '../../src/entry/values.ts'
import { COMPONENTS } from './samples.ts'

const ATTRIBUTES: Attributes = {
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
}

const link = (documentId: string): Link => ({ documentId, title: documentId })
const idsOf = (links: readonly Link[]): string[] => links.map(({ documentId }) => documentId)
const longOf = (ids: readonly string[], moves: readonly LinkMove[] = []): Links => ({
  items: ids.map(link),
  more: true,
  moves,
})

/** What the server makes of a change: first what is taken away, then each connected one at its place. */
function applied(stored: readonly string[], { connect, disconnect }: RelationPayload): string[] {
  const gone = new Set(disconnect.map(({ documentId }) => documentId))
  const list = stored.filter((id) => !gone.has(id))
  for (const { documentId, position } of connect) {
    const held = list.indexOf(documentId)
    if (held !== -1) list.splice(held, 1)
    const at = 'after' in position ? list.indexOf(position.after) + 1 : 'start' in position ? 0 : -1
    list.splice(at < 1 && !('start' in position) ? list.length : at, 0, documentId)
  }
  return list
}

/** What a hand does to what it sees: puts the one at `at` somewhere, takes it away, or adds one. */
interface Deed {
  readonly at: number
  readonly to: number
  readonly what: 'move' | 'end' | 'remove' | 'add'
}

const DEED: fc.Arbitrary<Deed> = fc.record({
  at: fc.nat({ max: 20 }),
  to: fc.nat({ max: 20 }),
  what: fc.constantFrom('move', 'end', 'remove', 'add'),
})

function done(read: readonly Link[], deeds: readonly Deed[]): readonly LinkMove[] {
  return deeds.reduce<readonly LinkMove[]>((moves, { at, to, what }) => {
    const { items } = movedLinks(read, moves)
    const chosen = what === 'add' ? link(`new ${at}`) : items[at % Math.max(1, items.length)]
    if (chosen === undefined) return moves
    const others = items.filter((one) => one.documentId !== chosen.documentId)
    const before = others[to % (others.length + 1)]
    const place = before === undefined ? 'start' : { after: before.documentId }
    const goes = what === 'remove' ? null : what === 'move' ? place : 'end'
    return orderedMoves(read, withMove(moves, { link: chosen, to: goes }))
  }, [])
}

describe('moves in a long relation', () => {
  it('produce the shown order on the server, and leave unread entries in place', () => {
    fc.assert(
      fc.property(fc.nat({ max: 8 }), fc.array(DEED, { maxLength: 8 }), (count, deeds) => {
        const stored = Array.from({ length: 10 }, (_, at) => `stored ${at}`)
        const read = stored.slice(0, 2 + count).map(link)
        const moves = done(read, deeds)
        const after = applied(
          stored,
          relationChange(longOf(idsOf(read)), longOf(idsOf(read), moves)),
        )
        const { items, end } = movedLinks(read, moves)
        const unread = stored.slice(read.length)
        expect(after).to.deep.equal([...idsOf(items), ...unread, ...idsOf(end)])
      }),
    )
  })

  it('are sent, and an unchanged relation is not', () => {
    const base = { tags: longOf(['a', 'b']) }
    const send = (moves: readonly LinkMove[]) =>
      changedData(ATTRIBUTES, base, { tags: longOf(['a', 'b'], moves) }, COMPONENTS)
    expect(send([])).to.deep.equal({})
    expect(send([{ link: link('z'), to: null }])).to.deep.equal({
      tags: { connect: [], disconnect: [{ documentId: 'z' }], options: { strict: false } },
    })
  })

  it('apply to the version of another user without a conflict', () => {
    const moves: readonly LinkMove[] = [{ link: link('z'), to: null }]
    const merge = (theirs: Links) =>
      mergeEntries(
        ATTRIBUTES,
        {
          base: { tags: longOf(['a', 'b']) },
          mine: { tags: longOf(['a', 'b'], moves) },
          theirs: { tags: theirs },
        },
        COMPONENTS,
      )
    const long = merge(longOf(['b', 'c']))
    expect(long).to.deep.equal({ values: { tags: longOf(['b', 'c'], moves) }, conflicts: [] })
    const short = merge({ items: [link('z'), link('b')], more: false })
    expect(short.values).to.deep.equal({ tags: { items: [link('b')], more: false } })
  })

  it('stay unsaved if they were made during a request', () => {
    const first: LinkMove = { link: link('z'), to: null }
    const second: LinkMove = { link: link('y'), to: null }
    const adopted = adoptAnswer(
      ATTRIBUTES,
      {
        sent: { tags: longOf(['a'], [first]) },
        current: { tags: longOf(['a'], [first, second]) },
        base: { tags: { items: [link('a')], more: true } },
      },
      COMPONENTS,
    )
    expect(adopted).to.deep.equal({ tags: longOf(['a'], [second]) })
  })

  it('survive a relation that became long during a request', () => {
    const short = (...ids: string[]): Links => ({ items: ids.map(link), more: false })
    const base = { tags: { items: ['a', 'b'].map(link), more: true } }
    const of = { sent: { tags: short('a', 'b', 'c') }, current: { tags: short('a', 'b') }, base }
    expect(adoptAnswer(ATTRIBUTES, of, COMPONENTS)).to.deep.equal({
      tags: longOf(['a', 'b'], [{ link: link('c'), to: null }]),
    })
  })
})

describe('a page of a relation', () => {
  const held = {
    attributes: {
      ...ATTRIBUTES,
      seo: { type: 'component', component: 'shared.cta' },
      sections: { type: 'dynamiczone', components: ['shared.quote', 'shared.cta'] },
    } satisfies Attributes,
    values: {
      seo: { $key: 's', id: 3, quote: { $key: 'q', id: 4 } },
      sections: [
        { $key: 'one', id: 7, __component: 'shared.cta' },
        { $key: 'two', id: 7, __component: 'shared.quote' },
      ],
    },
    components: COMPONENTS,
  }
  const tags = [{ documentId: 'a' }]

  for (const [situation, address, populate, answer] of [
    ['of the entry', ['tags'], { tags: 'x' }, { tags }],
    [
      'within components',
      ['seo', 'quote', 'countries'],
      { seo: { populate: { quote: { populate: { countries: 'x' } } } } },
      { seo: { id: 3, quote: { id: 4, countries: tags } } },
    ],
    [
      'within a zone',
      ['sections', 'two', 'countries'],
      { sections: { on: { 'shared.quote': { populate: { countries: 'x' } } } } },
      { sections: [{ __component: 'shared.quote', id: 7, countries: tags }] },
    ],
  ] as const) {
    it(`requests and reads only the relation: ${situation}`, () => {
      expect(populateAt(held, address, 'x')).to.deep.equal(populate)
      expect(answeredAt(held, address, answer)).to.equal(tags)
    })
  }
})
