import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ApplicationError, CmsError, shownName, ValidationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import { detectType, HEAD_BYTES } from '../../media/detect-type.ts'
import { FILE_INFO_KEYS, type FileInfo, parseFileInfos } from '../../media/file-info.ts'
import { type FileRecord, findFileRecords } from '../../media/file-records.ts'
import { mergeTranslations } from '../../media/file-translations.ts'
import type { FileType } from '../../media/find-file-types.ts'
import { documentIdFor } from '../../mongo/versions/document-id.ts'
import type { Data } from '../../schema/definition.ts'
import { findFileWithin } from '../file-within.ts'
import type { FileStore } from '../file-store.ts'
import { mapLines } from './map-lines.ts'

export interface FileCounts {
  readonly added: number
  readonly updated: number
  readonly unchanged: number
}

export interface FileReferencesOptions {
  /** Paths are relative to this folder. Null for standard input, which has none. */
  readonly folder: string | null
  readonly store: FileStore | null
  readonly maxFileBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface FileReferences {
  /** Replaces files with a `path` by their documentIds, and stores the missing ones. */
  resolve(run: BulkRun, lines: readonly SentLine[]): Promise<readonly SentLine[]>
  counts(): FileCounts
}

const FILE_UID = 'plugin::upload.file'
const UNKNOWN_TYPE = 'application/octet-stream'
/** Images are converted in other processes, so a few uploads overlap. */
const CONCURRENCY = 4
const KEYS: readonly string[] = ['path', ...FILE_INFO_KEYS]

interface FileReference {
  readonly path: string
  readonly info: FileInfo
}

interface LocalFile {
  /** As in the reference. */
  readonly path: string
  readonly file: string
  readonly documentId: string
}

type Outcome = keyof FileCounts

interface FileState {
  readonly local: LocalFile
  info: FileInfo
  stored: FileInfo | null
  outcome: Outcome
}

interface KnownFiles {
  readonly byPath: Map<string, LocalFile | CmsError>
  readonly byDocumentId: Map<string, FileState>
}

/** A second run finds the files of the first, because the documentId is derived from the bytes. */
export function openFileReferences(options: FileReferencesOptions): FileReferences {
  const known: KnownFiles = { byPath: new Map(), byDocumentId: new Map() }
  return {
    resolve: async (run, lines) => {
      const references = referencesIn(run, lines)
      if (references.length === 0) return lines
      const used = new Set<FileState>()
      for (const reference of references) {
        const state = await stateOf(reference, known, options)
        if (state !== null) used.add(state)
      }
      await storeAll(run, [...used], options)
      return mapLines(lines, run.rules.types, {
        media: (_attribute, value) =>
          mapFiles(value, (one) => documentIdOf(parseReference(one, run.rules), known)),
      })
    },
    counts: () => countOutcomes(known.byDocumentId.values()),
  }
}

async function stateOf(
  { path, info }: FileReference,
  { byPath, byDocumentId }: KnownFiles,
  options: FileReferencesOptions,
): Promise<FileState | null> {
  const local = byPath.get(path) ?? (await readLocalFile(path, options))
  byPath.set(path, local)
  if (local instanceof CmsError) return null
  const state = byDocumentId.get(local.documentId) ?? newState(local)
  byDocumentId.set(local.documentId, state)
  state.info = { ...info, ...state.info }
  return state
}

function newState(local: LocalFile): FileState {
  return { local, info: {}, stored: null, outcome: 'unchanged' }
}

function documentIdOf({ path, info }: FileReference, { byPath, byDocumentId }: KnownFiles): string {
  const local = byPath.get(path)
  if (local === undefined) throw new Error(`${path} was not read`)
  if (local instanceof CmsError) throw local
  const state = byDocumentId.get(local.documentId)
  for (const key of keysIn(info)) {
    if (isDeepStrictEqual(info[key], state?.info[key])) continue
    throw fileFault(`${path}: another line gives this file another ${key}`)
  }
  return local.documentId
}

function keysIn(info: FileInfo): readonly (keyof FileInfo)[] {
  return FILE_INFO_KEYS.filter((key) => info[key] !== undefined)
}

async function storeAll(
  run: BulkRun,
  states: readonly FileState[],
  options: FileReferencesOptions,
): Promise<void> {
  const changed = states.filter(({ info, stored }) => !isDeepStrictEqual(info, stored))
  const plan = run.context.contentType(FILE_UID)
  for (let from = 0; from < changed.length; from += CONCURRENCY) {
    if (options.signal?.aborted === true) return
    const part = changed.slice(from, from + CONCURRENCY)
    const documentIds = part.map(({ local }) => local.documentId)
    const records = await findFileRecords(run.context.database, plan, documentIds)
    await Promise.all(
      part.map((state) => storeFile(run, state, records.get(state.local.documentId), options)),
    )
  }
}

async function storeFile(
  { trial }: BulkRun,
  state: FileState,
  record: FileRecord | undefined,
  { store }: FileReferencesOptions,
): Promise<void> {
  const { info, local, stored } = state
  if (record === undefined) {
    if (stored === null) state.outcome = 'added'
    if (store === null) trial?.noteFile(local.documentId, await fileTypeOf(local, info))
    else await addFile(local, info, store)
  } else if (keysIn(info).some((key) => !isSameInfo(info, record, key))) {
    if (state.outcome === 'unchanged') state.outcome = 'updated'
    await store?.edit(record, info)
  }
  state.stored = info
}

/** Older records have no `private`. */
function isSameInfo(info: FileInfo, record: FileRecord, key: keyof FileInfo): boolean {
  if (key === 'private') return info.private === (record.private === true)
  if (key === 'translations') return isSameTranslations(info, record)
  return isDeepStrictEqual(info[key], record[key])
}

function isSameTranslations({ translations = {} }: FileInfo, record: FileRecord): boolean {
  const { translations: before = null } = record
  return isDeepStrictEqual(mergeTranslations(before, translations), before)
}

async function addFile(
  { path, file, documentId }: LocalFile,
  info: FileInfo,
  store: FileStore,
): Promise<void> {
  const record = { name: basename(path), mime: UNKNOWN_TYPE, ...info, documentId }
  try {
    await store.add(record, await readFile(file))
  } catch (error) {
    if (!(await store.has(documentId))) throw error // another run may have added it
  }
}

async function fileTypeOf({ path, file }: LocalFile, info: FileInfo): Promise<FileType> {
  const handle = await open(file)
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0)
    const name = info.name ?? basename(path)
    const { mime } = detectType(head.subarray(0, bytesRead), UNKNOWN_TYPE, name)
    return { name, mime, private: info.private === true }
  } finally {
    await handle.close()
  }
}

