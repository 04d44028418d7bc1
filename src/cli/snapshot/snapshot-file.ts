export interface SnapshotFile {
  apply(items: readonly string[]): Promise<void>
  finish(token: string): Promise<number>
  abandon(): Promise<void>
}

/** The temporary path, next to the final one so that a rename works. */
export function unfinished(path: string): string {
  return `${path}.${process.pid}.part`
}
