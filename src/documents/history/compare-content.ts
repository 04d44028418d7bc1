import { isDeepStrictEqual } from 'node:util'
import { diffWordsWithSpace } from 'diff'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import type { PastContent } from './past-content.ts'

/** A run of words that both texts have, that only the later has, or only the earlier. */
export interface WordRun {
  readonly op: 'same' | 'added' | 'removed'
  readonly text: string
}

export interface AttributeChange {
  readonly attribute: string
  readonly from: unknown
  readonly to: unknown
  /** Of two texts; left out where they are too different to be compared in time. */
  readonly words?: readonly WordRun[]
}

/** How many words may differ before two texts are shown whole: the work grows with its square. */
const MOST_EDITS = 2_000
const LONGEST_TEXT = 200_000

const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid'])

/** What differs between two states of a version: the declared attributes in their order, then those that are unknown. */
export function compareContent(
  { attributes }: Pick<ContentTypePlan, 'attributes'>,
  from: PastContent,
  to: PastContent,
): readonly AttributeChange[] {
  const declared = [...attributes.values()].flatMap((attribute) =>
    changeOf(attribute.name, from.content, to.content, isText(attribute)),
  )
  const unknown = [...new Set([...Object.keys(from.unknown), ...Object.keys(to.unknown)])]
  return [
    ...declared,
    ...unknown.flatMap((name) => changeOf(name, from.unknown, to.unknown, false)),
  ]
}

function isText(attribute: AttributePlan): boolean {
  return attribute.kind === 'scalar' && TEXTS.has(attribute.type)
}

function changeOf(
  attribute: string,
  earlier: Data,
  later: Data,
  hasWords: boolean,
): readonly AttributeChange[] {
  const from = earlier[attribute] ?? null
  const to = later[attribute] ?? null
  if (isDeepStrictEqual(from, to)) return []
  const words =
    hasWords && typeof from === 'string' && typeof to === 'string' ? compareWords(from, to) : null
  return [{ attribute, from, to, ...(words !== null && { words }) }]
}

function compareWords(from: string, to: string): readonly WordRun[] | null {
  if (from.length + to.length > LONGEST_TEXT) return null
  const runs = diffWordsWithSpace(from, to, { maxEditLength: MOST_EDITS, timeout: 100 })
  return (
    runs?.map(({ added, removed, value: text }) => {
      if (added) return { op: 'added', text }
      return removed ? { op: 'removed', text } : { op: 'same', text }
    }) ?? null
  )
}
