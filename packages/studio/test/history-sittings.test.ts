import { expect } from 'chai'
import * as fc from 'fast-check'
import type { PastVersion } from '../src/api/history.ts'
import { comparedSittings } from '../src/screens/history/compared-sittings.ts'
import { sittingText } from '../src/screens/history/sitting-text.ts'
import { type Sitting, sittingsOf } from '../src/screens/history/sittings.ts'
import { type Version, versionsOf } from '../src/screens/history/versions.ts'
import { english } from '../src/texts/english.ts'
import { german } from '../src/texts/german.ts'
import { textsOf } from '../src/texts/texts.ts'

const ADA = { kind: 'administrator', id: 'a', name: 'Ada' }
const GRACE = { kind: 'administrator', id: 'g', name: 'Grace' }
const MINUTE = 60_000
const BEGIN = Date.parse('2026-01-01T10:00:00.000Z')

function timeAt(minutes: number): string {
  return new Date(BEGIN + minutes * MINUTE).toISOString()
}

describe('the versions of an entry', () => {
  const row = (
    commit: string,
    revision: string | null,
    op: PastVersion['op'],
    status: PastVersion['status'],
    more: Partial<PastVersion> = {},
  ): PastVersion => ({
    commit,
    revision,
    op,
    status,
    at: timeAt(0),
    by: ADA,
    requestId: null,
    ...more,
  })
  const kinds = (rows: readonly PastVersion[], hasDrafts = true) =>
    versionsOf(rows, hasDrafts).map(({ kind }) => kind)

  it('merge the draft and the published version of a publication', () => {
    expect(
      kinds([
        row('b', '2', 'put', 'draft'),
        row('b', '2', 'put', 'published'),
        row('a', '1', 'put', 'draft'),
      ]),
    ).to.deep.equal(['published', 'edited'])
  })

  it('keep a publication after a discard, which restores its revision', () => {
    const rows = [
      row('c', '1', 'put', 'draft'),
      row('b', '2', 'put', 'draft'),
      row('a', '1', 'put', 'published'),
    ]
    expect(versionsOf(rows, true).map(({ key, kind }) => `${key} ${kind}`)).to.deep.equal([
      'c discarded',
      'b edited',
      'a published',
    ])
  })

  it('include each deletion', () => {
    expect(
      kinds([row('b', null, 'delete', 'published'), row('a', '1', 'put', 'draft')]),
    ).to.deep.equal(['unpublished', 'edited'])
    const gone = [row('b', null, 'delete', 'published'), row('b', null, 'delete', 'draft')]
    expect(kinds([...gone, row('a', null, 'delete', 'published')])).to.deep.equal([
      'deleted',
      'unpublished',
    ])
  })

  it('know restored and scheduled ones', () => {
    const [restored, published] = versionsOf(
      [
        row('b', '2', 'put', 'draft', { via: 'restore', changed: ['title'] }),
        row('a', '1', 'put', 'published', { requestId: 'schedule:s1' }),
      ],
      true,
    )
    expect(restored).to.deep.include({ kind: 'restored', changed: ['title'], isScheduled: false })
    expect(published).to.deep.include({ kind: 'published', isScheduled: true, changed: null })
  })

  it('are edits and deletions in types without drafts', () => {
    const rows = [row('b', null, 'delete', 'published'), row('a', '1', 'put', 'published')]
    expect(kinds(rows, false)).to.deep.equal(['deleted', 'edited'])
  })
})

function version(minute: number, more: Partial<Version> = {}): Version {
  return {
    key: String(minute).padStart(6, '0'),
    at: timeAt(minute),
    by: ADA,
    revision: `r${minute}`,
    kind: 'edited',
    isNew: false,
    isScheduled: false,
    changed: null,
    ...more,
  }
}

const spans = (versions: readonly Version[]): readonly (readonly [string, string])[] =>
  sittingsOf(versions).map(({ begin, end }) => [begin, end])

