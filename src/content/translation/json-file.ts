import Joi from 'joi'
import { readInput } from '../../people/access/input.ts'
import {
  MAX_FILE_ENTRIES,
  MAX_UNIT_ID,
  type FileEntry,
  type FileUnit,
  type TranslationFile,
} from './translation-file.ts'

const FORMAT = 'quire-translation' as const
const VERSION = 1 as const
const MAX_TEXT = 5_000_000

interface JsonFile {
  readonly format: typeof FORMAT
  readonly version: typeof VERSION
  readonly entries: readonly (Omit<FileEntry, 'uid' | 'revision' | 'units'> & {
    readonly contentType: string
    readonly revision?: string | null
    readonly units: readonly (Omit<FileUnit, 'target'> & { readonly target?: string | null })[]
  })[]
}

const UNIT = Joi.object({
  id: Joi.string().max(MAX_UNIT_ID).required(),
  label: Joi.string().max(2_000).allow(''),
  maxLength: Joi.number(),
  source: Joi.string().max(MAX_TEXT).allow('').required(),
  target: Joi.string().max(MAX_TEXT).allow('', null),
})

const FILE = Joi.object<JsonFile>({
  format: Joi.valid(FORMAT).required(),
  version: Joi.valid(VERSION).required(),
  entries: Joi.array()
    .max(MAX_FILE_ENTRIES)
    .required()
    .items(
      Joi.object({
        contentType: Joi.string().max(200).required(),
        documentId: Joi.string().max(100).required(),
        from: Joi.string().max(100).required(),
        to: Joi.string().max(100).required(),
        revision: Joi.string().max(100).allow(null),
        units: Joi.array().items(UNIT).required(),
      }),
    ),
})

export function writeJsonFile({ entries }: TranslationFile): string {
  const written = entries.map(({ uid: contentType, ...entry }) => ({ contentType, ...entry }))
  return `${JSON.stringify({ format: FORMAT, version: VERSION, entries: written }, null, 2)}\n`
}

/** @throws ValidationError with the path of each fault */
export function readJsonFile(parsed: unknown): TranslationFile {
  const { entries } = readInput(FILE, parsed)
  return {
    entries: entries.map(({ contentType: uid, revision = null, units, ...entry }) => ({
      ...entry,
      uid,
      revision,
      units: units.map(({ target = null, ...unit }) => ({
        ...unit,
        target: target === '' ? null : target,
      })),
    })),
  }
}
