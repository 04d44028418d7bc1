import type { Mutation } from './host/bundle.ts'

/** A fault that Quire once had. The simulator must find it again. */
export interface KnownFault {
  readonly mutation: Mutation
  /** The kinds of faults that each seed uses. */
  readonly kinds: readonly string[]
}

/** By the name for `--mutation`. */
export const KNOWN_FAULTS: Readonly<Record<string, KnownFault>> = {
  /** Part of a failed write stays, because the group is not undone. */
  'torn-write': {
    kinds: ['fillDisk'],
    mutation: {
      file: 'packages/engine/src/storage/group-commits.ts',
      from: "if (data.store.changes() !== before) throw new HalfDone('undone', { cause: error })",
      to: '',
    },
  },
  /** Indexes with a partial filter are built again at each start. */
  'rebuilt-index': {
    kinds: ['killServer'],
    mutation: {
      file: 'src/mongo/indexes/sync-indexes.ts',
      from: 'partialFilterText(plan.partialFilterExpression) === partialFilterText(filter)',
      to: 'JSON.stringify(plan.partialFilterExpression ?? null) === JSON.stringify(filter)',
    },
  },
  /** Commits that a step-down rolls back get numbers (found by the simulator). */
  'numbered-without-majority': {
    kinds: ['stepDown'],
    mutation: {
      file: 'src/mongo/commits/sequencer.ts',
      from: 'const pending = await listPending(moment)',
      to: 'const pending = await listPending({ database, session: undefined })',
    },
  },
}
