import Joi from 'joi'
import { CmsError, NotFoundError } from '../../base/errors.ts'
import { shownNames } from '../../content/rules/shown-names.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { exportTranslations } from '../../content/translation/export-translations.ts'
import {
  type ImportedTranslation,
  importTranslation,
} from '../../content/translation/import-translation.ts'
import { previewTranslation } from '../../content/translation/preview-translations.ts'
import { readTranslationFile } from '../../content/translation/read-file.ts'
import type { Translator } from '../../content/translation/read-translated.ts'
import {
  suggestTranslations,
  type TranslationService,
} from '../../content/translation/suggest-translations.ts'
import {
  MAX_FILE_ENTRIES,
  MAX_FILE_UNITS,
  MAX_UNIT_ID,
  TRANSLATION_FORMATS,
  type TranslationFormat,
} from '../../content/translation/translation-file.ts'
import { writeJsonFile } from '../../content/translation/json-file.ts'
import { writeXliff } from '../../content/translation/write-xliff.ts'
import { unitLabels } from '../../content/translation/unit-label.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import { givenAttributesOf, mayInUnderRule } from '../../people/access/ruled-reads.ts'
import type { LocaleRules } from '../../query/query.ts'
import { assertManaged } from '../../schema/adopted-type.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { codedEnvelope } from '../answer/envelope.ts'
import { leavingSignal } from '../answer/hang-ups.ts'
import { bodyOf, payloadOf } from '../body/read-request.ts'
import { readOriginOf, writerOf } from '../reads/query-rules.ts'
import { adminRouter } from '../router/admin-router.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import type { LimitInFlight } from '../middleware/limit-in-flight.ts'
import type { Context, Middleware } from '../router/state.ts'
import { type EditorContentDependencies, ownVerb, planOf } from './editor-content.ts'

export interface TranslationRouteDependencies extends EditorContentDependencies {
  /** Without private attributes. */
  readonly publicSchema: Schema
  readonly readFile: Middleware
  /** Null without an extension that translates. */
  readonly translation: TranslationService | null
  readonly limited: LimitInFlight
}

interface ExportInput {
  readonly documentIds: readonly string[]
  readonly from: string
  readonly to: string
  readonly format: TranslationFormat
}

const LOCALE = Joi.string().max(100)
const DOCUMENT_ID = Joi.string().max(100)
const REVISION = Joi.string().max(100)
const MAX_TEXT = 1_000_000

const EXPORT = Joi.object<ExportInput>({
  documentIds: Joi.array().items(DOCUMENT_ID).min(1).max(MAX_FILE_ENTRIES).unique().required(),
  from: LOCALE.required(),
  to: LOCALE.required(),
  format: Joi.valid(...TRANSLATION_FORMATS).default('xliff'),
})

interface SuggestInput {
  readonly documentId: string
  readonly from: string
  readonly to: string
  readonly existing: boolean
}

const SUGGEST = Joi.object<SuggestInput>({
  documentId: DOCUMENT_ID.required(),
  from: LOCALE.required(),
  to: LOCALE.required(),
  existing: Joi.boolean().strict().default(false),
})

const UNIT = Joi.object({
  id: Joi.string().max(MAX_UNIT_ID).required(),
  text: Joi.string().max(MAX_TEXT).required(),
})

const IMPORT = Joi.object<{ readonly entries: readonly ImportedTranslation[] }>({
  entries: Joi.array()
    .min(1)
    .max(MAX_FILE_ENTRIES)
    .required()
    .items(
      Joi.object({
        documentId: DOCUMENT_ID.required(),
        from: LOCALE.required(),
        to: LOCALE.required(),
        revisions: Joi.object({
          source: REVISION.required(),
          target: REVISION.allow(null).required(),
        }).required(),
        units: Joi.array().items(UNIT).min(1).max(MAX_FILE_UNITS).unique('id').required(),
      }),
    ),
})

