import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Editors write a file in several steps. */
const SETTLED_MS = 100

export interface WatchedFiles {
  matchesFile(name: string): boolean
  /** Other folders are not watched. */
  entersFolder(path: string): boolean
}

export const JSON_FILES: WatchedFiles = {
  matchesFile: (name) => name.endsWith('.json'),
  entersFolder: () => true,
}

/** Watches each folder separately: `recursive` in Node 20 on Linux loses a file that was renamed into place. */
export function watchFiles(
  folder: string,
  watched: WatchedFiles,
  changed: () => void,
): { close(this: void): void } {
  const watchers = new Map<string, WatchedFolder>()
  let timer: NodeJS.Timeout | undefined
  const settle = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS)
  }
  const start = (path: string): FSWatcher | null =>
    openWatcher(path, (name) => {
      const isWatched = name !== null && watched.matchesFile(name)
      if (follow().some((one) => hasFile(one, watched)) || isWatched) settle()
    })
  /** Returns the folders that were not watched. Their own folders may be older than their watchers. */
  const follow = (): readonly string[] => {
    const found: string[] = []
    for (;;) {
      const there = foldersIn(folder, watched)
      for (const [path, { watcher, identity }] of watchers) {
        if (there.get(path) === identity) continue
        watcher.close()
        watchers.delete(path)
      }
      const added = [...there].filter(([path]) => !watchers.has(path))
      if (added.length === 0) return found
      for (const [path, identity] of added) {
        const watcher = start(path)
        if (watcher === null) continue
        watchers.set(path, { watcher, identity })
        found.push(path)
      }
    }
  }
  follow()
  return {
    close: () => {
      clearTimeout(timer)
      for (const { watcher } of watchers.values()) watcher.close()
    },
  }
}

/** Null if the folder was removed in the meantime. */
function openWatcher(path: string, changed: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(path, (_, name) => changed(name))
    watcher.on('error', () => undefined) // the folder was removed, which its parent reports
    return watcher
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  /** Differs if the folder was removed and made again. An inode alone may be used again. */
  readonly identity: string
}

/** The folder and those below, with their identities. */
function foldersIn(folder: string, watched: WatchedFiles): ReadonlyMap<string, string> {
  try {
    const { ino, birthtimeNs } = statSync(folder, { bigint: true })
    const below = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .filter((path) => watched.entersFolder(path))
    return new Map([
      [folder, `${ino} ${birthtimeNs}`],
      ...below.flatMap((path) => [...foldersIn(path, watched)]),
    ])
  } catch {
    return new Map() // removed in the meantime
  }
}

function hasFile(folder: string, watched: WatchedFiles): boolean {
  try {
    return readdirSync(folder).some((name) => watched.matchesFile(name))
  } catch {
    return false
  }
}
