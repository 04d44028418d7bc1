import type { ContentPlan, SyncedContent } from '@quire/client'
import { storedShape, storedType } from '../../../../src/describe/client-code/content-plan.ts'
import type { ContentTypePlan, Schema } from '../../../../src/schema/plan.ts'

/** The plan that `quire client ts` writes, without its types. */
export function contentPlanOf<C extends SyncedContent>({
  contentTypes,
  components,
}: Schema): ContentPlan<C> {
  const scope = { mayRead: () => true, nameOf: (uid: string) => uid }
  const nameOf = ({ uid, kind, singularName, pluralName }: ContentTypePlan): string | null => {
    if (uid === 'plugin::upload.file') return '$files'
    if (!uid.startsWith('api::')) return null
    return kind === 'singleType' ? singularName : pluralName
  }
  const types = [...contentTypes.values()].flatMap((plan) => {
    const name = nameOf(plan)
    return name === null ? [] : [[name, storedType(plan, scope, nameOf)] as const]
  })
  const shapes = [...components].map(
    ([uid, plan]) => [uid, storedShape(plan, scope, nameOf)] as const,
  )
  const plan: unknown = {
    types: Object.fromEntries<object>(types),
    components: Object.fromEntries<object>(shapes),
  }
  return plan as ContentPlan<C>
}
