import { type FSWatcher, readdirSync, watch } from 'node:fs'
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
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  const settle = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS)
  }
  const follow = (): readonly string[] => {
    const there = foldersIn(folder, watched)
    const added = there.filter((path) => !watchers.has(path))
    for (const [path, watcher] of watchers) {
      if (there.includes(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    for (const path of added) {
      const watcher = watch(path, (_, name) => {
        const isWatched = name !== null && watched.matchesFile(name)
        if (isWatched || follow().some((one) => hasFile(one, watched))) settle()
      })
      watcher.on('error', () => undefined) // the folder was removed, which its parent reports
      watchers.set(path, watcher)
    }
    return added
  }
  follow()
  return {
    close: () => {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

function foldersIn(folder: string, watched: WatchedFiles): readonly string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .filter((path) => watched.entersFolder(path))
    return [folder, ...below.flatMap((path) => foldersIn(path, watched))]
  } catch {
    return [] // removed in the meantime
  }
}

function hasFile(folder: string, watched: WatchedFiles): boolean {
  try {
    return readdirSync(folder).some((name) => watched.matchesFile(name))
  } catch {
    return false
  }
}
