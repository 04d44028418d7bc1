export interface PreviewedFile {
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly formats?: Readonly<Record<string, { readonly url: string }>> | null
  readonly alternativeText?: string | null
}

export function fileOf(value: unknown): PreviewedFile | null {
  if (value === null || typeof value !== 'object' || !('url' in value)) return null
  return value as PreviewedFile
}

export function previewOf(
  { url, mime, formats }: PreviewedFile,
  size = 'thumbnail',
): string | null {
  if (!mime.startsWith('image/')) return null
  return formats?.[size]?.url ?? url
}
