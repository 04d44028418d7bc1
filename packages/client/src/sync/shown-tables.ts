import type { TypePlan } from './content-plan.ts'
import type { FileQueue } from './file-queue.ts'
import type { Outbox } from './outbox.ts'
import { showMutations } from './show-mutations.ts'
import type { Change, Row, Tables } from './storage.ts'
import { makeRowKey } from './storage.ts'

/** The rows of a copy and the changes of the user, which cover them. */
export interface ShownTables {
  readonly names: readonly string[]
  /** Returns the names of the changed types. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
}

interface Queues {
  readonly outbox: Outbox
  readonly files: FileQueue
}

export function openShownTables(
  types: Readonly<Record<string, TypePlan>>,
  tables: Tables,
  { outbox, files }: Queues,
  status: 'draft' | 'published',
): ShownTables {
  const names = new Map(Object.entries(types).map(([name, { name: type }]) => [type, name]))
  const cover = (key: string): string | null => {
    const name = names.get(key.slice(0, key.indexOf(' ')))
    if (name === undefined) return null
    const mutations = outbox.shownFor(key)
    const row = tables.confirmed(name, key)
    const queued = row === undefined ? files.rowFor(key) : undefined
    const shown = mutations.length === 0 ? queued : showMutations(row, mutations, status)
    tables.cover(name, key, shown)
    return name
  }
  const keys = (): ReadonlySet<string> => new Set([...outbox.keys(), ...files.keys()])
  return {
    names: tables.names,
    apply: (changes) => {
      const touched = new Set(tables.apply(changes))
      const own = [...outbox.apply(changes), ...files.apply(changes)]
      const changed = new Set([...own, ...keysAmong(changes, keys())])
      for (const key of changed) {
        const name = cover(key)
        if (name !== null) touched.add(name)
      }
      return touched
    },
    replace: (rows) => {
      const before = keys()
      tables.replace(rows)
      outbox.replace(rows)
      files.replace(rows)
      for (const key of new Set([...before, ...keys()])) cover(key)
    },
  }
}

/** The keys of changed rows that have changes of the user. */
function keysAmong(changes: readonly Change[], keys: ReadonlySet<string>): readonly string[] {
  if (keys.size === 0) return []
  const isWide = changes.some(({ op }) => op === 'reset' || op === 'sweep')
  if (isWide) return [...keys]
  return changes
    .flatMap((change) =>
      change.op === 'put' ? makeRowKey(change.row) : 'key' in change ? change.key : [],
    )
    .filter((key) => keys.has(key))
}
