import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { HEAD_BYTES } from '../../../../src/media/detect-type.ts'
import { openMediaLibrary } from '../../../../src/media/media-library.ts'
import { openRetiredFiles } from '../../../../src/media/retired-files.ts'
import type { Upload } from '../../../../src/media/receive-upload.ts'
import { openImageWork } from '../../../../src/media/images/image-work.ts'
import { openFileRecords } from '../../../../src/media/file-records.ts'
import { versionsOf } from '../../../../src/mongo/versions/stored-version.ts'
import { documentContext } from '../../../../src/server/services/document-context.ts'
import { type Services } from '../../../../src/server/services/open-services.ts'
import { COVERS, type CoverKey } from './sample-document.ts'

export type Covers = ReadonlyMap<CoverKey, string>

const FILE = 'plugin::upload.file'
const [WIDTH, HEIGHT] = [640, 360]

const DRAWINGS: Readonly<Record<CoverKey, readonly [string, string, string]>> = {
  borders: ['#264653', '#2a9d8f', '<path d="M0 250 C150 120 330 330 640 90" />'],
  maps: ['#1d3557', '#457b9d', '<path d="M0 120H640M0 240H640M160 0V360M320 0V360M480 0V360" />'],
  names: [
    '#6d3b47',
    '#e07a5f',
    '<circle cx="240" cy="180" r="90" /><circle cx="400" cy="180" r="90" />',
  ],
}

const ALTERNATIVE_TEXTS: Readonly<Record<CoverKey, string>> = {
  borders: 'A line that winds from one side to the other',
  maps: 'The grid of a map',
  names: 'Two circles that overlap',
}

/** Returns the existing covers. Draws and stores missing ones if `drawMissing` is set. */
export async function addCovers(
  { database, schema, storage }: Pick<Services, 'database' | 'schema' | 'storage'>,
  { drawMissing }: { readonly drawMissing: boolean },
): Promise<Covers> {
  const documents = documentContext(database, schema)
  const plan = documents.contentType(FILE)
  const found = await versionsOf(database, plan)
    .find({ name: { $in: COVERS.map(fileName) } }, { projection: { name: 1, documentId: 1 } })
    .toArray()
  const covers = new Map<CoverKey, string>()
  for (const key of COVERS) {
    const file = found.find((file) => file['name'] === fileName(key))
    if (file !== undefined) covers.set(key, String(file['documentId']))
  }
  const missing = COVERS.filter((key) => !covers.has(key))
  if (missing.length === 0 || !drawMissing) return covers
  const records = openFileRecords(database, plan, documents)
  const images = openImageWork({ maxWaiting: missing.length })
  const folder = await mkdtemp(join(tmpdir(), 'quire-covers-'))
  const retired = openRetiredFiles(database, storage, documents.now)
  const library = openMediaLibrary({
    storage,
    records,
    images,
    retired,
    trash: null,
    spoolFolder: folder,
  })
  try {
    const upload = await draw(missing, folder)
    const infos = missing.map((key) => ({ alternativeText: ALTERNATIVE_TEXTS[key] }))
    const added = await library.add(upload, infos, () => Promise.resolve())
    for (const [index, key] of missing.entries()) covers.set(key, added[index]?.documentId ?? '')
    return covers
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function fileName(key: CoverKey): string {
  return `quire-sample-${key}.png`
}

/** Draws the covers and returns them in the form of client uploads. */
async function draw(keys: readonly CoverKey[], folder: string): Promise<Upload> {
  const files = await Promise.all(
    keys.map(async (key) => {
      const [path, content] = [join(folder, key), await toPng(key)]
      await writeFile(path, content)
      const head = content.subarray(0, HEAD_BYTES)
      return { path, name: fileName(key), type: 'image/png', size: content.length, head }
    }),
  )
  return { files, fields: new Map(), ignored: new Set<string>(), folder }
}

function toPng(key: CoverKey): Promise<Buffer> {
  const [from, to, drawing] = DRAWINGS[key]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <defs><linearGradient id="sky" x2="1" y2="1">
      <stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/>
    </linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <g fill="none" stroke="#fff" stroke-opacity="0.6" stroke-width="6">${drawing}</g>
  </svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
