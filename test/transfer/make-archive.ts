import { createCipheriv, scryptSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'

/** The content of a test archive, in the layout of the reference. */
export interface ArchiveContent {
  readonly entities?: readonly object[]
  readonly links?: readonly object[]
  readonly configuration?: readonly object[]
  /** Bytes by file name. */
  readonly assets?: Readonly<Record<string, Buffer>>
  readonly createdAt?: string
}

export interface Packing {
  readonly gzip?: boolean
  readonly key?: string
}

/** Writes an archive to `path`, packed and encrypted like the reference does. */
export async function makeArchive(
  path: string,
  {
    entities,
    links,
    configuration,
    assets = {},
    createdAt = '2026-01-01T00:00:00.000Z',
  }: ArchiveContent,
  { gzip = true, key }: Packing = {},
): Promise<void> {
  const pack = tar.pack()
  const files: readonly (readonly [string, string | Buffer])[] = [
    ['schemas/schemas_00001.jsonl', ''],
    ['entities/entities_00001.jsonl', linesOf(entities)],
    ...Object.entries(assets).flatMap(([name, bytes]): [string, string | Buffer][] => [
      [`assets/metadata/${name}.json`, '{}'],
      [`assets/uploads/${name}`, bytes],
    ]),
    ['links/links_00001.jsonl', linesOf(links)],
    ['configuration/configuration_00001.jsonl', linesOf(configuration)],
    ['metadata.json', JSON.stringify({ createdAt, strapi: { version: '5.54.0' } })],
  ]
  for (const [name, bytes] of files) if (bytes.length > 0) pack.entry({ name }, bytes)
  pack.finalize()
  let bytes: Buffer = await buffer(pack)
  if (gzip) bytes = gzipSync(bytes)
  if (key !== undefined) {
    const cipher = createCipheriv('aes-128-ecb', scryptSync(key, '', 16), null)
    bytes = Buffer.concat([cipher.update(bytes), cipher.final()])
  }
  await writeFile(path, bytes)
}

function linesOf(values: readonly object[] = []): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}
