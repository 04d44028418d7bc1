/** What a list needs to know of a file to show it. */
export interface PreviewedFile {
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly formats?: Readonly<Record<string, { readonly url: string }>> | null
  readonly alternativeText?: string | null
}

/** A populated file; null where there is none. */
export function fileOf(value: unknown): PreviewedFile | null {
  if (value === null || typeof value !== 'object' || !('url' in value)) return null
  return value as PreviewedFile
}

/** The address of a small picture of a file; null for what is no picture. */
export function previewOf(
  { url, mime, formats }: PreviewedFile,
  size = 'thumbnail',
): string | null {
  if (!mime.startsWith('image/')) return null
  return formats?.[size]?.url ?? url
}
