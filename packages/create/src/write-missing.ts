import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectFile } from './plan-project.ts'

export interface WrittenFiles {
  readonly written: readonly string[]
  /** They existed before and are unchanged. */
  readonly kept: readonly string[]
}

/** Writes the files that a folder lacks. */
export async function writeMissing(
  folder: string,
  files: readonly ProjectFile[],
): Promise<WrittenFiles> {
  const written: string[] = []
  const kept: string[] = []
  for (const { path, content } of files) {
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    const isNew = await writeFile(target, content, { flag: 'wx' }).then(
      () => true,
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      },
    )
    ;(isNew ? written : kept).push(path)
  }
  return { written, kept }
}
