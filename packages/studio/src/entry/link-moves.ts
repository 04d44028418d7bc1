import { isDeepEqual } from './deep-equal.ts'
import { relationChange } from './relation-change.ts'
import type { Link, LinkMove, Links } from './values.ts'

/** Puts a move behind those before: of one entry the last counts. */
export function withMove(moves: readonly LinkMove[], move: LinkMove): readonly LinkMove[] {
  const { documentId } = move.link
  return [...moves.filter(({ link }) => link.documentId !== documentId), move]
}

/** What of a list is shown after moves; `end` is shown behind what was not read, where there is such. */
export interface MovedLinks {
  readonly items: readonly Link[]
  readonly end: readonly Link[]
}

/** The beginning of a long relation as it is once the moves are at the server. */
export function movedLinks(read: readonly Link[], moves: readonly LinkMove[]): MovedLinks {
  let items = read
  let end: readonly Link[] = []
  for (const { link, to } of moves) {
    const others = (list: readonly Link[]): readonly Link[] =>
      list.filter(({ documentId }) => documentId !== link.documentId)
    items = others(items)
    end = others(end)
    if (to === 'start') items = [link, ...items]
    else if (to === 'end') end = [...end, link]
    else if (to !== null) {
      items = insertedAfter(items, link, to.after)
      end = insertedAfter(end, link, to.after)
    }
  }
  return { items, end }
}

function insertedAfter(list: readonly Link[], link: Link, after: string): readonly Link[] {
  const at = list.findIndex(({ documentId }) => documentId === after)
  return at === -1 ? list : list.toSpliced(at + 1, 0, link)
}

/**
 * The moves that make what is shown, from its top to its bottom: each stands behind one that does not move or was placed
 * before, whatever became of what it was put beside at first.
 */
export function orderedMoves(
  read: readonly Link[],
  moves: readonly LinkMove[],
): readonly LinkMove[] {
  const { items, end } = movedLinks(read, moves)
  const shown = new Set([...items, ...end].map(({ documentId }) => documentId))
  const isPlaced = ({ link, to }: LinkMove): boolean => to !== null && shown.has(link.documentId)
  const placed = new Set(moves.filter(isPlaced).map(({ link }) => link.documentId))
  const inOrder = [
    ...items.flatMap((link, at): LinkMove[] => {
      const before = items[at - 1]
      const to = before === undefined ? 'start' : { after: before.documentId }
      return placed.has(link.documentId) ? [{ link, to }] : []
    }),
    ...end.map((link): LinkMove => ({ link, to: 'end' })),
  ]
  // Those that are as they were stay the same, by which it is known what was sent already.
  return [
    ...moves.filter((move) => !isPlaced(move)),
    ...inOrder.map((move) => moves.find((known) => isDeepEqual(known, move)) ?? move),
  ]
}

/** What was done to a relation between two of its values, one entry after the other. */
export function movesBetween(before: Links, after: Links): readonly LinkMove[] {
  if (before.more) {
    const done = new Set(before.moves)
    return (after.moves ?? []).filter((move) => !done.has(move))
  }
  const { connect, disconnect } = relationChange(before, after)
  const linkOf = (id: string): Link =>
    [...after.items, ...before.items].find(({ documentId }) => documentId === id) ?? {
      documentId: id,
      title: id,
    }
  return [
    ...disconnect.map(({ documentId }) => ({ link: linkOf(documentId), to: null })),
    ...connect.map(({ documentId, position }) => ({
      link: linkOf(documentId),
      to: 'after' in position ? { after: position.after } : ('start' as const),
    })),
  ]
}
