import { expect } from 'chai'
import * as fc from 'fast-check'
import { findUnits, parseUnitId } from '../../../src/content/translation/find-units.ts'
import { translatePayload } from '../../../src/content/translation/translate-payload.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { modelRuns } from '../../support/model-runs.ts'

const RUNS = { numRuns: modelRuns('TRANSLATION_RUNS', 500, 5_000) }
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const PAGE = contentType(
  'page',
  { localized: true, draftAndPublish: true },
  { story: { type: 'blocks', ...LOCALIZED } },
)

const plan = compiled()

function compiled(): ContentTypePlan {
  const found = compileSchema({ contentTypes: [PAGE], components: [] }).contentTypes.get(PAGE.uid)
  if (found === undefined) throw new Error('the page was not compiled')
  return found
}

interface Paragraph {
  /** Survives moves. The content of a block does not show it. */
  readonly mark: number
  readonly text: string
}

interface Change {
  readonly kind: 'move' | 'insert' | 'delete'
  readonly from: number
  readonly to: number
  readonly text: string
}

let lastMark = 0
const marked = (texts: readonly string[]): readonly Paragraph[] =>
  texts.map((text) => ({ mark: (lastMark += 1), text }))

/** Few words, so that texts repeat. No text is one of both languages. */
const english = fc.constantFrom('one', 'two', 'three', 'four', 'five')
const german = fc.constantFrom('eins', 'zwei', 'drei', 'vier', '')

const pairs = fc.array(fc.tuple(english, german), { maxLength: 4 })

const changes = (text: fc.Arbitrary<string>): fc.Arbitrary<readonly Change[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom<Change['kind']>('move', 'insert', 'delete'),
      from: fc.nat({ max: 5 }),
      to: fc.nat({ max: 5 }),
      text,
    }),
    { maxLength: 3 },
  )

function changed(paragraphs: readonly Paragraph[], list: readonly Change[]): readonly Paragraph[] {
  const after = [...paragraphs]
  for (const { kind, from, to, text } of list) {
    const taken = kind === 'insert' ? marked([text]) : after.splice(from % (after.length + 1), 1)
    if (kind !== 'delete') after.splice(to % (after.length + 1), 0, ...taken)
  }
  return after
}

const toStory = (paragraphs: readonly Paragraph[]): Data => ({
  story: paragraphs.map(({ mark, text }) => ({
    type: 'paragraph',
    mark,
    children: [{ type: 'text', text }],
  })),
})

function readStory(data: Data): readonly Paragraph[] {
  const story = data['story'] as readonly {
    readonly mark: number
    readonly children: readonly { readonly text: string }[]
  }[]
  return story.map(({ mark, children }) => ({
    mark,
    text: children.map(({ text }) => text).join(''),
  }))
}

const translate = (source: string): string => `*${source}`

/** The units of an export that the Studio selects, of those which the translator has chosen. */
function importSelected(
  ids: readonly string[],
  versions: { readonly source: Data; readonly target: Data },
  isChosen: (index: number) => boolean,
): Data {
  const named = new Map(ids.flatMap((id) => parseUnitId(id).named))
  const selected = findUnits(plan, versions, named).filter(({ key, placement }) => {
    const index = ids.findIndex((id) => parseUnitId(id).key === key)
    return index >= 0 && isChosen(index) && placement === 'certain'
  })
  const keys = new Set(selected.map(({ key }) => key))
  const given = ids.map(parseUnitId).filter(({ key }) => keys.has(key))
  const payload = translatePayload(plan, versions, {
    texts: new Map(selected.map(({ key, source }) => [key, translate(source)])),
    named: new Map(given.flatMap((one) => one.named)),
    copy: {},
  })
  return { ...versions.target, ...payload }
}

const idsOf = (source: Data, target: Data | null): readonly string[] =>
  findUnits(plan, { source, target }, null).map(({ id }) => id)

/** Equal paragraphs that change places leave the content as it was. */
function withMarksOf(
  before: readonly Paragraph[],
  after: readonly Paragraph[],
): readonly Paragraph[] {
  const textsOf = (list: readonly Paragraph[]): string =>
    JSON.stringify(list.map((one) => one.text))
  return textsOf(before) === textsOf(after) ? before : after
}

describe('pairs of paragraphs', () => {
  it('translates each paragraph as its source at the export, after changes of both languages', () => {
    fc.assert(
      fc.property(
        pairs,
        fc.constantFrom('whole', 'longer', 'none'),
        changes(english),
        changes(german),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        (list, kind, sourceChanges, targetChanges, isChosen) => {
          const source = marked(list.map(([text]) => text))
          const others = kind === 'longer' ? ['mehr'] : []
          const texts = kind === 'none' ? [] : [...list.map(([, text]) => text), ...others]
          const target = marked(texts)
          const isPaired = kind === 'whole' && texts.some((text) => text !== '')
          const sources = new Map(
            isPaired ? target.map(({ mark }, index) => [mark, source[index]?.text ?? '']) : [],
          )
          const before = withMarksOf(target, changed(target, targetChanges))
          const isBegun = before.some(({ text }) => text !== '')
          const versions = {
            source: toStory(changed(source, sourceChanges)),
            target: toStory(before),
          }
          const ids = idsOf(toStory(source), toStory(target))
          const after = readStory(
            importSelected(ids, versions, (index) => isChosen[index] === true),
          )
          if (!isBegun) return
          const allowed = ({ mark, text }: Paragraph): readonly string[] => {
            const own = sources.get(mark)
            const alike = target.filter((one) => own === undefined && one.text === text)
            const from = own ?? alike.map((one) => sources.get(one.mark) ?? '')
            return [text, ...[from].flat().map(translate)]
          }
          expect(after.map(({ mark }) => mark)).to.deep.equal(before.map(({ mark }) => mark))
          for (const [index, paragraph] of before.entries()) {
            expect(after[index]?.text).to.be.oneOf(allowed(paragraph))
          }
        },
      ),
      RUNS,
    )
  })

  it('translates all paragraphs after moves of different ones', () => {
    const orders = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 })
    fc.assert(
      fc.property(orders, orders, (sourceOrder, targetOrder) => {
        const source = marked(['one', 'two', 'three', 'four'])
        const target = marked(['eins', 'zwei', 'drei', 'vier'])
        const pick = (list: readonly Paragraph[], order: readonly number[]): Data =>
          toStory(order.flatMap((index) => list[index] ?? []))
        const versions = { source: pick(source, sourceOrder), target: pick(target, targetOrder) }
        const ids = idsOf(toStory(source), toStory(target))
        const after = readStory(importSelected(ids, versions, () => true))
        expect(after.map(({ text }) => text)).to.deep.equal(
          targetOrder.map((index) => translate(source[index]?.text ?? '')),
        )
      }),
      RUNS,
    )
  })

  it('translates equal paragraphs of an unchanged translation', () => {
    const source = marked(['one', 'two', 'two'])
    const target = marked(['ja', 'ja', ''])
    const versions = { source: toStory(source), target: toStory(target) }
    const ids = idsOf(versions.source, versions.target)
    const after = readStory(importSelected(ids, versions, () => true))
    expect(after.map(({ text }) => text)).to.deep.equal(['*one', '*two', '*two'])
  })
})
