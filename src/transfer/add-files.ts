import { createReadStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fetchBounded } from './import/fetch-bounded.ts'
import type { FileImport } from './import/import-from-source.ts'
import { boundedLines } from './bounded-lines.ts'
import { ApplicationError, CmsError } from '../base/errors.ts'
import { findFileWithin } from './file-within.ts'
import { type MappedFile, MISSING } from '@quire/migrate/map-output'

export interface FilesOptions {
  readonly path: string
  readonly folder: string | null
  /** An origin that files may be downloaded from, even in a private network. */
  readonly filesFrom: string | null
  readonly files: FileImport
  readonly maxFileBytes: number
  readonly onProgress: (done: number, total: number) => void
}

export interface FilesReport {
  readonly added: number
  readonly present: number
  readonly notTaken: readonly string[]
  readonly missingFile: string | null
}

/** Existing files stay, so that an interrupted run can be repeated. Missing files are listed next to the input. */
export async function addFiles(options: FilesOptions): Promise<FilesReport> {
  const { path, files, onProgress } = options
  const listed = await readList(path)
  const failed: MappedFile[] = []
  const notTaken: string[] = []
  let added = 0
  for (const [index, file] of listed.entries()) {
    try {
      if (!(await files.has(file.documentId))) {
        await files.add({ ...file }, await bytesOf(file, options))
        added += 1
      }
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      failed.push(file)
      notTaken.push(`${file.name} (${file.url}): ${error.message}`)
    }
    onProgress(index + 1, listed.length)
  }
  const missingFile = join(dirname(path), MISSING)
  const lines = failed.map((file) => `${JSON.stringify(file)}\n`)
  if (failed.length > 0) await writeFile(missingFile, lines.join(''))
  else await rm(missingFile, { force: true })
  return {
    added,
    present: listed.length - added - failed.length,
    notTaken,
    missingFile: failed.length > 0 ? missingFile : null,
  }
}

async function readList(path: string): Promise<readonly MappedFile[]> {
  const files: MappedFile[] = []
  try {
    let line = 0
    const bytes = createReadStream(path)
    for await (const text of boundedLines(bytes, path)) {
      line += 1
      if (text.trim() !== '') files.push(fileOf(JSON.parse(text), `${path}:${line}`))
    }
  } catch (error) {
    if (error instanceof ApplicationError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ApplicationError(`${path} cannot be read: ${reason}`, {}, { cause: error })
  }
  return files
}

function fileOf(value: unknown, where: string): MappedFile {
  const file = value as Partial<MappedFile> | null
  const { documentId, name, url, mime, alternativeText = null, caption = null } = file ?? {}
  const isFile = [documentId, name, url, mime].every((each) => typeof each === 'string')
  if (!isFile) throw new ApplicationError(`${where}: expected documentId, name, mime and url`)
  return { documentId, name, url, mime, alternativeText, caption } as MappedFile
}

async function bytesOf(
  { url }: MappedFile,
  { folder, filesFrom, maxFileBytes }: FilesOptions,
): Promise<Buffer> {
  const address = addressOf(url)
  if (folder !== null) return readFrom(folder, address, maxFileBytes)
  const trusted = filesFrom === null ? [] : [addressOf(filesFrom).origin]
  const { status, bytes } = await fetchBounded(address, {
    credentials: {},
    credentialsOrigin: '',
    trustedOrigins: new Set(trusted),
    maxBytes: maxFileBytes,
  })
  if (status >= 200 && status < 300) return bytes
  throw new ApplicationError(`its server answers ${status}`)
}

const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:'])

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && PROTOCOLS.has(url.protocol)) return url
  throw new ApplicationError(`${text} is no address: expected http:// or https://`)
}

/** `<host>/<path>` (contentful-export), the tree of the site, or a part of it. */
async function readFrom(folder: string, url: URL, maxFileBytes: number): Promise<Buffer> {
  const path = segmentsOf(url.pathname)
  const uploads = path.indexOf('uploads')
  const places = [
    [url.hostname, ...path],
    path,
    ...(uploads === -1 ? [] : [path.slice(uploads + 1)]),
  ]
  for (const place of places) {
    const file = place.length === 0 ? null : await findFileWithin(folder, place)
    const found = file === null ? null : await stat(file)
    if (file === null || found?.isFile() !== true) continue
    if (found.size <= maxFileBytes) return readFile(file)
    throw new ApplicationError(`${file} has more than ${maxFileBytes} bytes`)
  }
  throw new ApplicationError(`there is no ${path.join('/')} in ${folder}`)
}

function segmentsOf(pathname: string): readonly string[] {
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
