/** A file that a snapshot is written to; it gets its name when it is whole. */
export interface SnapshotFile {
  /** Items of sync, as JSON text. */
  apply(items: readonly string[]): Promise<void>
  /** Answers how many rows it holds. */
  finish(token: string): Promise<number>
  abandon(): Promise<void>
}

/** Where it is written until it is whole: beside it, so that it is renamed. */
export function unfinished(path: string): string {
  return `${path}.${process.pid}.part`
}
