import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { StaticFile } from './static-file.ts'

export interface StudioFile extends StaticFile {
  readonly hashed: boolean
  /** Only for images of the project. */
  readonly image?: {
    readonly policy: string
    /** The query parameter `v` of an address that browsers may cache permanently. */
    readonly version: string
  }
}

export interface StudioFiles {
  /** The page for every path that does not name a file; null if the Studio was not built. */
  readonly page: StudioFile | null
  readonly files: ReadonlyMap<string, StudioFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const CODINGS = { br: '.br', gzip: '.gz' }

export function readStudioFiles(folder: string): StudioFiles {
  const names = namesIn(folder)
  const known = new Set(names)
  const files = new Map<string, StudioFile>()
  for (const name of names) {
    const type = TYPES[path.extname(name)]
    if (type === undefined) continue
    const packed = Object.entries(CODINGS)
      .filter(([, ending]) => known.has(name + ending))
      .map(([coding, ending]) => [coding, readFileSync(path.join(folder, name + ending))] as const)
    const bytes = readFileSync(path.join(folder, name))
    files.set(name, {
      bytes,
      type,
      packed: Object.fromEntries(packed),
      hashed: name.startsWith('assets/'),
      etag: digestOf(bytes),
    })
  }
  return { page: files.get('index.html') ?? null, files }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.split(path.sep).join('/'),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function digestOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`
}
