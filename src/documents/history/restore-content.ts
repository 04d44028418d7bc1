import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { ValidationError } from '../../errors.ts'
import type { Data } from '../../schema/definition.ts'
import { withoutLost } from '../payload/existing-references.ts'
import type { DocumentContext } from '../context.ts'
import { updateDocument } from '../write/update-document.ts'
import type { WriteTarget } from '../write-target.ts'

/**
 * Writes what a version was into its draft (into the entry of a type without drafts), as any write does: checked, and
 * under the condition of `target`. `only` names the attributes; null restores all that are declared now. Documents and
 * files that are gone are left out of it, and components are new ones with what they held.
 * @throws ValidationError for an attribute that is not among the content, and what the content-type does not allow
 */
export async function restoreContent(
  context: DocumentContext,
  target: WriteTarget,
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
