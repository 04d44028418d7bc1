import { contentAction } from '../../people/access/actions.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import { type Principal, rulesFor } from '../../people/access/principal.ts'
import { mayInUnderRule } from '../../people/access/ruled-reads.ts'
import { publishInside, unpublishInside } from '../write/publish-document.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { writeRulesOf } from '../rules/principal-rules.ts'
import {
  type AddressedWrite,
  namedLocales,
  refuseHidden,
  seenLocales,
  underRules,
} from '../write-rules.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { ActionLocales } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { SeenVersions } from '../hooks/seen-versions.ts'
import type { PlannedAction } from './planned-action.ts'
import type { PlanningContext } from './planning.ts'

export interface ActionOn {
  readonly action: PlannedAction
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locales: ActionLocales
  readonly seen?: SeenVersions | undefined
}

/** Rules are applied by `runAction`. @throws ForbiddenError */
export function assertMayAct(
  principal: Principal,
  { plan, locales }: Omit<ActionOn, 'action'>,
): void {
  const action = contentAction(plan, 'publish')
  if (rulesFor(principal, action).length > 0) return
  assertMayIn(principal, action, plan.localized ? locales.locales : [])
}

/** @throws like `publishDocument` */
export async function runAction(
  { documents, locales: known }: Pick<PlanningContext, 'documents' | 'locales'>,
  principal: Principal,
  { action, plan, documentId, locales, seen }: ActionOn,
  session: Session,
): Promise<void> {
  const write = await plannedWrite({ locales: known }, { plan, documentId, locales })
  const { locale } = write
  const rules = writeRulesOf(principal)
  const writer = {
    mayRead: (uid: string) => mayInUnderRule(principal, contentAction({ uid }, 'find'), [locale]),
    maySeePrivate: (file: { readonly uploadedBy?: string | null }) =>
      maySeePrivateFile(principal, file),
    locale,
    ...(rules !== undefined && { rules }),
  }
  const run = action === 'publish' ? publishInside : unpublishInside
  const target = { plan, documentId, writer, ...(seen !== undefined && { seen }) }
  await underRules(documents, rules, write, async ({ guard }) => {
    await refuseHidden(documents, rules, write)
    const own = { ...target, locales: await seenLocales(documents, rules, write, locales) }
    await runGuarded(documents.database, guard, session, () => run(documents, own, session))
  })
}

async function plannedWrite(
  { locales: known }: Pick<PlanningContext, 'locales'>,
  { plan, documentId, locales }: Omit<ActionOn, 'action'>,
): Promise<AddressedWrite> {
  const { defaultCode } = await known.current()
  const [first = ''] = locales.locales
  const locale = plan.localized ? first : defaultCode
  return { plan, documentId, verb: 'publish', locale, locales: namedLocales(locales) }
}

/** The locales on which the action runs now. */
export async function actionLocales(
  context: Pick<PlanningContext, 'documents' | 'locales'>,
  principal: Principal,
  on: ActionOn,
): Promise<ActionLocales> {
  const write = await plannedWrite(context, on)
  return seenLocales(context.documents, writeRulesOf(principal), write, on.locales)
}
