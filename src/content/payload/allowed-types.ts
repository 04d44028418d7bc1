import { type Fault, validationError, fault } from '../../base/errors.ts'
import { type MediaKind, mediaKindOf } from '../../media/media-types.ts'
import { findFileTypes } from '../../media/find-file-types.ts'
import type { DocumentContext } from '../context.ts'
import type { DocumentChange } from './relation-change.ts'
import type { DocumentChanges, RelationInput } from './relation-input.ts'

interface Placed {
  readonly path: readonly string[]
  readonly allowed: readonly string[]
  readonly documentIds: readonly string[]
}

/** @throws ValidationError */
export async function assertAllowedTypes(
  { database, contentType, targets }: DocumentContext,
  inputs: readonly RelationInput[],
  changes: DocumentChanges,
): Promise<void> {
  const placed = inputs.flatMap((input) => placedBy(input, changes.get(input.path.join('.'))))
  if (placed.length === 0) return
  const documentIds = [...new Set(placed.flatMap(({ documentIds }) => documentIds))]
  const files = contentType('plugin::upload.file')
  const found = targets?.fileTypes(files, documentIds)
  const types = await (found ?? findFileTypes(database, files, documentIds))
  const [first, ...others] = placed.flatMap(({ path, allowed, documentIds }): readonly Fault[] =>
    documentIds.flatMap((documentId) => {
      const file = types.get(documentId)
      const kind: MediaKind = mediaKindOf(file?.mime ?? '')
      if (file === undefined || allowed.includes(kind)) return []
      const message = `${path.join('.')} takes ${allowed.join(', ')}, and ${file.name} is ${file.mime}`
      return [fault(path, message, documentId, { code: 'media.type', params: { allowed } })]
    }),
  )
  if (first !== undefined) throw validationError([first, ...others])
}

function placedBy(
  { path, attribute }: RelationInput,
  change: DocumentChange | undefined,
): readonly Placed[] {
  if (attribute.kind !== 'media' || attribute.allowedTypes === null) return []
  const documentIds = change === undefined ? [] : addedBy(change)
  return documentIds.length === 0 ? [] : [{ path, allowed: attribute.allowedTypes, documentIds }]
}

function addedBy(change: DocumentChange): readonly string[] {
  return change.kind === 'set' ? change.targets : change.connect.map(({ target }) => target)
}
