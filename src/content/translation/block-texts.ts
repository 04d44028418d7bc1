import { createHash } from 'node:crypto'
import type { Data } from '../../schema/definition.ts'
import {
  formatsFor,
  plainTextOf,
  readTagged,
  tagSource,
  type TaggedText,
  tagTarget,
} from './tagged-text.ts'

export interface BlockText {
  /** From its text and the number of equal ones before it, so that the key survives moves of other blocks. */
  readonly key: string
  readonly source: TaggedText
  /** Null without a translation, and if the translation has a kind of format that the source lacks. */
  readonly target: TaggedText | null
  /** The translation without formats. Null without one. */
  readonly current: string | null
  /** Whether a translation has the tags of the source, or fewer. */
  readonly accepts: (text: TaggedText) => boolean
}

export interface BlockTexts {
  readonly texts: readonly BlockText[]
  /** Whether the translation has the same blocks in the same order, or none. */
  readonly isAligned: boolean
}

type Children = readonly Data[]

/** Blocks with a text. Code and images have none. */
const WITH_TEXT: ReadonlySet<unknown> = new Set(['paragraph', 'heading', 'quote', 'list-item'])

export function findBlockTexts(source: unknown, target: unknown): BlockTexts {
  const own = leavesOf(blocksOf(source))
  const isBegun = hasText(target)
  const isAligned = !isBegun || outlineOf(source) === outlineOf(target)
  const others = isBegun && isAligned ? leavesOf(blocksOf(target)) : []
  const seen = new Map<string, number>()
  const texts = own.flatMap((children, index): readonly BlockText[] => {
    const text = tagSource(children)
    if (plainTextOf(text).trim() === '') return []
    const key = keyOf(text, seen)
    const translated = others[index]
    const formats = formatsFor(children, translated ?? [])
    const accepts = (given: TaggedText): boolean => readTagged(given, formats) !== null
    const current = translated === undefined ? '' : plainTextOf(tagSource(translated))
    const unit = { key, source: text, accepts }
    if (translated === undefined || current === '')
      return [{ ...unit, target: null, current: null }]
    return [{ ...unit, target: tagTarget(translated, formats), current }]
  })
  return { texts, isAligned }
}

/**
 * The translation with the given texts by key. Other blocks keep the translation if it has the blocks of the source.
 * Otherwise they have the text of the source.
 */
export function translateBlocks(
  source: unknown,
  target: unknown,
  texts: ReadonlyMap<string, TaggedText>,
): readonly Data[] {
  const isKept = hasText(target) && outlineOf(source) === outlineOf(target)
  const others = isKept ? leavesOf(blocksOf(target)) : []
  const seen = new Map<string, number>()
  const translated = leavesOf(blocksOf(source)).map((children, index): Children | null => {
    const tagged = tagSource(children)
    if (plainTextOf(tagged).trim() === '') return null
    const text = texts.get(keyOf(tagged, seen))
    return text === undefined ? null : readTagged(text, formatsFor(children, others[index] ?? []))
  })
  let index = 0
  const fill = (children: Children): Children => translated[index++] ?? children
  return mapLeaves(blocksOf(isKept ? target : source), fill)
}

function keyOf(text: TaggedText, seen: Map<string, number>): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const count = (seen.get(digest) ?? 0) + 1
  seen.set(digest, count)
  return `${digest}.${count}`
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
    return block['type'] === 'list' ? leavesOf(childrenOf(block)) : []
  })
}

function mapLeaves(
  blocks: readonly Data[],
  fill: (children: Children) => Children,
): readonly Data[] {
  return blocks.map((block) => {
    if (WITH_TEXT.has(block['type'])) return { ...block, children: fill(childrenOf(block)) }
    return block['type'] === 'list'
      ? { ...block, children: mapLeaves(childrenOf(block), fill) }
      : block
  })
}

/** An editor that was opened once leaves an empty paragraph. */
function hasText(value: unknown): boolean {
  const blocks = blocksOf(value)
  const isText = ({ type }: Data): boolean => WITH_TEXT.has(type) || type === 'list'
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
    block['type'] === 'list' ? childrenOf(block).map(outline) : null,
  ]
  return JSON.stringify(blocksOf(value).map(outline))
}
