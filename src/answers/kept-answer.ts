import { constants, brotliCompress, gzip } from 'node:zlib'
import { promisify } from 'node:util'

/** The codings that kept answers are packed in; of other codings the middleware that packs knows. */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** The response that equal requests get. */
export interface KeptAnswer {
  readonly body: Buffer
  /** Of the body as it is, unpacked: what stands between the quotation marks of an `ETag`. */
  readonly tag: string
  /** The tags by which a CDN can purge it; null where none are sent. */
  readonly cacheTags: string | null
}

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Off this thread. Quality 4 is what answers are packed with that are sent once. */
export function pack(body: Buffer, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? brotli(body, QUALITY) : zip(body)
}
