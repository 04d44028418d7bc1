import { extensionOfType, typeOfExtension } from './media-types.ts'

export const HEAD_BYTES = 4_100

export interface DetectedType {
  readonly mime: string
  readonly ext: string
}

const UNKNOWN = 'application/octet-stream'

/** Replaces an extension that contradicts the signature: a file is never served as another type. */
export function detectType(head: Buffer, declared: string, name: string): DetectedType {
  const given = extensionOf(name)
  const claimed = claimedType(declared, given)
  const signed = signedType(head)
  if (signed === null) {
    const mime = believed(claimed, head)
    return { mime, ext: given === '' ? extensionOfType(mime) : given }
  }
  const mime = fits(claimed, signed) ? claimed : signed
  const meant = typeOfExtension(given)
  const isRight = given !== '' && (meant === null || meant === mime || fits(meant, signed))
  return { mime, ext: isRight ? given : extensionOfType(mime) || given }
}

/** A markup file declared as an image is neither displayed nor accepted as an image. SVG is allowed markup. */
function believed(claimed: string, head: Buffer): string {
  const isMarkup = /^(\u00ef\u00bb\u00bf)?\s*</.test(head.toString('latin1'))
  const isBinary = /^(image|video|audio|font)\//.test(claimed) && claimed !== 'image/svg+xml'
  return isBinary && isMarkup ? UNKNOWN : claimed
}

export function extensionOf(name: string): string {
  return (
    /[^.](\.[A-Za-z0-9]{1,16})$/.exec(name)?.[1] ?? /^\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? ''
  )
}

function claimedType(declared: string, extension: string): string {
  const type = declared.toLowerCase()
  const isType = /^[a-z0-9][\w.+-]{0,99}\/[a-z0-9][\w.+-]{0,99}$/.test(type)
  return isType && type !== UNKNOWN ? type : (typeOfExtension(extension) ?? UNKNOWN)
}

/** A container format may have many types. A declared type that fits the container is accepted. */
const CONTAINERS: ReadonlyMap<string, RegExp> = new Map([
  ['application/zip', /^(application|model)\/(?!pdf$|x?html|xml$|json$|javascript$)/],
  ['application/gzip', /^application\/(x-)?(gzip|tgz|gtar|compressed(-tar)?)$/],
  ['application/x-ole-storage', /^application\/(msword|vnd\.ms-|x-msi|vnd\.visio)/],
  ['application/ogg', /^(audio|video|application)\/(ogg|opus)$/],
  ['video/x-matroska', /^(video|audio)\/(webm|x-matroska|matroska)$/],
  ['video/mp4', /^(video|audio)\/(mp4|x-m4[av]|m4a|3gpp2?)$/],
  ['audio/wav', /^audio\/(x-wav|wave|vnd\.wave)$/],
  ['audio/mpeg', /^audio\/(mp3|mpeg3|x-mpeg-3|aac)$/],
  ['image/x-icon', /^image\/(vnd\.microsoft\.icon|ico)$/],
])

function fits(claimed: string, signed: string): boolean {
  return claimed === signed || CONTAINERS.get(signed)?.test(claimed) === true
}

const SIGNATURES: readonly (readonly [number, string, string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
  [0, 'II*\0', 'image/tiff'],
  [0, 'MM\0*', 'image/tiff'],
  [0, '\0\0\x01\0', 'image/x-icon'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, 'PK\x05\x06', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-ole-storage'],
  [0, 'OggS', 'application/ogg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'ID3', 'audio/mpeg'],
  [8, 'WAVE', 'audio/wav'],
  [8, 'AVI ', 'video/x-msvideo'],
  [0, '\x1aE\xdf\xa3', 'video/x-matroska'],
  [0, 'wOFF', 'font/woff'],
  [0, 'wOF2', 'font/woff2'],
  [0, '\0asm', 'application/wasm'],
]

function signedType(head: Buffer): string | null {
  const text = head.toString('latin1')
  if (text.slice(4, 8) === 'ftyp') return brandedType(text.slice(8, 12))
  const found = SIGNATURES.find(
    ([at, bytes]) => text.startsWith(bytes, at) && (at === 0 || text.startsWith('RIFF')),
  )
  return found?.[2] ?? null
}

/** https://mp4ra.org/registered-types/brands */
function brandedType(brand: string): string {
  if (brand === 'avif' || brand === 'avis') return 'image/avif'
  if (['heic', 'heix', 'mif1', 'msf1'].includes(brand)) return 'image/heic'
  if (brand === 'qt  ') return 'video/quicktime'
  return brand.startsWith('M4A') ? 'audio/mp4' : 'video/mp4'
}
