import type { LinkMove, Links } from './values.ts'

type Position = { readonly start: true } | { readonly end: true } | { readonly after: string }

/** See docs/api.md, "Writing relations". */
export interface RelationPayload {
  readonly connect: readonly { readonly documentId: string; readonly position: Position }[]
  readonly disconnect: readonly { readonly documentId: string }[]
  readonly options: { readonly strict: false }
}

/**
 * The change from `base` to `mine`. It never uses `set`, because that would disconnect entries that
 * this user cannot read or has not read. The longest run in unchanged order stays; every other
 * entry is placed after its predecessor.
 */
export function relationChange(base: Links, mine: Links): RelationPayload {
  const before = base.items.map(({ documentId }) => documentId)
  const after = mine.items.map(({ documentId }) => documentId)
  const wanted = new Set(after)
  const staying = longestInOrder(after, before)
  const moves = mine.moves ?? []
  return {
    disconnect: [
      ...before.filter((id) => !wanted.has(id)).map((documentId) => ({ documentId })),
      ...moves.flatMap(({ link, to }) => (to === null ? [{ documentId: link.documentId }] : [])),
    ],
    connect: [
      ...after.flatMap((documentId, index) =>
        staying.has(documentId) ? [] : [{ documentId, position: placeAt(after, index) }],
      ),
      ...moves.flatMap(({ link, to }) =>
        to === null ? [] : [{ documentId: link.documentId, position: positionOf(to) }],
      ),
    ],
    options: { strict: false },
  }
}

function placeAt(list: readonly string[], index: number): Position {
  const previous = list[index - 1]
  return previous === undefined ? { start: true } : { after: previous }
}

function positionOf(to: NonNullable<LinkMove['to']>): Position {
  if (typeof to === 'object') return { after: to.after }
  return to === 'start' ? { start: true } : { end: true }
}

/** The longest subsequence of `after` that has the same order in `before`. */
function longestInOrder(after: readonly string[], before: readonly string[]): ReadonlySet<string> {
  const rank = new Map(before.map((id, index) => [id, index]))
  const kept = after.filter((id) => rank.has(id))
  const rankOf = (id: string): number => rank.get(id) ?? -1
  const best: { readonly length: number; readonly previous: number }[] = []
  kept.forEach((id, index) => {
    let length = 1
    let previous = -1
    for (let earlier = 0; earlier < index; earlier += 1) {
      const found = best[earlier]
      if (found === undefined || rankOf(kept[earlier] ?? '') >= rankOf(id)) continue
      if (found.length + 1 > length) {
        length = found.length + 1
        previous = earlier
      }
    }
    best.push({ length, previous })
  })
  let at = best.reduce(
    (top, { length }, index) => (length > (best[top]?.length ?? 0) ? index : top),
    0,
  )
  const chosen = new Set<string>()
  while (at >= 0 && kept[at] !== undefined) {
    chosen.add(kept[at] ?? '')
    at = best[at]?.previous ?? -1
  }
  return chosen
}
