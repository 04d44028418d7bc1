import { contentAction } from '../../people/access/actions.ts'
import { mayIn } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import { originOf as originOfPrincipal } from '../../people/access/writing-for.ts'
import type { Config } from '../../base/config/config.ts'
import type { Writer, WriteRequest } from '../../content/write-target.ts'
import { type AnswerSize, measureAnswer } from '../../query/answer-size.ts'
import type { EntryFormat, LocaleRules, QueryRules } from '../../query/query.ts'
import type { Schema } from '../../schema/plan.ts'
import { callerOf } from '../answer/hang-ups.ts'
import type { Context } from '../router/state.ts'

export interface RuleSources {
  readonly api: Config['api']
  readonly schema: Schema
}

export function rulesOf(
  ctx: Context,
  { api, schema }: RuleSources,
  locales: LocaleRules,
): QueryRules {
  const { principal } = ctx.state
  return {
    ...api,
    locales,
    mayRead: (uid) => maySee(principal, contentAction({ uid }, 'find'), locales),
    format: 'v5',
    mayReadDrafts: mayReadDraftsOf(principal, locales),
    components: schema.components,
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
    answer: answerOf(ctx, api),
  }
}

export function mayReadDraftsOf(
  principal: Principal,
  locales: LocaleRules,
): QueryRules['mayReadDrafts'] {
  return (uid) => maySee(principal, contentAction({ uid }, 'readDrafts'), locales)
}

/** An administrator with restricted locales needs the permission in every locale of the request. */
function maySee(principal: Principal, action: string, { all }: LocaleRules): boolean {
  const codes = principal.kind === 'administrator' ? all.map(({ code }) => code) : []
  return mayIn(principal, action, codes)
}

export function answerOf({ state }: Context, { answer }: Config['api']): AnswerSize {
  state.answer ??= measureAnswer(answer)
  return state.answer
}

export function entryRulesOf(ctx: Context, sources: RuleSources, locales: LocaleRules): QueryRules {
  return { ...rulesOf(ctx, sources, locales), format: formatOf(ctx) }
}

/** The header selects the previous format. Other values are ignored, as in the dialect. */
export function formatOf(ctx: Context): EntryFormat {
  return ctx.get('Strapi-Response-Format') === 'v4' ? 'v4' : 'v5'
}

export function writerOf(ctx: Context, { locale }: Pick<Writer, 'locale'>): Writer {
  const { principal } = ctx.state
  return { mayRead: (uid) => mayIn(principal, contentAction({ uid }, 'find'), [locale]), locale }
}

export function readOriginOf({ state, res }: Context): WriteRequest['origin'] {
  return originOfPrincipal(state.principal, state.requestId, callerOf(res))
}
