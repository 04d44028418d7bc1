import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findIdKind } from '../../mongo/adopted/find-id-kind.ts'
import type { FieldProfile } from '../../mongo/adopted/field-profile.ts'
import {
  countIds,
  listForeignCollections,
  sampleCollection,
} from '../../mongo/adopted/sample-collection.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { openDatabase } from '../../mongo/connection/open-database.ts'
import { type Command, type OptionValues, textOption, UsageError } from '../command.ts'
import { helpOf } from '../help.ts'
import { formatTable } from '../table.ts'
import type { FindTarget } from './propose-attribute.ts'
import { nameTypes, type ProposedType, proposeType } from './propose-types.ts'

const USUAL_SAMPLE = 1_000
const LARGEST_SAMPLE = 10_000
const TIMEOUT_MS = 60_000
/** Searching for the target of a field takes one command for each of them. */
const MAX_CANDIDATES = 50

export const INTROSPECT_COMMAND: Command = {
  usage: 'introspect <uri> --database <name> [--collection <name>] [--out <folder>] [--sample <n>]',
  summary: 'propose content-types for existing collections; see docs/existing-data.md',
  help: `  reads a sample of each collection, or of --collection, and prints the content-types that fit, and per field
  how many of the values fit; --out writes them as files, and never overwrites one; --sample is the number of
  documents, ${USUAL_SAMPLE} by default`,
  options: {
    database: { type: 'string' },
    collection: { type: 'string' },
    out: { type: 'string' },
    sample: { type: 'string' },
  },
  words: { min: 1, max: 1 },
  needs: 'nothing',
  run: async (_, [uri = ''], options) => {
    const name = textOption(options, 'database') ?? ''
    if (uri === '' || name === '') throw new UsageError(helpOf(INTROSPECT_COMMAND))
    const database = await openDatabase({ uri, name, queryTimeoutMs: TIMEOUT_MS })
    try {
      const types = await proposeTypes(database, options)
      const out = textOption(options, 'out')
      const written = out === undefined ? null : await writeNew(out, types)
      return { data: { types, written }, text: textOf(types, written) }
    } finally {
      await database.close()
    }
  },
}

async function proposeTypes(
  database: Database,
  options: OptionValues,
): Promise<readonly ProposedType[]> {
  const size = sampleSize(options)
  const wanted = textOption(options, 'collection')
  const all = await listForeignCollections(database)
  if (wanted !== undefined && !all.includes(wanted)) {
    throw new UsageError(`There is no collection ${wanted}`)
  }
  const names = nameTypes(all)
  const types: ProposedType[] = []
  for (const collection of wanted === undefined ? all : [wanted]) {
    const sample = await sampleCollection(database, collection, size)
    const findTarget = targetsAmong(database, wanted === undefined ? all : [wanted], names)
    types.push(await proposeType(sample, names.get(collection) ?? collection, findTarget))
  }
  return types
}

function sampleSize(options: OptionValues): number {
  const given = textOption(options, 'sample')
  const size = given === undefined ? USUAL_SAMPLE : Number(given)
  if (Number.isInteger(size) && size > 0 && size <= LARGEST_SAMPLE) return size
  throw new UsageError(`--sample: expected a number from 1 to ${LARGEST_SAMPLE}`)
}

/** A reference leads to a collection that has most of the ids of its sample. */
function targetsAmong(
  database: Database,
  collections: readonly string[],
  names: ReadonlyMap<string, string>,
): FindTarget {
  return async (profile: FieldProfile) => {
    const ids = [...profile.references.values()]
    if (ids.length === 0 || isShortText(profile)) return null
    for (const collection of collections.slice(0, MAX_CANDIDATES)) {
      const found = await countIds(database, collection, ids)
      if (found < Math.max(1, ids.length * LEAST_FOUND)) continue
      const { kind } = await findIdKind(database, collection)
      const name = names.get(collection)
      if (kind !== null && name !== undefined) return `api::${name}.${name}`
    }
    return null
  }
}

const LEAST_FOUND = 0.8

/** A single text is no evidence. */
function isShortText({ kinds, references }: FieldProfile): boolean {
  return kinds.has('text') && references.size < 2
}

async function writeNew(
  folder: string,
  types: readonly ProposedType[],
): Promise<readonly string[]> {
  const files = types.flatMap((type) => Object.entries(type.files))
  const taken = await Promise.all(files.map(([file]) => exists(join(folder, file))))
  const [first] = files.filter((_, index) => taken[index] === true)
  if (first !== undefined) throw new UsageError(`${join(folder, first[0])} exists already`)
  for (const [file, declaration] of files) {
    const path = join(folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${JSON.stringify(declaration, null, 2)}\n`, { flag: 'wx' })
  }
  return files.map(([file]) => join(folder, file))
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}

function textOf(types: readonly ProposedType[], written: readonly string[] | null): string {
  if (types.length === 0) return 'There are no collections.'
  const parts = types.map(({ collection, singularName, documents, fields, indexes, leftOut }) => {
    const rows = fields.map(({ path, type, given, fitting, reason = '' }) => {
      return [path, type, `${fitting} of ${given}`, reason]
    })
    return [
      `${collection} as ${singularName}, ${documents} documents read`,
      formatTable(['FIELD', 'TYPE', 'FITS', 'VALUES'], rows),
      `indexes: ${indexes.join('; ')}`,
      ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
      '',
    ].join('\n')
  })
  const end =
    written === null
      ? 'Write the files with --out FOLDER.'
      : `Written: ${written.length} files. Read them before you start the server.`
  return [...parts, end].join('\n')
}