const TYPES: Readonly<
  Record<TranslationFormat, { readonly type: string; readonly ending: string }>
> = {
  xliff: { type: 'application/xliff+xml; charset=utf-8', ending: 'xlf' },
  json: { type: 'application/json; charset=utf-8', ending: 'json' },
}

type Handler = (
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: TranslationRouteDependencies,
) => Promise<void>

export function translationRoutes(dependencies: TranslationRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  const add = (name: string, verb: ContentVerb, handler: Handler, read?: Middleware): void => {
    const actionOf = (ctx: Context): string => {
      const plan = planOf(ctx, dependencies)
      return contentAction(plan, ownVerb(plan, verb))
    }
    admin.guarded(
      'post',
      `/:uid/translations/${name}`,
      (run) => administratorsUnderRule(verb, actionOf, run),
      (ctx) => handler(ctx, translatedPlan(ctx, dependencies), dependencies),
      read,
    )
  }
  add('export', 'findOne', sendFile)
  add('compare', 'update', sendPreview, dependencies.readFile)
  add('import', 'update', importAll)
  add('suggest', 'update', suggest)
  return admin.router
}

/** @throws NotFoundError for a type without locales */
function translatedPlan(ctx: Context, dependencies: TranslationRouteDependencies): ContentTypePlan {
  const plan = planOf(ctx, dependencies)
  assertManaged(plan)
  if (plan.localized) return plan
  throw new NotFoundError('Not Found')
}

const sendFile: Handler = async (ctx, plan, dependencies) => {
  const { documentIds, from, to, format } = readInput(EXPORT, payloadOf(ctx))
  const known = await dependencies.locales.current()
  const locales = { from: knownLocale(known, 'from', from), to: knownLocale(known, 'to', to) }
  if (locales.from === locales.to) throw sameLocale('to', to)
  const translator = translatorOf(ctx, plan, dependencies, known)
  if (!translator.mayRead(locales.from) || !translator.mayRead(locales.to)) {
    throw new NotFoundError('Not Found')
  }
  const file = await exportTranslations(dependencies.documents, translator, {
    documentIds,
    ...locales,
    labelOf: unitLabels(dependencies.definitions, plan.uid),
  })
  const { type, ending } = TYPES[format]
  const name = `${plan.singularName}-${locales.from}-${locales.to}.${ending}`
  ctx.set('Content-Disposition', `attachment; filename="${name}"`)
  ctx.type = type
  ctx.body = format === 'xliff' ? writeXliff(file) : writeJsonFile(file)
}

