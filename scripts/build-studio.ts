// Builds the Studio (packages/studio) into dist/studio, with compressed files next to the plain
// ones. Skips the build if the sources are unchanged.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const STUDIO = path.join(ROOT, 'packages/studio')
const OUTPUT = path.join(ROOT, 'dist/studio')
/** Contains the digest of the sources. Written last. */
const MARK = '.sources'

const pack = {
  '.br': (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  '.gz': (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}

async function digestSources(): Promise<string> {
  const sources = (
    await readdir(path.join(STUDIO, 'src'), { recursive: true, withFileTypes: true })
  )
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
  const others = [
    'index.html',
    'vite.config.ts',
    'package.json',
    '../../package-lock.json',
    '../merge/src/compare-texts.ts',
    '../merge/src/is-deep-equal.ts',
    '../merge/src/merge-members.ts',
    '../merge/src/merge-text.ts',
    '../schema/src/attributes.ts',
    '../client/src/quire-error.ts',
    '../client/src/retries.ts',
    '../client/src/serialize-query.ts',
    '../client/src/uploads/send-parts.ts',
  ]
  const hash = createHash('sha256')
  for (const file of [...sources, ...others.map((name) => path.join(STUDIO, name))]) {
    hash.update(`${path.relative(STUDIO, file)}\0`)
    hash.update(await readFile(file))
  }
  return hash.digest('hex')
}

async function build(digest: string): Promise<void> {
  const { build: buildApp } = await import('vite')
  const folder = `${OUTPUT}-${process.pid}`
  try {
    await buildApp({
      configFile: path.join(STUDIO, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: folder },
    })
    await packFiles(folder)
    await writeFile(path.join(folder, MARK), digest)
    await rm(OUTPUT, { recursive: true, force: true })
    await rename(folder, OUTPUT)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compresses text files. Fonts and images are already compressed. */
async function packFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  const texts = names.filter((name) => /\.(html|js|css|svg|json)$/.test(name))
  await Promise.all(
    texts.flatMap((name) =>
      Object.entries(pack).map(async ([ending, packed]) => {
        const file = path.join(folder, name)
        await writeFile(file + ending, await packed(await readFile(file)))
      }),
    ),
  )
}

async function builtDigest(): Promise<string | null> {
  const mark = path.join(OUTPUT, MARK)
  return existsSync(mark) ? readFile(mark, 'utf8') : null
}

const digest = await digestSources()
if ((await builtDigest()) !== digest) await build(digest)
