import type { Access } from '../../people/access/access.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { ruledAdministrator } from '../../people/administrators/principals.ts'
import type { DocumentContext } from '../context.ts'
import { because, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { Locales } from '../locales/locales.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'

export interface PlanningContext {
  readonly documents: DocumentContext
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly access: Pick<Access, 'ruledPrincipalOfAuthor'>
  readonly administrators: AdministratorsContext
  readonly locales: Pick<Locales, 'current'>
  readonly now: () => Date
}

/** @throws NotFoundError */
export function publishablePlan(
  { schema }: Pick<PlanningContext, 'schema'>,
  uid: string,
): ContentTypePlan {
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan?.draftAndPublish !== true) {
    throw new NotFoundError(`There is no content-type ${uid} with draft & publish`)
  }
  return plan
}

/** Uses the current permissions and rules. @throws ForbiddenError if the author was deleted */
export async function principalNow(
  { access, administrators }: Pick<PlanningContext, 'access' | 'administrators'>,
  by: Author,
): Promise<Principal> {
  const principal =
    by.kind === 'administrator'
      ? await ruledAdministrator(administrators, String(by.id))
      : await access.ruledPrincipalOfAuthor(by)
  if (principal === null) {
    const message = 'The author of this schedule no longer exists'
    throw new ForbiddenError(message, {}, because(message, 'schedule.author'))
  }
  return principal
}