describe('the sittings of a history', () => {
  it('join the edits of one person and their changed attributes', () => {
    const [sitting, ...others] = sittingsOf([
      version(7, { changed: ['cover'] }),
      version(4, { changed: ['title', 'cover'] }),
      version(0, { isNew: true }),
    ])
    expect(others).to.deep.equal([])
    expect(sitting).to.deep.include({
      key: '000007',
      begin: timeAt(0),
      end: timeAt(7),
      revision: 'r7',
      changed: ['title', 'cover'],
      isNew: true,
    })
  })

  it('end after a pause of more than 5 minutes and after 30 minutes', () => {
    expect(spans([version(11), version(5), version(0)])).to.deep.equal([
      [timeAt(11), timeAt(11)],
      [timeAt(0), timeAt(5)],
    ])
    const many = Array.from({ length: 9 }, (_, index) => version(index * 5)).toReversed()
    expect(spans(many)).to.deep.equal([
      [timeAt(35), timeAt(40)],
      [timeAt(0), timeAt(30)],
    ])
  })

  it('end with another person and with an event', () => {
    expect(spans([version(2), version(1, { by: GRACE }), version(0)])).to.have.length(3)
    expect(spans([version(2), version(1, { kind: 'published' }), version(0)])).to.have.length(3)
  })

  it('contain each version once, in order and within the limits, and later versions change none', () => {
    const kind = fc.constantFrom<Version['kind']>('edited', 'edited', 'edited', 'published')
    const step = fc.record({ gap: fc.integer({ min: 1, max: 8 }), kind, isAda: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let minute = 0
        const oldestFirst = steps.map((one) => {
          minute += one.gap
          return version(minute, { kind: one.kind, by: one.isAda ? ADA : GRACE })
        })
        const sittings = sittingsOf(oldestFirst.toReversed()).toReversed()
        const within = ({ begin, end }: Sitting) =>
          oldestFirst.filter(({ at }) => begin <= at && at <= end)
        expect(sittings.flatMap(within)).to.deep.equal(oldestFirst)
        for (const sitting of sittings) {
          const length = Date.parse(sitting.end) - Date.parse(sitting.begin)
          expect(length).to.be.at.most(30 * MINUTE)
          const people = new Set(within(sitting).map(({ by, kind: own }) => `${by.id} ${own}`))
          expect(people.size).to.equal(1)
        }
        const earlier = sittingsOf(oldestFirst.slice(0, -1).toReversed()).toReversed()
        expect(sittings.slice(0, Math.max(0, earlier.length - 1))).to.deep.equal(
          earlier.slice(0, -1),
        )
      }),
    )
  })
})

describe('the text of a sitting', () => {
  const attributes = {
    title: { type: 'string', studio: { label: { en: 'Title', de: 'Titel' } } },
  } as const
  const say = (more: Partial<Version>): readonly string[] => {
    const [sitting] = sittingsOf([version(0, more)])
    if (sitting === undefined) throw new Error('no sitting')
    return [textsOf('en', english), textsOf('de', german)].map((texts) =>
      sittingText(sitting, attributes, texts),
    )
  }

  it('names the changed attributes by their labels, at most four', () => {
    expect(say({ changed: ['title', 'seoText'] })).to.deep.equal([
      'Edited Title, SEO text',
      'Titel, SEO text bearbeitet',
    ])
    expect(say({ changed: ['title', 'a', 'b', 'c', 'd'] })).to.deep.equal([
      'Edited Title, A, B, C and 1 other field',
      'Titel, A, B, C und 1 weiteres Feld bearbeitet',
    ])
    expect(say({ kind: 'restored', changed: ['title'] })).to.deep.equal([
      'Restored Title',
      'Titel wiederhergestellt',
    ])
    expect(say({ changed: [] })).to.deep.equal(['Edited', 'Bearbeitet'])
  })

  it('names events', () => {
    expect(say({ isNew: true })[0]).to.equal('Created')
    expect(say({ kind: 'published' })[0]).to.equal('Published')
    expect(say({ kind: 'published', isScheduled: true })[0]).to.equal('Published as scheduled')
    expect(say({ kind: 'discarded' })[0]).to.equal('Discarded changes')
  })
})

describe('the versions to compare a sitting with', () => {
  const kept = sittingsOf([version(60), version(40), version(20, { kind: 'published' })])
  const [, sitting] = kept
  const state = { locale: 'en', updatedAt: timeAt(60), publishedAt: timeAt(20) }
  const compare = (published: string | null) => {
    if (sitting === undefined) throw new Error('no sitting')
    const changes = { attributes: ['title'], from: published, to: 'r60' }
    return comparedSittings({ sitting, kept, state: { ...state, state: 'changed', changes } })
  }

  it('are the current, the published and the previous one, and every other row', () => {
    expect(
      compare('r20').map(({ id, revision, isOlder }) => [id, revision, isOlder]),
    ).to.deep.equal([
      ['now', 'r60', false],
      ['published', 'r20', true],
      ['before', 'r20', true],
      ['000060', 'r60', false],
      ['000020', 'r20', true],
    ])
  })

  it('exclude the current entry for the newest sitting', () => {
    const [newest] = kept
    if (newest === undefined) throw new Error('no sitting')
    const compared = comparedSittings({ sitting: newest, kept, state: undefined })
    expect(compared.map(({ id }) => id)).to.deep.equal(['before', '000040', '000020'])
  })

  it('include a published version that is not loaded, as the older one', () => {
    expect(compare('r1').find(({ kind }) => kind === 'published')).to.deep.include({
      revision: 'r1',
      isOlder: true,
    })
    expect(compare(null).some(({ kind }) => kind === 'published')).to.equal(false)
  })
})
