import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { ApplicationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'

/** A file as `quire media add` brings it. */
export interface MappedFile {
  readonly documentId: string
  readonly name: string
  readonly mime: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly url: string
}

/** The folder that a mapping writes: `content-types/`, `content/` for `quire apply`, `media.ndjson` and `report.txt`. */
export interface MapOutput {
  /** Files that could not be had when this was mapped before. */
  readonly missing: ReadonlySet<string>
  /** `path` is below `content-types/`. */
  declare(path: string, declaration: Data): Promise<void>
  /** A line of a bulk request into a file of `content/`, which are carried out in the order of their names. */
  line(file: string, line: Data): Promise<void>
  file(file: MappedFile): Promise<void>
  /** Waits for what was written. */
  finish(report: string): Promise<void>
}

export const MEDIA = 'media.ndjson'
/** What `quire media add` leaves beside it. */
export const MISSING = 'media-missing.ndjson'
const REPORT = 'report.txt'

/** @throws ApplicationError for a folder that holds something else */
export async function openMapOutput(folder: string): Promise<MapOutput> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes(REPORT)) {
    throw new ApplicationError(`${folder} has files already: choose an empty folder`)
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

/** Lists files, but for those that could not be had. Returns how many. */
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