function countOutcomes(states: Iterable<FileState>): FileCounts {
  const counts = { added: 0, updated: 0, unchanged: 0 }
  for (const { outcome } of states) counts[outcome] += 1
  return counts
}

function referencesIn({ rules }: BulkRun, lines: readonly SentLine[]): readonly FileReference[] {
  const references: FileReference[] = []
  mapLines(lines, rules.types, {
    media: (_attribute, value) =>
      mapFiles(value, (one) => {
        references.push(parseReference(one, rules))
        return one
      }),
  })
  return references
}

function mapFiles(value: unknown, map: (one: Data) => unknown): unknown {
  const mapOne = (one: unknown): unknown => (isReference(one) ? map(one) : one)
  if (Array.isArray(value)) return (value as readonly unknown[]).map(mapOne)
  if (isReference(value)) return map(value)
  if (!isRecord(value)) return value
  const changed = ['set', 'connect'].flatMap((action) => {
    const targets = value[action]
    return targets === undefined ? [] : [[action, mapFiles(targets, map)] as const]
  })
  return { ...value, ...Object.fromEntries(changed) }
}

/** A file without a path and without an identity is probably an incomplete reference. */
function isReference(value: unknown): value is Data {
  if (!isRecord(value) || 'documentId' in value || 'id' in value) return false
  return 'path' in value || FILE_INFO_KEYS.some((key) => key in value)
}

function parseReference({ path, ...rest }: Data, { locales }: BulkRun['rules']): FileReference {
  assertKeys(Object.keys(rest), KEYS, 'a file')
  if (typeof path !== 'string' || path === '') {
    throw fileFault('A file needs a path, such as "img/a.png"')
  }
  const [info = {}] = parseFileInfos([rest], {
    locales,
    assertKeys,
  })
  return { path, info }
}

function assertKeys(keys: readonly string[], known: readonly string[], within: string): void {
  const unknown = keys.find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw fileFault(`Invalid key ${shownName(unknown)} of ${within}${didYouMean(unknown, known)}`)
}

async function readLocalFile(
  path: string,
  { folder, maxFileBytes }: FileReferencesOptions,
): Promise<LocalFile | CmsError> {
  if (folder === null) return fileFault(`${path}: standard input has no folder with files`)
  try {
    const file = await findFileWithin(folder, path.split('/'))
    const found = file === null ? null : await stat(file)
    if (file === null || found?.isFile() !== true) return fileFault(`There is no file ${path}`)
    if (found.size > maxFileBytes) return fileFault(`${path} has more than ${maxFileBytes} bytes`)
    return { path, file, documentId: documentIdFor(`file:${await hashOf(file)}`) }
  } catch (error) {
    if (error instanceof ApplicationError) return fileFault(error.message)
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return fileFault(`${path} cannot be read: ${code}`)
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

function fileFault(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'invalid_payload' })
}
