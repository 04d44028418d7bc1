import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
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

/** All files stay in memory: an open Studio loads its scripts also after an update of the folder. */
export async function readStudioFiles(folder: string): Promise<StudioFiles> {
  const names = await namesIn(folder)
  const known = new Set(names)
  const read = (name: string): Promise<Buffer> => readFile(path.join(folder, name))
  const files = new Map<string, StudioFile>()
  for (const name of names) {
    const type = TYPES[path.extname(name)]
    if (type === undefined) continue
    const packed: Record<string, Buffer> = {}
    for (const [coding, ending] of Object.entries(CODINGS)) {
      if (known.has(name + ending)) packed[coding] = await read(name + ending)
    }
    const bytes = await read(name)
    files.set(name, {
      bytes,
      type,
      packed,
      hashed: name.startsWith('assets/'),
      etag: digestOf(bytes),
    })
  }
  return { page: files.get('index.html') ?? null, files }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.split(path.sep).join('/'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function digestOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`
}
