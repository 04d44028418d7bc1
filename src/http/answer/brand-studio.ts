import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { StudioBranding, StudioImage } from '../../base/config/studio-settings.ts'
import type { StudioFile, StudioFiles } from './studio-files.ts'

/** The Studio reads the rest of its branding from this element. */
const META = 'quire-branding'

/** No script of an SVG runs, also where a browser opens the image itself. */
const IMAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Adds the images of the branding, and writes the rest into the page, so that it needs no request. */
export function brandStudio(studio: StudioFiles, branding: StudioBranding | null): StudioFiles {
  if (branding === null) return studio
  const logo = imageOf('logo', branding.logo)
  const favicon = imageOf('favicon', branding.favicon)
  const images = [logo, favicon].flatMap((image) => image ?? [])
  const files = new Map(studio.files)
  for (const { name, file } of images) files.set(name, file)
  const { title, cssVariables, links } = branding
  const shown = JSON.stringify({ title, logo: logo?.address ?? null, cssVariables, links })
  const page = studio.page === null ? null : brandPage(studio.page, { title, favicon, shown })
  if (page !== null) files.set('index.html', page)
  return { page, files }
}

interface NamedImage {
  readonly name: string
  /** Contains the digest, so that browsers can cache the image permanently. */
  readonly address: string
  readonly file: StudioFile
}

function imageOf(member: string, image: StudioImage | null): NamedImage | null {
  if (image === null) return null
  const { bytes, type } = image
  const version = digestOf(bytes)
  const packed = type === 'image/svg+xml' ? pack(bytes) : {}
  const name = `branding/${member}`
  const file = { bytes, type, packed, etag: `"${version}"`, hashed: false }
  return {
    name,
    address: `/studio/${name}?v=${version}`,
    file: { ...file, image: { policy: IMAGE_POLICY, version } },
  }
}

interface PageBranding {
  readonly title: string | null
  readonly favicon: NamedImage | null
  readonly shown: string
}

function brandPage(page: StudioFile, { title, favicon, shown }: PageBranding): StudioFile {
  const head = `<meta name="${META}" content="${escapeHtml(shown)}" />\n  </head>`
  let html = page.bytes.toString('utf8').replace('</head>', () => head)
  if (title !== null) {
    html = html.replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
  }
  if (favicon !== null) {
    const { address, file } = favicon
    const link = `<link rel="icon" type="${file.type}" href="${address}" />`
    html = html.replace(/<link rel="icon"[^>]*>/, () => link)
  }
  const bytes = Buffer.from(html)
  return { ...page, bytes, packed: pack(bytes), etag: `"${digestOf(bytes)}"` }
}

function pack(bytes: Buffer): Readonly<Record<string, Buffer>> {
  return { br: brotliCompressSync(bytes), gzip: gzipSync(bytes) }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 20)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
}
