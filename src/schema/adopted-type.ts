import { ForbiddenError } from '../base/errors.ts'
import type { ContentTypePlan } from './plan.ts'

type Named = Pick<ContentTypePlan, 'singularName' | 'adopted'>

export function readOnlyType({ singularName }: Named): ForbiddenError {
  const message = `${singularName} is only read here: another service writes its collection`
  return new ForbiddenError(message, {}, { code: 'read_only_type' })
}

/** @throws ForbiddenError for a type whose collection other services write */
export function assertManaged(plan: Named): void {
  if (plan.adopted !== undefined) throw readOnlyType(plan)
}
