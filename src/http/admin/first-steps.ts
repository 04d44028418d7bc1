import type { Access } from '../../people/access/access.ts'
import { contentAction, type ContentVerb, pluginAction } from '../../people/access/actions.ts'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { may } from '../../people/access/permissions.ts'
import { PUBLIC_ROLE } from '../../people/access/role-rows.ts'
import { mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { countEntries } from '../../content/read/overview.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { contentPlans, type EditorContentDependencies } from '../content/editor-content.ts'
import type { Context } from '../router/state.ts'
import { meOf } from './me-routes.ts'

export interface FirstStepSources extends EditorContentDependencies {
  readonly administrators: AdministratorsContext
  readonly access: Pick<Access, 'apiTokens' | 'roles'>
  readonly editableTypes: boolean
}

export interface FirstStep {
  readonly step: 'type' | 'entry' | 'publish' | 'app' | 'media'
  readonly done: boolean
}

/** The preference of administrators who put the steps away. */
export const FIRST_STEPS = 'firstSteps'

const SHOWN = 3
const FILES = { locale: NO_LOCALE, status: 'published' } as const

/** The first steps of a new administrator. Empty if they are done or put away. */
export async function firstSteps(
  ctx: Context,
  sources: FirstStepSources,
  mine: readonly { readonly state: string }[],
): Promise<readonly FirstStep[]> {
  const { preferences } = sources.administrators
  if ((await preferences.all(meOf(ctx).id))[FIRST_STEPS] === 'away') return []
  const shown: FirstStep[] = []
  for (const { step, isOffered, isDone } of STEPS) {
    if (shown.length === SHOWN) break
    if (isOffered(ctx, sources)) shown.push({ step, done: await isDone(sources, mine) })
  }
  return shown.every(({ done }) => done) ? [] : shown
}

interface Step extends Pick<FirstStep, 'step'> {
  readonly isOffered: (ctx: Context, sources: FirstStepSources) => boolean
  readonly isDone: (
    sources: FirstStepSources,
    mine: readonly { readonly state: string }[],
  ) => boolean | Promise<boolean>
}

const STEPS: readonly Step[] = [
  {
    step: 'type',
    isOffered: ({ state }, { editableTypes, schema }) =>
      editableTypes &&
      contentPlans(schema).length === 0 &&
      may(state.principal, administratorAction('admin::declarations', 'update')),
    isDone: () => false,
  },
  {
    step: 'entry',
    isOffered: (ctx, sources) => mayInAnyType(ctx, sources, 'create'),
    isDone: (_, mine) => mine.length > 0,
  },
  {
    step: 'publish',
    isOffered: (ctx, sources) => mayInAnyType(ctx, sources, 'publish'),
    isDone: (_, mine) => mine.some(({ state }) => state !== 'draft'),
  },
  {
    step: 'app',
    isOffered: ({ state }) =>
      may(state.principal, administratorAction('admin::api-tokens', 'create')),
    isDone: ({ access }) => isOpenToApps(access),
  },
  {
    step: 'media',
    isOffered: ({ state }) =>
      may(state.principal, pluginAction('plugin::upload.content-api', 'upload')),
    isDone: async ({ documents: { database, contentType } }) =>
      (await countEntries(database, contentType('plugin::upload.file'), FILES)) > 0,
  },
]

function mayInAnyType(
  { state: { principal } }: Context,
  { schema }: FirstStepSources,
  verb: ContentVerb,
): boolean {
  return contentPlans(schema).some(
    (plan) =>
      (verb !== 'create' || plan.kind === 'collectionType') &&
      (verb !== 'publish' || plan.draftAndPublish) &&
      mayUnderRule(principal, contentAction(plan, verb)),
  )
}

/** A token exists, or everybody may read content. */
async function isOpenToApps({ apiTokens, roles }: FirstStepSources['access']): Promise<boolean> {
  if ((await apiTokens.list()).length > 0) return true
  const { permissions, rules = [] } = await roles.get(PUBLIC_ROLE)
  return [...permissions, ...rules.map(({ action }) => action)].some((action) =>
    action.startsWith('api::'),
  )
}
