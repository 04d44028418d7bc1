import { createCipheriv, createHash, type Hash, scryptSync } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import tar from 'tar-stream'

export interface ArchiveWriter {
  lines(path: string, values: Iterable<unknown>): Promise<number>
  text(path: string, text: string): Promise<void>
  bytes(path: string, size: number, bytes: Readable): Promise<void>
  checksums(): Readonly<Record<string, string>>
}

export interface ArchiveTarget {
  readonly path: string
  readonly key: string | null
}

const KEY_BYTES = 16

export async function writeArchive(
  { path, key }: ArchiveTarget,
  write: (writer: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), '.quire-export-'))
  const temporary = join(folder, basename(path))
  const pack = tar.pack()
  const steps = [
    ...(/\.gz(?:\.enc)?$/.test(path) ? [createGzip()] : []),
    ...(key === null ? [] : [createCipheriv('aes-128-ecb', scryptSync(key, '', KEY_BYTES), null)]),
  ]
  const running = pipeline([
    Readable.from(pack),
    ...steps,
    createWriteStream(temporary, { flush: true }),
  ])
  running.catch((error: unknown) => pack.destroy(error as Error))
  try {
    await write(writerTo(pack, folder))
    pack.finalize()
    await running
    await rename(temporary, path)
  } finally {
    pack.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}

function writerTo(pack: tar.Pack, folder: string): ArchiveWriter {
  const hashes = new Map<string, Hash>()
  const bytes = async (name: string, size: number, source: Readable): Promise<void> => {
    const hash = createHash('sha256')
    const entry = pack.entry({ name, size })
    await pipeline(
      source,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      entry,
    )
    hashes.set(name, hash)
  }
  return {
    bytes,
    text: (path, text) => {
      const all = Buffer.from(text)
      return bytes(path, all.length, Readable.from([all]))
    },
    lines: async (path, values) => {
      const file = join(folder, 'lines')
      let count = 0
      const texts = function* (): Generator<string> {
        for (const value of values) {
          count += 1
          yield `${JSON.stringify(value)}\n`
        }
      }
      await pipeline(Readable.from(texts(), { highWaterMark: 64 }), createWriteStream(file))
      await bytes(path, (await stat(file)).size, createReadStream(file))
      return count
    },
    checksums: () =>
      Object.fromEntries([...hashes].map(([path, hash]) => [path, hash.copy().digest('hex')])),
  }
}
