import type { PastVersion } from '../../api/history.ts'

type Rows = readonly Pick<PastVersion, 'at' | 'changed'>[]

/**
 * The attributes that another language has changed after their last change in this one, with the
 * times. Rows are newest first. An attribute without a change in the rows of this language was
 * last changed with the oldest of them at the latest.
 */
export function changedSince(own: Rows, other: Rows): ReadonlyMap<string, string> {
  const oldest = own.at(-1)?.at
  if (oldest === undefined) return new Map()
  const last = lastChanges(own)
  return new Map(
    [...lastChanges(other)].filter(
      ([name, at]) => Date.parse(at) > Date.parse(last.get(name) ?? oldest),
    ),
  )
}

function lastChanges(rows: Rows): ReadonlyMap<string, string> {
  const changes = new Map<string, string>()
  for (const { at, changed = [] } of rows) {
    for (const name of changed) if (!changes.has(name)) changes.set(name, at)
  }
  return changes
}
