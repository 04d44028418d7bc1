import { type Fault, fault, validationError } from '../../base/errors.ts'
import { type FileType, findFileTypes } from '../../media/find-file-types.ts'
import { type MediaKind, mediaKindOf } from '../../media/media-types.ts'
import { findReferencePaths } from '../../mongo/read/reference-paths.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import type { ExistingDocuments } from '../../mongo/write/find-existing.ts'
import { FILE_UID, type Uid } from '../../schema/definition.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteTarget } from '../write-target.ts'
import type { DocumentChange } from './relation-change.ts'
import { type DocumentChanges, namedTargets, type RelationInput } from './relation-input.ts'

export interface Attaching {
  readonly target: WriteTarget
  readonly inputs: readonly RelationInput[]
  /** Whether the document is created, so that it holds no file yet. */
  readonly isNew: boolean
}

type FileTypes = ReadonlyMap<string, FileType>

/** Removes private files that the writer cannot see, so that they are reported as missing. */
export async function lookUpFiles(
  context: DocumentContext,
  attaching: Attaching,
  existing: ReadonlyMap<Uid, ExistingDocuments>,
): Promise<{
  readonly files: FileTypes
  readonly existing: ReadonlyMap<Uid, ExistingDocuments>
}> {
  const named = namedTargets(attaching.inputs).get(FILE_UID)
  const found = existing.get(FILE_UID)
  if (named === undefined || found === undefined) return { files: new Map(), existing }
  const byId = [...named.ids].flatMap((id) => found.byId.get(id) ?? [])
  const documentIds = [...new Set([...named.documentIds, ...byId])]
  const plan = context.contentType(FILE_UID)
  const looked = context.targets?.fileTypes(plan, documentIds)
  const files = await (looked ?? findFileTypes(context.database, plan, documentIds))
  const hidden = new Set<string>()
  for (const documentId of documentIds) {
    if (maySee(attaching.target, files.get(documentId))) continue
    const attributes = attributesNaming(attaching.inputs, documentId, found)
    if (!(await isHeldBy(context, attaching, attributes, documentId))) hidden.add(documentId)
  }
  if (hidden.size === 0) return { files, existing }
  return { files, existing: new Map([...existing, [FILE_UID, without(found, hidden)]]) }
}

function maySee({ writer, isTrusted }: WriteTarget, file: FileType | undefined): boolean {
  if (file?.private !== true || isTrusted === true) return true
  return writer.maySeePrivate?.(file) === true
}

function without(
  { documentIds, byId }: ExistingDocuments,
  hidden: ReadonlySet<string>,
): ExistingDocuments {
  return {
    documentIds: new Set([...documentIds].filter((one) => !hidden.has(one))),
    byId: new Map([...byId].filter(([, documentId]) => !hidden.has(documentId))),
  }
}

function attributesNaming(
  inputs: readonly RelationInput[],
  documentId: string,
  { byId }: ExistingDocuments,
): readonly string[] {
  const naming = inputs.filter((input) => {
    const named = namedTargets([input]).get(FILE_UID)
    const ids = [...(named?.ids ?? [])].map((id) => byId.get(id))
    return named?.documentIds.has(documentId) === true || ids.includes(documentId)
  })
  return [...new Set(naming.map(({ path }) => path[0] ?? ''))]
}

/** Whether all of these attributes of the document hold the file, in any version. */
async function isHeldBy(
  { database }: DocumentContext,
  { target: { plan, documentId }, isNew }: Attaching,
  attributes: readonly string[],
  file: string,
): Promise<boolean> {
  if (isNew) return false
  const paths = findReferencePaths(FILE_UID, plan)
  for (const attribute of attributes) {
    const own = paths.filter(({ field }) => field.split('.', 1)[0] === attribute)
    if (own.length === 0) return false
    const held = await versionsOf(database, plan).findOne(
      { documentId, $or: own.map(({ path }) => ({ [path]: file })) },
      { projection: { _id: 1 } },
    )
    if (held === null) return false
  }
  return attributes.length > 0
}

/** @throws ValidationError for a kind that the attribute does not allow, and for private files outside of `privateFiles` */
export async function assertAttachable(
  context: DocumentContext,
  attaching: Attaching,
  files: FileTypes,
  changes: DocumentChanges,
): Promise<void> {
  const added = attaching.inputs.flatMap((input) =>
    addedBy(changes.get(input.path.join('.'))).flatMap((documentId) => {
      const file = files.get(documentId)
      return file === undefined ? [] : [{ input, documentId, file }]
    }),
  )
  const faults: Fault[] = []
  for (const { input, documentId, file } of added) {
    const kind = kindFault(input, documentId, file)
    if (kind !== null) faults.push(kind)
    const privacy = privacyFault(input, documentId, file)
    if (privacy === null || attaching.target.isTrusted === true) continue
    const isHeld = await isHeldBy(context, attaching, input.path.slice(0, 1), documentId)
    if (!isHeld) faults.push(privacy)
  }
  const [first, ...others] = faults
  if (first !== undefined) throw validationError([first, ...others])
}

function kindFault(
  { path, attribute }: RelationInput,
  documentId: string,
  file: FileType,
): Fault | null {
  if (attribute.kind !== 'media' || attribute.allowedTypes === null) return null
  const allowed = attribute.allowedTypes
  const kind: MediaKind = mediaKindOf(file.mime)
  if (allowed.includes(kind)) return null
  const message = `${path.join('.')} takes ${allowed.join(', ')}, and ${file.name} is ${file.mime}`
  return fault(path, message, documentId, { code: 'media.type', params: { allowed } })
}

function privacyFault(
  { path, attribute }: RelationInput,
  documentId: string,
  { name, private: isPrivate = false }: FileType,
): Fault | null {
  const takesPrivate = attribute.kind === 'media' && attribute.privateFiles
  const targetsFiles = attribute.kind === 'media' || attribute.targetUid === FILE_UID
  if (!targetsFiles || takesPrivate === isPrivate) return null
  const label = path.join('.')
  return isPrivate
    ? fault(path, `${label} takes public files only, and ${name} is private`, documentId, {
        code: 'media.private',
      })
    : fault(path, `${label} takes private files only, and ${name} is public`, documentId, {
        code: 'media.public',
      })
}

function addedBy(change: DocumentChange | undefined): readonly string[] {
  if (change === undefined) return []
  return change.kind === 'set' ? change.targets : change.connect.map(({ target }) => target)
}
