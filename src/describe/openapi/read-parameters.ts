import { type LocaleRules, PUBLICATION_FILTERS } from '../../query/query.ts'
import { valueName } from '../../schema/alias.ts'
import { nodeName } from '../../query/query-names.ts'
import { parseDefaultPopulate } from '../../query/populate/default-populate.ts'
import { isFaceted, MAX_FACETS } from '../../query/text/parse-facets.ts'
import { MATCHES } from '../../query/text/parse-text-search.ts'
import { populatablesOf } from '../../query/populate/parse-populate-attributes.ts'
import type { ShapePlan, ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { isDescribed } from './entry-schemas.ts'
import { filterParameters, isReadable } from './filter-parameters.ts'
import { arraySchema, TEXT } from './json-schema.ts'
import { type Parameter, queryParameter } from './parameters.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface Bounds {
  readonly locales: LocaleRules
  readonly defaultLimit: number
  readonly maxLimit: number
}

export function listParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  bounds: Bounds,
): readonly Parameter[] {
  return [
    ...readParameters(vocabulary, plan, bounds),
    sortParameter(vocabulary, plan),
    ...paginationParameters(bounds),
    ...versionParameters(vocabulary, plan, bounds),
    ...(plan.draftAndPublish ? [HAS_PUBLISHED] : []),
    queryParameter('_q', TEXT, 'Searches the text attributes of entries'),
    ...searchParameters(vocabulary, plan),
    ...filterParameters(vocabulary, plan),
  ]
}

/** The attributes that a search can name. Hidden attributes are private in the plan of the reader. */
export function searchedNames({ search, attributes, members }: ContentTypePlan): readonly string[] {
  return [...(search?.weights.keys() ?? [])]
    .filter((name) => attributes.get(name)?.private === false)
    .flatMap((name) => [...members.values()].filter((member) => valueName(member) === name))
    .map(({ name }) => name)
}

/** The attributes with values that a search can count. */
export function facetNames(
  { mayRead }: Pick<Vocabulary, 'mayRead'>,
  { members }: ContentTypePlan,
): readonly string[] {
  return [...members.values()]
    .filter(isFaceted)
    .filter((member) => member.kind !== 'relation' || mayRead(member.targetUid))
    .map(({ name }) => name)
}

function searchParameters(vocabulary: Vocabulary, plan: ContentTypePlan): readonly Parameter[] {
  if (plan.search === null) return []
  const facets = facetNames(vocabulary, plan)
  const fields = arraySchema({ ...TEXT, enum: searchedNames(plan) })
  return [
    queryParameter('search', TEXT, 'Short for `search[query]`'),
    queryParameter(
      'search[query]',
      TEXT,
      'Searches whole words and returns the entries by relevance; phrases are in double quotes',
    ),
    queryParameter(
      'search[match]',
      { ...TEXT, enum: [...MATCHES] },
      'Whether a result has one of the words (`any`, the default) or all of them',
    ),
    queryParameter('search[fields]', fields, 'The attributes to search; default: all of them'),
    queryParameter('search[highlights]', fields, 'The attributes whose matches the response shows'),
    ...(facets.length === 0
      ? []
      : [
          queryParameter(
            'search[facets]',
            { ...arraySchema({ ...TEXT, enum: facets }), maxItems: MAX_FACETS },
            'The attributes whose values the response counts',
          ),
        ]),
  ]
}

const HAS_PUBLISHED = queryParameter(
  'hasPublishedVersion',
  { ...TEXT, enum: ['true', 'false'] },
  'Selects documents with (`true`) or without (`false`) a published version in any locale',
)

export const PUBLICATION_FILTER = queryParameter(
  'publicationFilter',
  { ...TEXT, enum: [...PUBLICATION_FILTERS] },
  'Compares the draft and the published version to select documents; `status` selects the version to return',
)

export function entryParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  bounds: Bounds,
): readonly Parameter[] {
  return [
    ...readParameters(vocabulary, plan, bounds),
    ...versionParameters(vocabulary, plan, bounds),
  ]
}

/** Responses to writes contain no default populate. */
function readParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  bounds: Bounds,
): readonly Parameter[] {
  const parameters = shownParameters(vocabulary, plan)
  const names = defaultNames(vocabulary, plan, bounds)
  if (names.length === 0) return parameters
  const more = `If omitted, the server returns: ${names.join(', ')}. An empty value returns none`
  return parameters.map((one) =>
    one.name === 'populate' ? { ...one, description: `${one.description}. ${more}` } : one,
  )
}

function defaultNames(
  { mayRead, schema }: Vocabulary,
  plan: ContentTypePlan,
  bounds: Bounds,
): readonly string[] {
  return parseDefaultPopulate(plan, { schema, mayRead, ...bounds }).map(nodeName)
}

