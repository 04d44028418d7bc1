import type { TypePlan } from './content-plan.ts'
import type { Outbox } from './outbox.ts'
import { showMutations } from './show-mutations.ts'
import type { Change, Row } from './storage.ts'
import { makeRowKey } from './storage.ts'
import type { Tables } from './tables.ts'

/** The rows of a copy and the changes of the user, which cover them. */
export interface ShownTables {
  readonly names: readonly string[]
  /** Returns the names of the changed types. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
}

export function openShownTables(
  types: Readonly<Record<string, TypePlan>>,
  tables: Tables,
  outbox: Outbox,
  status: 'draft' | 'published',
): ShownTables {
  const names = new Map(Object.entries(types).map(([name, { name: type }]) => [type, name]))
  const cover = (key: string): string | null => {
    const name = names.get(key.slice(0, key.indexOf(' ')))
    if (name === undefined) return null
    const mutations = outbox.shownFor(key)
    const row = tables.confirmed(name, key)
    const shown = mutations.length === 0 ? undefined : showMutations(row, mutations, status)
    tables.cover(name, key, shown)
    return name
  }
  return {
    names: tables.names,
    apply: (changes) => {
      const touched = new Set(tables.apply(changes))
      const changed = new Set([...outbox.apply(changes), ...keysOf(changes, outbox)])
      for (const key of changed) {
        const name = cover(key)
        if (name !== null) touched.add(name)
      }
      return touched
    },
    replace: (rows) => {
      const before = outbox.keys()
      tables.replace(rows)
      outbox.replace(rows)
      for (const key of new Set([...before, ...outbox.keys()])) cover(key)
    },
  }
}

/** The keys of changed rows that have mutations. */
function keysOf(changes: readonly Change[], outbox: Outbox): readonly string[] {
  const keys = outbox.keys()
  if (keys.size === 0) return []
  const isWide = changes.some(({ op }) => op === 'reset' || op === 'sweep')
  if (isWide) return [...keys]
  return changes
    .flatMap((change) =>
      change.op === 'put' ? makeRowKey(change.row) : 'key' in change ? change.key : [],
    )
    .filter((key) => keys.has(key))
}
