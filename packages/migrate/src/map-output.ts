import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { MigrationError } from './migration-error.ts'
import type { Data } from './data.ts'

export interface MappedFile {
  readonly documentId: string
  readonly name: string
  readonly mime: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly url: string
}

/** The output folder of a mapping: `content-types/`, `content/` for `quire apply`, `media.ndjson` and `report.txt`. */
export interface MapOutput {
  /** Files that a previous `quire media add` could not get. */
  readonly missing: ReadonlySet<string>
  declare(path: string, declaration: Data): Promise<void>
  /** Appends a bulk line to a file of `content/`. Files are processed in name order. */
  line(file: string, line: Data): Promise<void>
  file(file: MappedFile): Promise<void>
  finish(report: string): Promise<void>
}

export interface MapOptions {
  /** Tables become tables, which need the option `blocks` of the types, instead of lines. */
  readonly tables: boolean
}

export const MEDIA = 'media.ndjson'
/** Written by `quire media add`. */
export const MISSING = 'media-missing.ndjson'
const REPORT = 'report.txt'

/** @throws MigrationError for a folder with other content */
export async function openMapOutput(folder: string): Promise<MapOutput> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes(REPORT)) {
    throw new MigrationError(`${folder} has files already: choose an empty folder`)
  }
  const missing = new Set(names.includes(MISSING) ? await readIds(join(folder, MISSING)) : [])
  await writeFile(join(folder, REPORT), 'Not finished.\n')
  for (const name of ['content-types', 'content', MEDIA]) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
  const streams = new Map<string, WriteStream>()
  const write = async (path: string, line: unknown): Promise<void> => {
    let stream = streams.get(path)
    if (stream === undefined) {
      await mkdir(dirname(path), { recursive: true })
      stream = createWriteStream(path)
      streams.set(path, stream)
    }
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain')
  }
  return {
    missing,
    declare: async (path, declaration) => {
      const file = join(folder, 'content-types', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, `${JSON.stringify(declaration, null, 2)}\n`)
    },
    line: (file, line) => write(join(folder, 'content', file), line),
    file: (file) => write(join(folder, MEDIA), file),
    finish: async (report) => {
      for (const stream of streams.values()) {
        stream.end()
        await finished(stream)
      }
      await writeFile(join(folder, REPORT), `${report}\n`)
    },
  }
}

export async function listFiles(output: MapOutput, files: Iterable<MappedFile>): Promise<number> {
  let count = 0
  for (const file of files) {
    if (output.missing.has(file.documentId)) continue
    await output.file(file)
    count += 1
  }
  return count
}

async function readIds(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as MappedFile).documentId)
}
