import { isDeepStrictEqual } from 'node:util'
import type { ChangeObject } from 'diff'
import { diffArrays } from 'diff/lib/diff/array.js'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import type { PastContent } from './past-content.ts'
import { sharedEnds, wordsOf } from './words-of.ts'

export interface WordRun {
  readonly op: 'same' | 'added' | 'removed'
  readonly text: string
}

export interface AttributeChange {
  readonly attribute: string
  readonly from: unknown
  readonly to: unknown
  readonly words?: readonly WordRun[]
}

/** Limit for all texts together. The cost grows with its square. */
const MAX_EDITS = 1_000
/** Limit for all texts together. Common prefixes and suffixes do not count. */
const MAX_CHARACTERS = 200_000

/** Counts work instead of time, so that results do not depend on the load. */
interface Room {
  squaredEdits: number
  characters: number
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid'])

export function compareContent(
  { attributes }: Pick<ContentTypePlan, 'attributes'>,
  from: PastContent,
  to: PastContent,
): readonly AttributeChange[] {
  const room: Room = { squaredEdits: MAX_EDITS ** 2, characters: MAX_CHARACTERS }
  const compareTexts = (one: string, other: string) => compareWords(one, other, room)
  const declared = [...attributes.values()].flatMap((attribute) =>
    changeOf(
      attribute.name,
      from.content,
      to.content,
      isText(attribute) ? compareTexts : undefined,
    ),
  )
  const unknown = [...new Set([...Object.keys(from.unknown), ...Object.keys(to.unknown)])]
  return [...declared, ...unknown.flatMap((name) => changeOf(name, from.unknown, to.unknown))]
}

/** The declared attributes with different values. */
export function differingNames(
  { attributes }: Pick<ContentTypePlan, 'attributes'>,
  from: PastContent,
  to: PastContent,
): readonly string[] {
  return [...attributes.keys()].filter(
    (name) => changeOf(name, from.content, to.content).length > 0,
  )
}

function isText(attribute: AttributePlan): boolean {
  return attribute.kind === 'scalar' && TEXTS.has(attribute.type)
}

type CompareTexts = (from: string, to: string) => readonly WordRun[] | null

function changeOf(
  attribute: string,
  earlier: Data,
  later: Data,
  compareTexts: CompareTexts = () => null,
): readonly AttributeChange[] {
  const from = earlier[attribute] ?? null
  const to = later[attribute] ?? null
  if (isDeepStrictEqual(from, to)) return []
  const words = typeof from === 'string' && typeof to === 'string' ? compareTexts(from, to) : null
  return [{ attribute, from, to, ...(words !== null && { words }) }]
}

function compareWords(from: string, to: string, room: Room): readonly WordRun[] | null {
  const { before, after } = sharedEnds(from, to)
  const earlier = from.slice(before, from.length - after)
  const later = to.slice(before, to.length - after)
  const maxEditLength = Math.floor(Math.sqrt(room.squaredEdits))
  if (earlier.length + later.length > room.characters || maxEditLength === 0) return null
  room.characters -= earlier.length + later.length
  const runs = diffArrays(wordsOf(earlier), wordsOf(later), { maxEditLength })
  room.squaredEdits -= (runs === undefined ? maxEditLength : editsOf(runs)) ** 2
  if (runs === undefined) return null
  return joined([
    { op: 'same', text: from.slice(0, before) },
    ...runs.map(({ added, removed, value }): WordRun => {
      const text = value.join('')
      if (added) return { op: 'added', text }
      return removed ? { op: 'removed', text } : { op: 'same', text }
    }),
    { op: 'same', text: from.slice(from.length - after) },
  ])
}

function editsOf(runs: readonly ChangeObject<readonly string[]>[]): number {
  return runs.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)
}

function joined(runs: readonly WordRun[]): readonly WordRun[] {
  const all: WordRun[] = []
  for (const run of runs) {
    const last = all.at(-1)
    if (run.text === '') continue
    if (run.op === 'same' && last?.op === 'same') {
      all[all.length - 1] = { op: 'same', text: last.text + run.text }
    } else {
      all.push(run)
    }
  }
  return all
}
