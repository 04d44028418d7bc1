import type { Config } from '../../base/config/config.ts'
import type {
  ActingAs,
  ActionAs,
  ContentQuery,
  WritingAs,
} from '../../extensions/content-service.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { assertMayIn, mayIn } from '../../people/access/permissions.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import { type Principal, readPreferenceOf } from '../../people/access/principal.ts'
import { measureAnswer } from '../../query/answer-size.ts'
import type { LocaleRules, QueryRules, Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { Locales } from '../locales/locales.ts'
import { writeRulesOf } from '../rules/principal-rules.ts'
import type { Writer } from '../write-target.ts'
import { findActing, type PrincipalSource } from './acting-principal.ts'
import { queryOfObject } from './query-of-object.ts'

export interface ServiceParts {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: () => Promise<Locales>
  readonly api: Config['api']
  readonly principals: () => Promise<PrincipalSource>
}

export interface ServiceCall {
  readonly parts: ServiceParts
  readonly plan: ContentTypePlan
  readonly principal: Principal
  readonly locales: LocaleRules
  readonly query: Data
  readonly rules: QueryRules
  readonly origin: WriteOrigin
  readonly writer: Writer
  readonly database: DocumentContext['database']
}

export interface CalledType {
  readonly parts: ServiceParts
  readonly plan: ContentTypePlan
  readonly origin: WriteOrigin
}

/** @throws ForbiddenError, and TypeError if the call names no principal */
export async function beginCall(
  { parts, plan, origin }: CalledType,
  verb: ContentVerb,
  given: ContentQuery,
  acting: ActingAs,
): Promise<ServiceCall> {
  const principal = await findActing(await parts.principals(), acting)
  const locales = await (await parts.locales()).current()
  const query = queryOfObject(given)
  const { defaultCode } = locales
  const locale = typeof query['locale'] === 'string' ? query['locale'] : defaultCode
  const codes = locale === '*' ? locales.all.map(({ code }) => code) : [locale]
  const own = writeRulesOf(principal)
  const call: ServiceCall = {
    parts,
    plan,
    principal,
    locales,
    query,
    origin,
    rules: rulesFor(parts, principal, locales),
    writer: {
      mayRead: (uid) => mayIn(principal, contentAction({ uid }, 'find'), codes),
      maySeePrivate: (file) => maySeePrivateFile(principal, file),
      locale: locales.has(locale) ? locale : defaultCode,
      ...(own !== undefined && { rules: own }),
    },
    database: parts.documents.database.reading(readPreferenceOf(principal)),
  }
  assertMayIn(principal, contentAction(plan, verb), plan.localized ? codes : [])
  return call
}

/** @throws ForbiddenError for drafts that the principal may not read */
export function assertMayShow({ plan, principal, writer }: ServiceCall, status: Status): void {
  if (status !== 'draft') return
  const codes = plan.localized ? [writer.locale] : []
  assertMayIn(principal, contentAction(plan, 'readDrafts'), codes)
}

export function writtenVersion({ locale, status }: WritingAs): ContentQuery {
  return { locale, status }
}

export function actedLocale({ locale }: ActionAs): ContentQuery {
  return { locale }
}

function rulesFor(
  { api, schema }: ServiceParts,
  principal: Principal,
  locales: LocaleRules,
): QueryRules {
  const codes = locales.all.map(({ code }) => code)
  const maySee = (uid: string, verb: ContentVerb): boolean =>
    mayIn(principal, contentAction({ uid }, verb), codes)
  return {
    ...api,
    locales,
    mayRead: (uid) => maySee(uid, 'find'),
    mayReadDrafts: (uid) => maySee(uid, 'readDrafts'),
    format: 'v5',
    components: schema.components,
    contentTypes: schema.contentTypes,
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
    answer: measureAnswer(api.answer),
  }
}
