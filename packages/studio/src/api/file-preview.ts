export interface PreviewedFile {
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly formats?: Readonly<Record<string, { readonly url: string }>> | null
  readonly alternativeText?: string | null
  readonly updatedAt?: string | null
}

export function fileOf(value: unknown): PreviewedFile | null {
  if (value === null || typeof value !== 'object' || !('url' in value)) return null
  return value as PreviewedFile
}

export function previewOf(
  { url, mime, formats, updatedAt }: PreviewedFile,
  size = 'thumbnail',
): string | null {
  if (!mime.startsWith('image/')) return null
  return withVersion(formats?.[size]?.url ?? url, updatedAt)
}

/** Other bytes keep the address, and a page shows an image that it has loaded before. A bucket may have signed its address. */
function withVersion(url: string, version: string | null | undefined): string {
  if (!version || !url.startsWith('/uploads/')) return url
  return `${url}${url.includes('?') ? '&' : '?'}v=${encodeURIComponent(version)}`
}
