import { watch } from 'node:fs'

/** An editor writes a file in several steps. */
const SETTLED_MS = 100

/** Runs `changed` after files in a folder, or below it, have changed. */
export function watchFolder(folder: string, changed: () => void): { close(this: void): void } {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name?.endsWith('.json') !== true) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS)
  })
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}