export function writeParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  { locales }: Bounds,
): readonly Parameter[] {
  return [
    ...shownParameters(vocabulary, plan),
    ...(plan.localized ? [localeParameter(locales, [], 'The locale to write')] : []),
    ...(plan.draftAndPublish
      ? [
          queryParameter(
            'status',
            { ...TEXT, enum: ['draft', 'published'], default: 'published' },
            '`draft` leaves the published version as it is',
          ),
        ]
      : []),
  ]
}

export function shownParameters(vocabulary: Vocabulary, holder: ShapePlan): readonly Parameter[] {
  const fields = publicScalars(holder).map(({ name }) => name)
  const relations = populatableNames(vocabulary, holder)
  return [
    queryParameter(
      'fields',
      arraySchema({ ...TEXT, enum: ['*', ...fields] }),
      'Attributes to return in addition to `id` and `documentId`; `*` returns all',
    ),
    ...(relations.length === 0
      ? []
      : [
          queryParameter(
            'populate',
            arraySchema({ ...TEXT, enum: ['*', ...relations] }),
            'Relations, components, dynamic zones and media to return; `*` returns all of them',
          ),
        ]),
  ]
}

export function populatableNames(vocabulary: Vocabulary, holder: ShapePlan): readonly string[] {
  return populatablesOf(holder)
    .filter((one) => one.kind !== 'relation' || isDescribed(vocabulary, one))
    .map(({ name }) => name)
}

export function publicScalars(holder: ShapePlan): readonly ScalarPlan[] {
  return [...holder.members.values()].filter(
    (member): member is ScalarPlan => member.kind === 'scalar' && !member.private,
  )
}

export function storedScalars(holder: ShapePlan): readonly ScalarPlan[] {
  return publicScalars(holder).filter(({ computed }) => computed === undefined)
}

export function sortParameter(vocabulary: Vocabulary, plan: ContentTypePlan): Parameter {
  const own = scalarNames(plan)
  const related = [...plan.members.values()].flatMap((member) => {
    if (member.kind !== 'relation' || member.toMany || !isReadable(vocabulary, member)) return []
    return scalarNames(member.target()).map((name) => `${member.name}.${name}`)
  })
  const keys = [...own, ...related].flatMap((name) => [name, `${name}:asc`, `${name}:desc`])
  const locations = locationNames(plan)
  const near = locations.map((name) => `${name}:near`)
  return queryParameter(
    'sort',
    arraySchema({ ...TEXT, enum: [...keys, ...near] }),
    'Sort keys in order of priority; ties are sorted by `id`' +
      (near.length === 0
        ? ''
        : '. `near` sorts by the distance from the point of `$near` and is the only key'),
  )
}

function scalarNames(holder: ShapePlan): readonly string[] {
  return storedScalars(holder)
    .filter(({ type }) => type !== 'location')
    .map(({ name }) => name)
}

export function locationNames(holder: ShapePlan): readonly string[] {
  return storedScalars(holder)
    .filter(({ type }) => type === 'location')
    .map(({ name }) => name)
}

export function paginationParameters({
  defaultLimit,
  maxLimit,
}: Pick<Bounds, 'defaultLimit' | 'maxLimit'>): readonly Parameter[] {
  const size = { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit }
  return [
    queryParameter('pagination[page]', { type: 'integer', minimum: 1, default: 1 }),
    queryParameter('pagination[pageSize]', size),
    queryParameter('pagination[start]', { type: 'integer', minimum: 0 }, 'Instead of `page`'),
    queryParameter('pagination[limit]', size, 'Page size with `start`'),
    queryParameter(
      'pagination[cursor]',
      TEXT,
      'Instead of `page`: empty for the first page, then `meta.pagination.nextCursor` of the previous page',
    ),
    queryParameter(
      'pagination[withCount]',
      { ...TEXT, enum: ['true', 'false', 'estimate'] },
      '`false` saves the count, `estimate` takes a quick one',
    ),
  ]
}

function versionParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  { locales }: Bounds,
): readonly Parameter[] {
  const mayReadDrafts = plan.draftAndPublish && vocabulary.may(`${plan.uid}.readDrafts`)
  return [
    ...(plan.localized
      ? [
          localeParameter(locales, ['*'], 'The default locale if omitted; `*` returns all locales'),
          FALLBACK_LOCALE,
        ]
      : []),
    ...(mayReadDrafts ? [STATUS] : []),
    ...(plan.draftAndPublish ? [PUBLICATION_FILTER] : []),
  ]
}

export const FALLBACK_LOCALE = queryParameter(
  'fallbackLocale',
  TEXT,
  'Fallback locales, separated by commas',
)

export const STATUS = queryParameter('status', {
  ...TEXT,
  enum: ['published', 'draft'],
  default: 'published',
})

export function localeParameter(
  { all, defaultCode }: LocaleRules,
  more: readonly string[],
  description: string,
): Parameter {
  const codes = [...all.map(({ code }) => code), ...more]
  return queryParameter('locale', { ...TEXT, enum: codes, default: defaultCode }, description)
}
