import { isRefusal } from '../../base/is-refusal.ts'
import type { DocumentContext } from '../../content/context.ts'
import { hooksOf } from '../../content/hooks/document-hooks.ts'
import { currentOrigin } from '../../mongo/connection/authorship.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

interface HookableVersion extends VersionKey {
  readonly documentId: string
  readonly data: Data
}

/** Versions with the same `data` object share one call. Refused versions are left out and reported. */
export async function hookVersions<V extends HookableVersion>(
  context: DocumentContext,
  plan: ContentTypePlan,
  versions: readonly V[],
  onRefused: (sentence: string) => void,
): Promise<readonly V[]> {
  const hooks = hooksOf(context, plan)
  if (hooks === null) return versions
  const origin = currentOrigin()
  const results = new Map<Data, Data | null>()
  for (const { documentId, data, locale, status } of versions) {
    if (results.has(data)) continue
    const key = { locale, status }
    const write = { plan, documentId, key, operation: 'create', origin, previous: null } as const
    try {
      results.set(data, await hooks.hookData(write, data, { fill: true, isTrusted: true }))
    } catch (error) {
      if (!isRefusal(error)) throw error
      results.set(data, null)
      onRefused(`${plan.uid} ${documentId}: ${error.message}`)
    }
  }
  return versions.flatMap((version) => {
    const data = results.get(version.data) ?? null
    return data === null ? [] : [{ ...version, data }]
  })
}
