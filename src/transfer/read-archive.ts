import { createDecipheriv, scryptSync } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import tar from 'tar-stream'
import { ApplicationError, ValidationError } from '../base/errors.ts'
import type { Data } from '../schema/definition.ts'
import { assertShallow } from '../schema/values/json-levels.ts'
import { boundedLines, boundedText } from './bounded-lines.ts'

export interface ArchiveEntry {
  readonly path: string
  readonly size: number
  readonly bytes: Readable
}

export interface ArchiveFile {
  readonly path: string
  readonly key: string | null
}

const MAGIC = { at: 257, text: 'ustar' } as const
const GZIP = Buffer.from([0x1f, 0x8b])
const KEY_BYTES = 16
const MAX_SMALL_BYTES = 16 * 1024 * 1024

/** A folder or a tar, optionally compressed and encrypted. @throws ApplicationError, also for a wrong key */
export async function* readArchive(file: ArchiveFile): AsyncGenerator<ArchiveEntry> {
  if (await isFolder(file.path)) yield* readFolder(file.path)
  else yield* readTar(file)
}

async function* readFolder(folder: string): AsyncGenerator<ArchiveEntry> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort((one, other) => orderOf(one) - orderOf(other) || (one < other ? -1 : 1))
  for (const path of paths) {
    const { size } = await stat(join(folder, path))
    yield { path, size, bytes: createReadStream(join(folder, path)) }
  }
}

const ORDER = ['schemas', 'entities', 'assets', 'links', 'configuration', 'quire']

function orderOf(path: string): number {
  const at = ORDER.indexOf(path.split('/')[0] ?? '')
  return at === -1 ? ORDER.length : at
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true
}

async function* readTar(file: ArchiveFile): AsyncGenerator<ArchiveEntry> {
  const extract = tar.extract()
  const running = pipeline([...(await unpackingOf(file)), extract]).catch((error: unknown) => {
    extract.destroy(error as Error)
  })
  try {
    for await (const entry of extract) {
      const { name, size, type } = entry.header
      if (type === 'file')
        yield { path: name.replace(/^(?:\.\/+)+/, ''), size, bytes: bytesOf(entry) }
      else entry.resume()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ApplicationError(`${file.path} cannot be read: ${reason}`, {}, { cause: error })
  }
  await running
}

/** An entry that nobody reads must not end the process: the loop over the entries throws the same error. */
function bytesOf(entry: AsyncIterable<unknown>): Readable {
  return Readable.from(entry).on('error', () => undefined)
}

async function unpackingOf(
  file: ArchiveFile,
): Promise<readonly [NodeJS.ReadableStream, ...NodeJS.ReadWriteStream[]]> {
  const head = await headOf(file.path)
  const source = createReadStream(file.path)
  if (isTar(head)) return [source]
  if (isGzip(head)) return [source, createGunzip()]
  if (file.key === null) {
    throw new ApplicationError(
      `${file.path} is neither a tar nor packed: if it is encrypted, give its key with --key`,
    )
  }
  const start = decipherOf(file.key).setAutoPadding(false).update(head)
  if (isTar(start)) return [source, decipherOf(file.key)]
  if (isGzip(start)) return [source, decipherOf(file.key), createGunzip()]
  throw new ApplicationError(
    `${file.path} cannot be read: the key does not fit, or it is no archive`,
  )
}

export async function* jsonLines({ path, bytes }: ArchiveEntry): AsyncGenerator<Data> {
  let number = 0
  for await (const line of boundedLines(bytes, path)) {
    number += 1
    if (line.trim() !== '') yield parseLine(line, `${path}:${number}`)
  }
}

export async function jsonOf({ path, bytes }: ArchiveEntry): Promise<Data> {
  return parseLine(await boundedText(bytes, path, MAX_SMALL_BYTES), path)
}

function parseLine(text: string, where: string): Data {
  try {
    assertShallow(text)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Data
  } catch (error) {
    if (error instanceof ValidationError) throw new ApplicationError(`${where}: ${error.message}`)
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new ApplicationError(`${where}: no JSON object`)
}

async function headOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(512), 0, 512, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new ApplicationError(`${path} cannot be read: ${code}`, {}, { cause: error })
  }
}

/** The encryption of the reference: https://docs.strapi.io/cms/data-management/export */
function decipherOf(key: string): ReturnType<typeof createDecipheriv> {
  return createDecipheriv('aes-128-ecb', scryptSync(key, '', KEY_BYTES), null)
}

function isGzip(head: Buffer): boolean {
  return head.subarray(0, GZIP.length).equals(GZIP)
}

function isTar(head: Buffer): boolean {
  return head.toString('latin1', MAGIC.at, MAGIC.at + MAGIC.text.length) === MAGIC.text
}
