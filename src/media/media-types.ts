const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.jpe': 'image/jpeg',
  '.jfif': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.heic': 'image/heic',
  '.tiff': 'image/tiff',
  '.tif': 'image/tiff',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
  '.avi': 'video/x-msvideo',
  '.mpeg': 'video/mpeg',
  '.mpg': 'video/mpeg',
  '.ogv': 'video/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.ogg': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.wav': 'audio/wav',
  '.flac': 'audio/flac',
  '.txt': 'text/plain',
  '.text': 'text/plain',
  '.log': 'text/plain',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.vtt': 'text/vtt',
  '.ics': 'text/calendar',
  '.css': 'text/css',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'application/xml',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.rtf': 'application/rtf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.tgz': 'application/gzip',
  '.tar': 'application/x-tar',
  '.7z': 'application/x-7z-compressed',
  '.rar': 'application/vnd.rar',
  '.epub': 'application/epub+zip',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xls': 'application/vnd.ms-excel',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.glb': 'model/gltf-binary',
  '.wasm': 'application/wasm',
}

const EXTENSIONS = new Map(
  Object.entries(TYPES)
    .toReversed()
    .map(([extension, type]) => [type, extension]),
)

export function typeOfExtension(extension: string): string | null {
  const key = extension.toLowerCase()
  return Object.hasOwn(TYPES, key) ? (TYPES[key] ?? null) : null
}

export function extensionOfType(type: string): string {
  return EXTENSIONS.get(type) ?? ''
}

/** `files` are all types besides images, videos and audios. */
export type MediaKind = 'images' | 'videos' | 'audios' | 'files'

const KINDS: ReadonlyMap<string, MediaKind> = new Map([
  ['image', 'images'],
  ['video', 'videos'],
  ['audio', 'audios'],
])

export function mediaKindOf(type: string): MediaKind {
  return KINDS.get(type.slice(0, type.indexOf('/'))) ?? 'files'
}

const INLINE =
  /^(image|video|audio|font)\/|^text\/(plain|csv|markdown|vtt|calendar)$|^application\/(pdf|json)$/

export function isInlineType(type: string): boolean {
  return INLINE.test(type)
}
