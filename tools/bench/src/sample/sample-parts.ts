import { ConfigError } from '../../../../src/base/errors.ts'
import type { Uid } from '../../../../src/schema/definition.ts'
import type { Schema } from '../../../../src/schema/plan.ts'
import { loadWorldCities, mapCity, type WorldCity } from './map-cities.ts'
import { mapCountry, mapCurrencies, mapLanguages } from './map-countries.ts'
import { mapArticle, mapCategory, mapHomepage } from './map-texts.ts'
import type { SampleDocument, SamplePart } from './sample-document.ts'
import { ARTICLES } from './texts/articles.ts'
import { CATEGORIES, HOMEPAGE } from './texts/homepage.ts'
import { loadWorldCountries, type WorldCountry } from './world-countries.ts'

export const SAMPLE_UIDS = [
  'api::language.language',
  'api::currency.currency',
  'api::country.country',
  'api::city.city',
  'api::category.category',
  'api::article.article',
  'api::homepage.homepage',
] as const

export interface Sample {
  /** Targets of relations come first. */
  readonly parts: readonly SamplePart[]
  readonly availableCities: number
}

export function compileSample(wantedCities: number): Sample {
  const countries = loadWorldCountries()
  const cities = loadWorldCities()
  const chosen = cities.slice(0, wantedCities)
  const featured = ARTICLES.slice(0, 3).map(({ key }) => key)
  const parts = [
    partOf('api::language.language', mapLanguages(countries)),
    partOf('api::currency.currency', mapCurrencies(countries)),
    partOf('api::country.country', countries.map(mapCountry)),
    {
      uid: 'api::city.city',
      count: chosen.length,
      documents: () => mapCities(chosen, countries),
    },
    partOf('api::category.category', CATEGORIES.map(mapCategory)),
    partOf('api::article.article', ARTICLES.map(mapArticle)),
    partOf('api::homepage.homepage', [mapHomepage(HOMEPAGE, featured)]),
  ]
  return { parts, availableCities: cities.length }
}

export function listMissingTypes({ contentTypes }: Pick<Schema, 'contentTypes'>): readonly Uid[] {
  return SAMPLE_UIDS.filter((uid) => !contentTypes.has(uid))
}

/** @throws ConfigError unless every content-type of the sample is declared */
export function assertSampleTypes(schema: Pick<Schema, 'contentTypes'>): void {
  const missing = listMissingTypes(schema)
  if (missing.length === 0) return
  throw new ConfigError([
    `CONTENT_TYPES_DIR: the sample needs ${missing.join(', ')}; the folder content-types of Quire has them`,
  ])
}

/** A generator, because all cities together would take a hundred megabytes. */
function* mapCities(
  cities: readonly WorldCity[],
  countries: readonly WorldCountry[],
): Generator<SampleDocument> {
  const cca3ByCca2 = new Map(countries.map(({ cca2, cca3 }) => [cca2, cca3]))
  for (const city of cities) yield mapCity(city, cca3ByCca2)
}

function partOf(
  uid: (typeof SAMPLE_UIDS)[number],
  documents: readonly SampleDocument[],
): SamplePart {
  return { uid, count: documents.length, documents: () => documents }
}
