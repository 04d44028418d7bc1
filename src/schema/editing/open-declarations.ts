import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Fault, fault, PreconditionFailedError, validationError } from '../../base/errors.ts'
import { type LocatedFault, SchemaError } from '../schema-error.ts'
import { BUILT_IN_TYPES } from '../built-in-types.ts'
import { checkDefinitions } from '../check/check.ts'
import { declarationFault } from '../check/declaration-fault.ts'
import type { DeclarationFile, Definitions, Uid } from '../definition.ts'
import { findLayout, loadDefinitions } from '../load.ts'
import { declarationText } from './declaration-text.ts'
import { newPlaceOf } from './new-place.ts'
import { replaceFiles } from './replace-files.ts'

export interface DeclaredFile {
  readonly uid: Uid
  readonly kind: 'contentType' | 'component'
  readonly content: unknown
}

export interface DeclaredFiles {
  readonly revision: string
  /** The revision that this process was started with, or null if it could not be read. */
  readonly running: string | null
  readonly files: readonly DeclaredFile[]
}

export type DeclarationChanges = ReadonlyMap<Uid, object | null>

/** @throws SchemaError for definitions that the next start would refuse */
export type AssessDefinitions = (definitions: Definitions) => unknown

export interface Declarations {
  read(): Promise<DeclaredFiles>
  /** Writes all differences or none. @throws ValidationError, PreconditionFailedError for another revision */
  change(
    changes: DeclarationChanges,
    matches: (revision: string) => boolean,
  ): Promise<DeclaredFiles>
  /** Writes nothing, and returns the result of the assessment. @throws like `change` */
  plan(changes: DeclarationChanges, matches: (revision: string) => boolean): Promise<unknown>
}

/** Call this at startup, while the files are those that the process has read. */
export function openDeclarations(folder: string, assess: AssessDefinitions): Declarations {
  const running = loadDefinitions(folder).then(revisionOf, () => null)
  const read = async (): Promise<DeclaredFiles> => {
    const files = await loadDefinitions(folder)
    return {
      revision: revisionOf(files),
      running: await running,
      files: files.flatMap(toDeclaredFiles),
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    read,
    plan: async (changes, matches) => {
      return (await prepare(folder, { changes, matches, assess })).assessed
    },
    change: (changes, matches) => {
      const changed = last.then(async () => {
        await write(await prepare(folder, { changes, matches, assess }))
        return read()
      })
      last = changed.catch(() => undefined)
      return changed
    },
  }
}

interface RequestedChange {
  readonly changes: DeclarationChanges
  readonly matches: (revision: string) => boolean
  readonly assess: AssessDefinitions
}

interface PreparedChange {
  readonly root: string
  readonly differing: readonly DeclarationFile[]
  readonly assessed: unknown
}

async function prepare(
  folder: string,
  { changes, matches, assess }: RequestedChange,
): Promise<PreparedChange> {
  const before = await loadDefinitions(folder)
  const current = revisionOf(before)
  if (!matches(current)) {
    throw new PreconditionFailedError('The declarations have changed in the meantime', current)
  }
  const layout = await findLayout(folder)
  const places = new Map<Uid, DeclarationFile>()
  for (const [uid, content] of changes) {
    const there = before.find((file) => file.uid === uid && file.kind !== 'query')
    const place = there ?? newPlaceOf(layout, uid, content)
    places.set(uid, { file: place.file, kind: place.kind, uid, content })
  }
  const kept = before.filter(({ uid, kind }) => kind === 'query' || !changes.has(uid))
  const added = [...places.values()].filter(({ content }) => content !== null)
  assertNames(added)
  const assessed = await assessFiles([...kept, ...added], assess)
  const differing = [...places.values()].filter(({ uid, content }) => {
    const there = before.find((file) => file.uid === uid && file.kind !== 'query')
    return content === null ? there !== undefined : !isSame(content, there)
  })
  return { root: layout.root, differing, assessed }
}

async function write({ root, differing }: PreparedChange): Promise<void> {
  await replaceFiles(
    root,
    differing.map(({ file, content }) => ({
      file,
      text: content === null ? null : declarationText(content),
    })),
  )
}

function isSame(content: unknown, there: DeclarationFile | undefined): boolean {
  return (
    there?.fault === undefined &&
    isDeepStrictEqual(content, there?.content) &&
    JSON.stringify(content) === JSON.stringify(there?.content)
  )
}

/** The uid must match the name in the content, because collection and URL paths derive from that name. */
function assertNames(files: readonly DeclarationFile[]): void {
  const faults = files.flatMap(({ kind, uid, content }): readonly Fault[] => {
    if (kind !== 'contentType' || !uid.startsWith('api::')) return []
    const { info } = content as { readonly info?: { readonly singularName?: unknown } | null }
    const name = uid.slice(uid.lastIndexOf('.') + 1)
    const given = info?.singularName ?? name
    if (given === name) return []
    const { problem, reason } = declarationFault('', 'declare.singularName', { name })
    return [fault([uid, 'info', 'singularName'], problem, given, reason)]
  })
  throwFaults(faults)
}

async function assessFiles(
  files: readonly DeclarationFile[],
  assess: AssessDefinitions,
): Promise<unknown> {
  try {
    return await assess(checkDefinitions(files, BUILT_IN_TYPES))
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const { located, faults } = error
    throwFaults(located.map((one) => faultOf(one, files)))
    throwFaults(faults.map(storedFault))
    throw error
  }
}

function storedFault(sentence: string): Fault {
  const { problem, reason } = declarationFault('', 'declare.stored', { name: sentence })
  return fault([], problem, undefined, reason)
}

function faultOf(
  { file, path, sentence, reason }: LocatedFault,
  files: readonly DeclarationFile[],
): Fault {
  const uids = files.filter((one) => one.file === file).map(({ uid }) => uid)
  const keys = path === '' ? [] : path.split('.')
  return fault([...uids.slice(0, 1), ...keys], sentence, undefined, reason)
}

function throwFaults([first, ...rest]: readonly Fault[]): void {
  if (first !== undefined) throw validationError([first, ...rest])
}

function revisionOf(files: readonly DeclarationFile[]): string {
  const known = files.map(({ file, kind, uid, content, fault = null }) => {
    return [file, kind, uid, content, fault]
  })
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32)
}

function toDeclaredFiles({ uid, kind, content }: DeclarationFile): readonly DeclaredFile[] {
  return kind === 'query' ? [] : [{ uid, kind, content }]
}
