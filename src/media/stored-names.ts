import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { FileRecord } from './file-records.ts'

export interface Part {
  readonly hash: string
  readonly ext: string
}

const FIRST = '0'

export function plainName({ hash, ext }: Part): string {
  return `${hash}${ext}`
}

/** Each generation has its own name, so that one write to the record replaces the bytes. */
export function namedByRecord({ hash, ext }: Part, generation: string = FIRST): string {
  return `${hash}-${generation}${ext}`
}

export function newGeneration(): string {
  return randomBytes(5).toString('hex')
}

/** While original bytes have the plain name, no record needs to be read. */
export function possibleNames(part: Part, generation: string | undefined): readonly string[] {
  const byRecord = namedByRecord(part, generation)
  return generation === undefined ? [plainName(part), byRecord] : [byRecord]
}

export function partsOf({
  hash,
  ext,
  formats,
}: Pick<FileRecord, 'hash' | 'ext' | 'formats'>): readonly Part[] {
  return [{ hash, ext }, ...Object.values(formats ?? {})]
}

/** All names of a file. */
export function storedNames(record: FileRecord): readonly string[] {
  return [...keptNames(record), ...(record.variants ?? [])]
}

/** The names of a file without its variants, which can be made again. */
export function keptNames(record: WithoutVariants): readonly string[] {
  const { original } = record
  return [...partNames(record), ...(original ? [plainName(original)] : [])]
}

function partNames(record: WithoutVariants): readonly string[] {
  return partsOf(record).flatMap((part) => possibleNames(part, record.generation))
}

type WithoutVariants = Pick<FileRecord, 'hash' | 'ext' | 'formats' | 'generation' | 'original'>

export function splitName(name: string): Part {
  const ext = extname(name)
  return { hash: name.slice(0, name.length - ext.length), ext }
}
