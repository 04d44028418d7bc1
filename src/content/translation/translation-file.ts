/** Of a file that a translator works on. */
export const MAX_FILE_BYTES = 5 * 1_048_576
export const MAX_FILE_ENTRIES = 100
export const MAX_FILE_UNITS = 10_000
export const MAX_UNIT_ID = 1_000

export const TRANSLATION_FORMATS = ['xliff', 'json'] as const

export type TranslationFormat = (typeof TRANSLATION_FORMATS)[number]

export interface TranslationFile {
  readonly entries: readonly FileEntry[]
}

export interface FileEntry {
  readonly uid: string
  readonly documentId: string
  /** The locale of the source. */
  readonly from: string
  /** The locale of the translation. */
  readonly to: string
  /** The revision of the source at the time of the export. */
  readonly revision: string | null
  readonly units: readonly FileUnit[]
}

export interface FileUnit {
  readonly id: string
  /** The name of the field for the translator. */
  readonly label?: string
  readonly maxLength?: number
  readonly source: string
  /** Null without a translation. */
  readonly target: string | null
  /** Whether a tool has put tags into a plain text. */
  readonly isTagged?: boolean
}

/** Units of blocks are texts with tags. All other units are plain texts. */
export function isTaggedUnit(id: string): boolean {
  return id.includes('/#')
}
