import { createHash } from 'node:crypto'
import type { Data } from '../../schema/definition.ts'
import { plainTextOf, tagSource, type TaggedText } from './tagged-text.ts'

export type Children = readonly Data[]

/** A paragraph of the source that has a text. */
export interface Paragraph {
  /** From its text and the number of equal ones before it, so that the key survives moves of other blocks. */
  readonly key: string
  readonly text: TaggedText
  readonly children: Children
  /** Among all paragraphs of the source. */
  readonly index: number
  readonly placement: 'certain' | 'byPosition' | 'replaced'
  /** The paragraph of the translation. Null without one. */
  readonly pair: TranslatedParagraph | null
}

export interface TranslatedParagraph {
  /** From its text. From all texts of the translation and its position if there are equal ones. */
  readonly name: string
  readonly children: Children
  /** Among all paragraphs of the translation. */
  readonly index: number
}

/** The name of the translated paragraph by the key of its source, as at the export. */
export type PairOf = (key: string) => string | undefined

export interface PairedBlocks {
  readonly paragraphs: readonly Paragraph[]
  /** Whether the translation has a text, and the blocks of the source in the same order. */
  readonly isAligned: boolean
}

/** @param pairOf null to pair the paragraphs by position */
export function pairParagraphs(
  source: unknown,
  target: unknown,
  pairOf: PairOf | null,
): PairedBlocks {
  const isBegun = hasText(target)
  const isAligned = isBegun && outlineOf(source) === outlineOf(target)
  const others = isBegun ? translatedParagraphs(target) : []
  const aligned = isAligned ? others : []
  const byName = new Map(others.map((other) => [other.name, other]))
  const pair = (key: string, text: TaggedText, index: number): PairedParagraph => {
    const name = pairOf?.(key)
    const named = byName.get(name ?? '')
    if (named !== undefined) return { pair: named, placement: 'certain' }
    if (!isBegun) return { pair: null, placement: name === undefined ? 'certain' : 'byPosition' }
    const other = aligned[index]
    if (other === undefined) return { pair: null, placement: 'replaced' }
    const isUntranslated = name === undefined && tagSource(other.children) === text
    const isCertain = pairOf === null || isUntranslated
    return { pair: other, placement: isCertain ? 'certain' : 'byPosition' }
  }
  const seen = new Map<string, number>()
  const paragraphs = leavesOf(blocksOf(source)).flatMap((children, index): readonly Paragraph[] => {
    const text = tagSource(children)
    if (plainTextOf(text).trim() === '') return []
    const key = keyOf(text, seen)
    return [{ key, text, children, index, ...pair(key, text, index) }]
  })
  return { paragraphs, isAligned }
}

type PairedParagraph = Pick<Paragraph, 'pair' | 'placement'>

function translatedParagraphs(target: unknown): readonly TranslatedParagraph[] {
  const leaves = leavesOf(blocksOf(target))
  const digests = leaves.map((children) => digestOf(tagSource(children)))
  const all = digestOf(digests.join())
  const counts = new Map<string, number>()
  for (const digest of digests) counts.set(digest, (counts.get(digest) ?? 0) + 1)
  return leaves.map((children, index) => {
    const digest = digests[index] ?? ''
    return { name: counts.get(digest) === 1 ? digest : `${all}.${index + 1}`, children, index }
  })
}

/** Blocks with a text. Code and images have none. */
const WITH_TEXT: ReadonlySet<unknown> = new Set([
  'paragraph',
  'heading',
  'quote',
  'list-item',
  'table-cell',
  'table-header-cell',
])

/** Blocks with blocks. */
const WITH_BLOCKS: ReadonlySet<unknown> = new Set(['list', 'table', 'table-row'])

/** The blocks with other texts. Null keeps the text of a paragraph. */
export function replaceParagraphs(
  value: unknown,
  replace: (index: number) => Children | null,
): readonly Data[] {
  let index = 0
  return mapLeaves(blocksOf(value), (children) => replace(index++) ?? children)
}

function keyOf(text: TaggedText, seen: Map<string, number>): string {
  const digest = digestOf(text)
  const count = (seen.get(digest) ?? 0) + 1
  seen.set(digest, count)
  return `${digest}.${count}`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function blocksOf(value: unknown): readonly Data[] {
  return Array.isArray(value) ? (value as readonly Data[]) : []
}

function childrenOf({ children }: Data): readonly Data[] {
  return blocksOf(children)
}

function leavesOf(blocks: readonly Data[]): readonly Children[] {
  return blocks.flatMap((block) => {
    if (WITH_TEXT.has(block['type'])) return [childrenOf(block)]
    return WITH_BLOCKS.has(block['type']) ? leavesOf(childrenOf(block)) : []
  })
}

function mapLeaves(
  blocks: readonly Data[],
  fill: (children: Children) => Children,
): readonly Data[] {
  return blocks.map((block) => {
    if (WITH_TEXT.has(block['type'])) return { ...block, children: fill(childrenOf(block)) }
    return WITH_BLOCKS.has(block['type'])
      ? { ...block, children: mapLeaves(childrenOf(block), fill) }
      : block
  })
}

/** An editor that was opened once leaves an empty paragraph. */
function hasText(value: unknown): boolean {
  const blocks = blocksOf(value)
  const isText = ({ type }: Data): boolean => WITH_TEXT.has(type) || WITH_BLOCKS.has(type)
  return (
    blocks.some((block) => !isText(block)) ||
    leavesOf(blocks).some((children) => plainTextOf(tagSource(children)).trim() !== '')
  )
}

function outlineOf(value: unknown): string {
  const outline = (block: Data): unknown => [
    block['type'],
    block['level'] ?? null,
    block['format'] ?? null,
    WITH_BLOCKS.has(block['type']) ? childrenOf(block).map(outline) : null,
  ]
  return JSON.stringify(blocksOf(value).map(outline))
}
