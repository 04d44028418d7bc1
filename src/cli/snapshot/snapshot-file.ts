export interface SnapshotFile {
  apply(items: readonly string[]): Promise<void>
  finish(token: string): Promise<number>
  abandon(): Promise<void>
}

export function unfinished(path: string): string {
  return `${path}.${process.pid}.part`
}
