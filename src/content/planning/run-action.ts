import { contentAction } from '../../people/access/actions.ts'
import { assertMayIn, mayIn } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import { publishInside, unpublishInside } from '../write/publish-document.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { ActionLocales } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { PlannedAction } from './planned-action.ts'
import type { PlanningContext } from './planning.ts'

export interface ActionOn {
  readonly action: PlannedAction
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locales: ActionLocales
}

/** @throws ForbiddenError */
export function assertMayAct(
  principal: Principal,
  { plan, locales }: Omit<ActionOn, 'action'>,
): void {
  assertMayIn(principal, contentAction(plan, 'publish'), plan.localized ? locales.locales : [])
}

/** @throws like `publishDocument` */
export async function runAction(
  { documents, locales: known }: Pick<PlanningContext, 'documents' | 'locales'>,
  principal: Principal,
  { action, plan, documentId, locales }: ActionOn,
  session: Session,
): Promise<void> {
  const { defaultCode } = await known.current()
  const [first = ''] = locales.locales
  const locale = plan.localized ? first : defaultCode
  const writer = {
    mayRead: (uid: string) => mayIn(principal, contentAction({ uid }, 'find'), [locale]),
    locale,
  }
  const run = action === 'publish' ? publishInside : unpublishInside
  await run(documents, { plan, documentId, locales, writer }, session)
}
