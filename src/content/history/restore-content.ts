import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { withoutLost } from '../payload/existing-references.ts'
import type { DocumentContext } from '../context.ts'
import { updateDocument } from '../write/update-document.ts'
import type { WriteRequest } from '../write-target.ts'

/** Null selects all attributes. References to deleted documents are omitted. @throws ValidationError */
export async function restoreContent(
  context: DocumentContext,
  target: WriteRequest,
  content: Data,
  only: readonly string[] | null,
): Promise<StoredVersion> {
  const { plan } = target
  const unknown = (only ?? []).find((name) => content[name] === undefined)
  if (unknown !== undefined) {
    throw new ValidationError(
      `This revision has no attribute ${unknown}`,
      { path: 'attributes', key: unknown },
      { code: 'invalid_key' },
    )
  }
  const names = only ?? Object.keys(content)
  const chosen = Object.fromEntries(names.map((name) => [name, content[name]]))
  const { data } = await withoutLost(context, plan, chosen)
  return updateDocument(context, { ...target, isTrusted: true }, data)
}
