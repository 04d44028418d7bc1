import { ForbiddenError } from '../base/errors.ts'
import { readOnlyType } from './adopted-type.ts'
import type { AdoptedPlan, ContentTypePlan } from './plan.ts'

type Named = Pick<ContentTypePlan, 'singularName' | 'adopted'>

/** Whether the declaration permits writes that the database cannot do without loss: it shows no changes of the collection. */
export function isWriteRefused({ adopted }: Pick<ContentTypePlan, 'adopted'>): boolean {
  return adopted?.declaresWrites === true && !adopted.isWritable
}

export type AdoptedVerb = 'create' | 'update' | 'delete'

/** Other verbs need drafts, which adopted types do not have. Texts and numbers as ids come from the other service. */
export function adoptedVerbs({ isWritable, idKind }: AdoptedPlan): readonly AdoptedVerb[] {
  if (!isWritable) return []
  const makesIds = idKind === 'objectId' || idKind === 'uuid'
  return makesIds ? ['create', 'update', 'delete'] : ['update', 'delete']
}

/** For verbs that change entries. */
export function isWritable({ adopted }: Pick<ContentTypePlan, 'adopted'>, verb: string): boolean {
  return adopted === undefined || (adoptedVerbs(adopted) as readonly string[]).includes(verb)
}

/** @throws ForbiddenError for a type that is only read, and for entries that the server cannot create */
export function assertTypeWritable(plan: Named, verb: string): void {
  const { singularName, adopted } = plan
  if (isWritable(plan, verb)) return
  if (adopted?.isWritable !== true) throw readOnlyType(plan)
  const message =
    verb === 'create'
      ? `${singularName} has ids that only another service makes: entries cannot be created here`
      : `${singularName} has no drafts, because another service writes its collection`
  throw new ForbiddenError(message, {}, { code: 'read_only_type' })
}
