import { findFileTypes } from '../../media/find-file-types.ts'
import { type Data, FILE_UID } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { Writer } from '../write-target.ts'
import { collectRelationChanges } from './component-values.ts'
import { findHiddenTargets } from './hidden-targets.ts'
import { namedTargets } from './relation-input.ts'

/** The documentIds of private files and entries under a rule that the writer cannot see. */
export async function findHiddenReferences(
  context: DocumentContext,
  { plan, writer }: { readonly plan: ContentTypePlan; readonly writer: Writer },
  data: Data,
): Promise<ReadonlySet<string>> {
  const inputs = collectRelationChanges(plan, data)
  const targets = await findHiddenTargets(context, writer, inputs)
  const named = namedTargets(inputs).get(FILE_UID)?.documentIds ?? []
  const files = await findFileTypes(context.database, context.contentType(FILE_UID), [...named])
  const unseen = [...files].filter(
    ([, file]) => file.private === true && writer.maySeePrivate?.(file) !== true,
  )
  const entries = [...targets.values()].flatMap((ids) => [...ids].map(String))
  return new Set([...entries, ...unseen.map(([documentId]) => documentId)])
}
