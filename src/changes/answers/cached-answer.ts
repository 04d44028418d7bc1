import { constants, brotliCompress, gzip } from 'node:zlib'
import { promisify } from 'node:util'

export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

export interface CachedAnswer {
  readonly body: Buffer
  readonly tag: string
  readonly cacheTags: string | null
  /** Whether a rule with operands decides about its entries, so that no shared cache may store it. */
  readonly isPersonal: boolean
}

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

export function pack(body: Buffer, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? brotli(body, QUALITY) : zip(body)
}
