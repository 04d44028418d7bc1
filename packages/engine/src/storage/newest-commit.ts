import type { RootDatabase } from 'lmdb'

/** The last commit and the size of the file, from its header. */
export function statsOf(
  root: RootDatabase,
): Readonly<Record<'pageSize' | 'lastPageNumber' | 'lastTxnId', number>> {
  return root.getStats() as never
}

/**
 * Whether the current write transaction starts from the last commit. A process that opens the file
 * reads the number of the last commit, and stores it a moment later for all processes
 * (`mdb_env_open2` of lmdb 3.5.6). The next transaction would replace a commit in between.
 */
export function startsFromNewest(root: RootDatabase): boolean {
  return root.getWriteTxnId() === statsOf(root).lastTxnId + 1
}
