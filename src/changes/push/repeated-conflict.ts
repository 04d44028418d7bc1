import { isRefusal } from '../../base/is-refusal.ts'
import type { DocumentContext } from '../../content/context.ts'
import { principalWriteRules } from '../../content/rules/principal-rules.ts'
import type { Writer } from '../../content/write-target.ts'
import { getWholeVersion } from '../../mongo/read/get-versions.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { SignedInUser } from '../../people/access/principal.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Attributes } from './merge-patch.ts'
import { withAliases } from './pushed-names.ts'
import { isStoredVisible, rowValues } from './pushed-type.ts'
import type { Mutation } from './push-request.ts'

interface Reading {
  readonly documents: DocumentContext
  readonly types: ReadonlyMap<string, ContentTypePlan>
  readonly principal: SignedInUser
}

interface Place {
  readonly key: VersionKey
  readonly attributes: Attributes
  readonly writer: Writer
}

interface Theirs {
  readonly theirs: Data | null
  readonly revision: string | null
}

const NONE: Theirs = { theirs: null, revision: null }

/** Reads the current values of a conflict again. Null if the caller may not read them any more. */
export async function readTheirs(
  { documents, types, principal }: Reading,
  { type, documentId }: Mutation,
  names: readonly string[],
  placeOf: (plan: ContentTypePlan) => Place,
): Promise<Theirs> {
  const plan = types.get(type)
  if (plan === undefined) return NONE
  try {
    const { key, attributes, writer } = placeOf(plan)
    const stored = await getWholeVersion(documents.database, plan, documentId, key, undefined)
    const reader = { documents, rules: principalWriteRules(principal) }
    if (stored === null || !(await isStoredVisible(reader, plan, stored, writer.locale))) {
      return NONE
    }
    const asked = names.map((name) => plan.members.get(name)?.aliasOf ?? name)
    const shown = new Map(
      [...attributes].filter(([name]) => asked.length === 0 || asked.includes(name)),
    )
    return {
      theirs: withAliases(plan, await rowValues(reader, plan, shown, stored)),
      revision: revisionOf(stored),
    }
  } catch (error) {
    if (isRefusal(error)) return NONE
    throw error
  }
}
