import { contentAction } from '../../people/access/actions.ts'
import { mayIn } from '../../people/access/permissions.ts'
import { type Principal, rulesFor } from '../../people/access/principal.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import { ruledReads } from '../../people/access/ruled-reads.ts'
import { originOf as originOfPrincipal } from '../../people/access/writing-for.ts'
import type { Config } from '../../base/config/config.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import type { Writer, WriteRequest } from '../../content/write-target.ts'
import { type AnswerSize, measureAnswer } from '../../query/answer-size.ts'
import type { EntryFormat, LocaleRules, QueryRules } from '../../query/query.ts'
import { withDefaultPopulate } from '../../query/populate/default-populate.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { readQuery } from '../body/read-request.ts'
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
    readable: ruledReads(principal),
    mayReadDrafts: mayReadDraftsOf(principal, locales),
    components: schema.components,
    contentTypes: schema.contentTypes,
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
    answer: answerOf(ctx, api),
    ...(ctx.state.addresses !== undefined && { addresses: ctx.state.addresses }),
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
  return mayIn(principal, action, codes) || rulesFor(principal, action).length > 0
}

export function answerOf({ state }: Context, { answer }: Config['api']): AnswerSize {
  state.answer ??= measureAnswer(answer)
  return state.answer
}

export function readPopulated(
  { querystring }: Pick<Context, 'querystring'>,
  plan: ContentTypePlan,
): Data {
  return withDefaultPopulate(readQuery(querystring), plan)
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
  const rules = writeRulesOf(principal)
  return {
    mayRead: (uid) => {
      const action = contentAction({ uid }, 'find')
      return mayIn(principal, action, [locale]) || rulesFor(principal, action).length > 0
    },
    maySeePrivate: (file) => maySeePrivateFile(principal, file),
    locale,
    ...(rules !== undefined && { rules }),
  }
}

export function readOriginOf({ state, res }: Context): WriteRequest['origin'] {
  return originOfPrincipal(state.principal, state.requestId, callerOf(res))
}
