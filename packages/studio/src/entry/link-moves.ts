import { isDeepEqual } from './deep-equal.ts'
import { relationChange } from './relation-change.ts'
import type { Link, LinkMove, Links } from './values.ts'

/** Appends a move and drops the earlier moves of the same entry. */
export function withMove(moves: readonly LinkMove[], move: LinkMove): readonly LinkMove[] {
  const { documentId } = move.link
  return [...moves.filter(({ link }) => link.documentId !== documentId), move]
}

/** The visible links after moves. `end` follows the unread rest of the relation. */
export interface MovedLinks {
  readonly items: readonly Link[]
  readonly end: readonly Link[]
}

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
 * The moves in the order of the visible links, so that each one refers to an entry that is already
 * in place.
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
  // Unchanged moves keep their identity, which shows that they were already sent.
  return [
    ...moves.filter((move) => !isPlaced(move)),
    ...inOrder.map((move) => moves.find((known) => isDeepEqual(known, move)) ?? move),
  ]
}

/** The moves that lead from one value of a relation to another. */
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
