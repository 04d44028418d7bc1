import type { MediaAttribute } from '../../api/attributes.ts'

export type FileKind = 'images' | 'videos' | 'audios' | 'files'

/** The values of `GET /admin/files?kind=`. */
export const KIND_PARAMETER = {
  images: 'image',
  videos: 'video',
  audios: 'audio',
  files: 'file',
} as const satisfies Readonly<Record<FileKind, string>>

export const FILE_KINDS = Object.keys(KIND_PARAMETER) as readonly FileKind[]

/** The allowed kinds; empty if all are allowed. */
export function kindsOf({ allowedTypes = [] }: MediaAttribute): readonly FileKind[] {
  return allowedTypes.filter((type): type is FileKind => type in KIND_PARAMETER)
}

export function acceptOf(kinds: readonly FileKind[]): string | undefined {
  if (kinds.length === 0 || kinds.includes('files')) return undefined
  return kinds.map((kind) => `${KIND_PARAMETER[kind]}/*`).join(',')
}

export function isOfKind(mime: string, kinds: readonly FileKind[]): boolean {
  if (kinds.length === 0) return true
  const [of] = mime.split('/')
  const kind = { image: 'images', video: 'videos', audio: 'audios' }[of ?? ''] ?? 'files'
  return kinds.includes(kind as FileKind)
}