const sendPreview: Handler = async (ctx, plan, dependencies) => {
  const body = bodyOf(ctx)
  const { entries } = readTranslationFile(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
  const known = await dependencies.locales.current()
  const checked = entries.map((entry, index) => {
    const at = `entries.${index}`
    if (![plan.uid, ...plan.formerUids].includes(entry.uid)) {
      const message = `${at}.contentType must be ${plan.uid}`
      throw inputError(`${at}.contentType`, message, entry.uid, {
        code: 'any.only',
        params: { valids: [plan.uid] },
      })
    }
    const from = knownLocale(known, `${at}.from`, entry.from)
    const to = knownLocale(known, `${at}.to`, entry.to)
    if (from === to) throw sameLocale(`${at}.to`, to)
    return { ...entry, from, to }
  })
  const translator = translatorOf(ctx, plan, dependencies, known)
  const previews = []
  for (const entry of checked) {
    previews.push(await previewTranslation(dependencies.documents, translator, entry))
  }
  ctx.body = { data: previews }
}

const suggest: Handler = async (ctx, plan, dependencies) => {
  const { translation, limited, documents, locales } = dependencies
  if (translation === null) throw new NotFoundError('No extension of the server translates')
  const { from, to, ...asked } = readInput(SUGGEST, payloadOf(ctx))
  const known = await locales.current()
  const pair = { from: knownLocale(known, 'from', from), to: knownLocale(known, 'to', to) }
  if (pair.from === pair.to) throw sameLocale('to', to)
  const caller = { requestId: ctx.state.requestId, leaving: leavingSignal(ctx.res) }
  const before = translatorOf(ctx, plan, dependencies, known)
  const entry = await limited.withoutSlot(ctx.req, () =>
    suggestTranslations(documents, before, translation, { ...asked, ...pair, caller }),
  )
  await ctx.state.authorizeAgain?.()
  const translator = translatorOf(ctx, plan, dependencies, known)
  ctx.body = { data: await previewTranslation(documents, translator, entry) }
}

const importAll: Handler = async (ctx, plan, dependencies) => {
  const { entries } = readInput(IMPORT, payloadOf(ctx))
  const known = await dependencies.locales.current()
  for (const [index, { from, to }] of entries.entries()) {
    if (!known.has(from)) throw unknownLocale(`entries.${index}.from`, from)
    if (!known.has(to)) throw unknownLocale(`entries.${index}.to`, to)
    if (from === to) throw sameLocale(`entries.${index}.to`, to)
  }
  const results: object[] = []
  for (const entry of entries) {
    if (ctx.req.socket.destroyed) return // the client has disconnected
    results.push(await resultOf(ctx, plan, dependencies, { entry, known }))
  }
  ctx.body = { data: results }
}

async function resultOf(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: TranslationRouteDependencies,
  { entry, known }: { readonly entry: ImportedTranslation; readonly known: LocaleRules },
): Promise<object> {
  const { documentId, to: locale } = entry
  try {
    await ctx.state.authorizeAgain?.()
    const translator = translatorOf(ctx, plan, dependencies, known)
    const { isCreated } = await importTranslation(dependencies.documents, translator, entry)
    return { documentId, locale, status: isCreated ? 201 : 200 }
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    const shown = codedEnvelope(error).error
    return {
      documentId,
      locale,
      status: error.status,
      error: { ...shown, code: error.errorCode },
    }
  }
}

function translatorOf(
  ctx: Context,
  plan: ContentTypePlan,
  { publicSchema }: TranslationRouteDependencies,
  { defaultCode }: LocaleRules,
): Translator {
  const { principal } = ctx.state
  const rules = writeRulesOf(principal)
  const reads: readonly ContentVerb[] = [
    ownVerb(plan, 'findOne'),
    ...(plan.draftAndPublish ? (['readDrafts'] as const) : []),
  ]
  const mayDo = (verb: ContentVerb, locale: string): boolean =>
    mayInUnderRule(principal, contentAction(plan, verb), [locale])
  const given = givenAttributesOf(principal, plan, ['update'])
  const publicPlan = publicSchema.contentTypes.get(plan.uid)
  if (publicPlan === undefined) throw new NotFoundError('Not Found')
  return {
    plan,
    publicPlan,
    writer: writerOf(ctx, { locale: defaultCode }),
    origin: readOriginOf(ctx),
    isShown: shownNames(rules, plan, reads),
    isGivable: (name) => given?.has(name) ?? true,
    mayRead: (locale) => reads.every((verb) => mayDo(verb, locale)),
    mayWrite: (locale) => mayDo('update', locale),
  }
}

/** Tools change the case of languages. @throws ValidationError */
function knownLocale({ all }: LocaleRules, path: string, given: string): string {
  const found = all.find(({ code }) => code.toLowerCase() === given.toLowerCase())
  if (found === undefined) throw unknownLocale(path, given)
  return found.code
}

function unknownLocale(path: string, given: string): Error {
  return inputError(path, `${path} must be a locale of the server`, given, { code: 'any.unknown' })
}

function sameLocale(path: string, given: string): Error {
  return inputError(path, `${path} must differ from the locale of the source`, given, {
    code: 'any.invalid',
  })
}
