import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Editors write a file in several steps. */
const SETTLED_MS = 100

/**
 * Calls `changed` after JSON files in a folder or its subfolders were changed, added or removed.
 * Watches each folder separately, because `recursive` in Node 20 on Linux loses a file that was
 * renamed into place.
 */
export function watchFolder(folder: string, changed: () => void): { close(this: void): void } {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  const settle = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS)
  }
  const follow = (): readonly string[] => {
    const there = foldersIn(folder)
    const added = there.filter((path) => !watchers.has(path))
    for (const [path, watcher] of watchers) {
      if (there.includes(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    for (const path of added) {
      const watcher = watch(path, (_, name) => {
        if (name?.endsWith('.json') === true || follow().some(hasJson)) settle()
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

function foldersIn(folder: string): readonly string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => foldersIn(join(folder, name)))
    return [folder, ...below]
  } catch {
    return [] // removed in the meantime
  }
}

function hasJson(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.json'))
  } catch {
    return false
  }
}
