import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HEAD_BYTES } from '../media/detect-type.ts'
import type { FileInfo } from '../media/file-info.ts'
import { cleanName } from '../media/file-name.ts'
import type { TranslationsChange } from '../media/file-translations.ts'
import type { MediaFile, MediaLibrary } from '../media/media-library.ts'
import type { Data } from '../schema/definition.ts'
import type { FileImport } from './import/import-from-source.ts'

export interface FileStore extends FileImport {
  edit(file: MediaFile, info: FileInfo): Promise<void>
}

export function openFileStore(library: MediaLibrary, spool: string): FileStore {
  return {
    has: async (documentId) => (await library.get(documentId)) !== null,
    add: async (record, bytes) => {
      await mkdir(spool, { recursive: true })
      const folder = await mkdtemp(join(spool, 'import-'))
      try {
        const path = join(folder, 'file')
        await writeFile(path, bytes)
        const name = cleanName(String(record['name']))
        const type = String(record['mime'])
        const head = bytes.subarray(0, HEAD_BYTES)
        const files = [{ path, name, type, size: bytes.length, head }]
        const upload = { files, fields: new Map(), ignored: new Set<string>(), folder }
        const documentIds = [String(record['documentId'])]
        await library.add(upload, [infoOf(record, name)], () => Promise.resolve(), { documentIds })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    edit: async (file, info) => {
      await library.edit(file, info)
    },
  }
}

function infoOf(
  { alternativeText, caption, focalPoint, private: isPrivate, translations }: Data,
  name: string,
): FileInfo {
  return {
    name,
    alternativeText: (alternativeText ?? null) as string | null,
    caption: (caption ?? null) as string | null,
    focalPoint: (focalPoint ?? null) as NonNullable<FileInfo['focalPoint']> | null,
    private: isPrivate === true,
    ...(translations !== undefined && { translations: translations as TranslationsChange }),
  }
}
