import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { FileRecord } from './file-records.ts'

/** A file, or one of its formats, as its address names it. */
export interface Part {
  readonly hash: string
  readonly ext: string
}

/** Of the bytes that a file came with, once others are about to replace them. */
const FIRST = '0'

/** What the bytes of a file are stored under that were never replaced: as their address says. */
export function plainName({ hash, ext }: Part): string {
  return `${hash}${ext}`
}

/**
 * What bytes are stored under that their record alone leads to: every generation of them has a name of its own, so
 * that one write to the record is what replaces them. A hash has no dash in it: no upload can be called like one.
 */
export function namedByRecord({ hash, ext }: Part, generation: string = FIRST): string {
  return `${hash}-${generation}${ext}`
}

/** For bytes that are to replace others. */
export function newGeneration(): string {
  return randomBytes(5).toString('hex')
}

/**
 * Where the bytes of a part may be. Those that were never replaced are under one of two names, and while they are under
 * the plain one it is right without a look at the record.
 */
export function possibleNames(part: Part, generation: string | undefined): readonly string[] {
  const byRecord = namedByRecord(part, generation)
  return generation === undefined ? [plainName(part), byRecord] : [byRecord]
}

/** The files that a record names; variants can be made again. */
export function partsOf({
  hash,
  ext,
  formats,
}: Pick<FileRecord, 'hash' | 'ext' | 'formats'>): readonly Part[] {
  return [{ hash, ext }, ...Object.values(formats ?? {})]
}

/** Everything that is stored for a record, by all names that it may have. */
export function storedNames(record: FileRecord): readonly string[] {
  const names = partsOf(record).flatMap((part) => possibleNames(part, record.generation))
  return [...names, ...(record.variants ?? [])]
}

/** The two parts of a name; the extension has its dot, and may be empty. */
export function splitName(name: string): Part {
  const ext = extname(name)
  return { hash: name.slice(0, name.length - ext.length), ext }
}
