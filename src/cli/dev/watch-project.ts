import { basename, relative, resolve } from 'node:path'
import { JSON_FILES, type WatchedFiles, watchFiles } from './watch-files.ts'
import type { ServedFolders } from './keep-server.ts'

const SOURCE = /\.(?:[cm]?[jt]s|json)$/
/** `quire types` and npm write these. */
const WRITTEN = /(?:\.d\.[cm]?ts|^package-lock\.json)$/
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['dist', 'content', 'test'])

export interface ProjectWatch {
  setFolders(folders: ServedFolders): void
  close(): void
}

export function watchProject(folder: string, changed: () => void): ProjectWatch {
  let known = ''
  let watching = [watchFiles(folder, projectFiles(folder, null), changed)]
  const close = (): void => {
    for (const one of watching) one.close()
  }
  return {
    close,
    setFolders: ({ dataDir, contentTypesDir }) => {
      const folders = [resolve(folder, dataDir), resolve(folder, contentTypesDir)] as const
      if (folders.join('\n') === known) return
      known = folders.join('\n')
      close()
      const [data, types] = folders
      watching = [watchFiles(folder, projectFiles(folder, data), changed)]
      if (isOutside(folder, types)) watching.push(watchFiles(types, JSON_FILES, changed))
    },
  }
}

function projectFiles(folder: string, dataDir: string | null): WatchedFiles {
  return {
    matchesFile: (name) => (SOURCE.test(name) && !WRITTEN.test(name)) || name === '.env',
    entersFolder: (path) => {
      const name = basename(path)
      if (name.startsWith('.') || name === 'node_modules' || path === dataDir) return false
      return !OTHER_FOLDERS.has(relative(folder, path))
    },
  }
}

function isOutside(folder: string, path: string): boolean {
  return relative(folder, path).startsWith('..')
}
