import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { BuildFailure, Message } from 'esbuild'
import { ConfigError } from '../../base/errors.ts'
import type { ConfigurationFile } from './find-configuration-file.ts'

/** The last line of a bundle lists its sources with their digests. */
export const SOURCES_MARK = '// quire-sources '

/** Digests by path. Paths are relative to the folder of the project and use slashes. */
export type SourceDigests = Readonly<Record<string, string>>

/** Packages stay imports. The inline source map makes errors name the lines of the sources. @throws ConfigError */
export async function bundleConfiguration(
  folder: string,
  file: ConfigurationFile,
): Promise<string> {
  const { build } = await import('esbuild')
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: folder,
      entryPoints: [file.path],
      outfile: join(folder, 'dist', 'quire.config.mjs'),
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      sourcemap: 'inline',
      sourcesContent: false,
      charset: 'utf8',
      logLevel: 'silent',
    })
    const digests = await digestSources(folder, Object.keys(metafile.inputs))
    return `${outputFiles[0]?.text ?? ''}\n${SOURCES_MARK}${JSON.stringify(digests)}\n`
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    throw new ConfigError(error.errors.map(describeMessage), { cause: error })
  }
}

/** Missing files have the digest `-`. */
export async function digestSources(
  folder: string,
  paths: readonly string[],
): Promise<SourceDigests> {
  const digests = paths.toSorted().map(async (path): Promise<[string, string]> => {
    const text = await readFile(join(folder, path)).catch(() => null)
    const digest = text === null ? '-' : createHash('sha256').update(text).digest('hex')
    return [path.split(sep).join('/'), digest]
  })
  return Object.fromEntries(await Promise.all(digests))
}

export function shownPath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}

function describeMessage({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}: ${text}`
}
