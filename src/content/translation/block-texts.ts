import type { Data } from '../../schema/definition.ts'
import {
  type Children,
  type PairOf,
  pairParagraphs,
  type Paragraph,
  replaceParagraphs,
} from './pair-paragraphs.ts'
import {
  formatsFor,
  plainTextOf,
  readTagged,
  tagSource,
  type TaggedText,
  tagTarget,
} from './tagged-text.ts'

export interface BlockText {
  /** Of its paragraph in the source. */
  readonly key: string
  /** The name of the paragraph of the translation. Null without one. */
  readonly pair: string | null
  readonly source: TaggedText
  /** Null without a translation, and if the translation has a kind of format that the source lacks. */
  readonly target: TaggedText | null
  /** The translation without formats. Null without one. */
  readonly current: string | null
  readonly placement: Paragraph['placement'] | 'reformatted'
  /** Whether a translation has the tags of the source, or fewer. */
  readonly accepts: (text: TaggedText) => boolean
}

/** @param pairOf null to pair the paragraphs by position */
export function findBlockTexts(
  source: unknown,
  target: unknown,
  pairOf: PairOf | null,
): readonly BlockText[] {
  return pairParagraphs(source, target, pairOf).paragraphs.map((paragraph) => {
    const { key, text, pair, placement } = paragraph
    const formats = formatsOf(paragraph)
    const accepts = (given: TaggedText): boolean => readTagged(given, formats) !== null
    const current = pair === null ? '' : plainTextOf(tagSource(pair.children))
    const unit = { key, pair: pair?.name ?? null, source: text, accepts }
    if (pair === null || current === '') return { ...unit, target: null, current: null, placement }
    const tagged = tagTarget(pair.children, formats)
    const isLost = placement === 'certain' && tagged === null
    return { ...unit, target: tagged, current, placement: isLost ? 'reformatted' : placement }
  })
}

/**
 * The translation with the given texts by key. If a text has no paragraph there, and the blocks differ from those of the
 * source, the result has the blocks of the source, with the text of the source in the others.
 */
export function translateBlocks(
  source: unknown,
  target: unknown,
  texts: ReadonlyMap<string, TaggedText>,
  pairOf: PairOf,
): readonly Data[] {
  const { paragraphs, isAligned } = pairParagraphs(source, target, pairOf)
  const given = paragraphs.filter(({ key }) => texts.has(key))
  const pairs = new Set(given.map(({ pair }) => pair?.index ?? null))
  const isPaired = pairs.size === given.length && !pairs.has(null)
  const translated = new Map(
    given.map((paragraph): readonly [number, Children | null] => {
      const place = isPaired ? (paragraph.pair?.index ?? paragraph.index) : paragraph.index
      return [place, readTagged(texts.get(paragraph.key) ?? '', formatsOf(paragraph))]
    }),
  )
  const kept = isPaired || isAligned ? target : source
  return replaceParagraphs(kept, (index) => translated.get(index) ?? null)
}

function formatsOf({ children, pair }: Paragraph): Children {
  return formatsFor(children, pair?.children ?? [])
}
