import type { Data } from '../../../../src/schema/definition.ts'
import { type SampleDocument, sampleId } from './sample-document.ts'
import { SAMPLE_LOCALES } from './sample-locales.ts'
import type { WorldCountry } from './world-countries.ts'
import { NO_LOCALE } from '../../../../src/schema/no-locale.ts'

/** Creates one version per locale with a translated name. */
export function mapCountry(country: WorldCountry): SampleDocument {
  const facts = factsOf(country)
  const nested = relationsOf(country)
  return {
    documentId: sampleId.country(country.cca3),
    versions: SAMPLE_LOCALES.flatMap(({ code: locale, translation }) => {
      const name = translation === null ? country.name : country.translations[translation]
      if (name === undefined || name.common === '') return []
      const values = { name: name.common, officialName: name.official, ...facts }
      return [{ locale, status: 'published' as const, values, nested }]
    }),
  }
}

function factsOf(country: WorldCountry): Data {
  const { cca2, cca3, region, subregion, capital, area, flag, tld } = country
  const [latitude, longitude] = country.latlng
  return {
    cca2,
    cca3,
    region,
    subregion: subregion === '' ? null : subregion,
    capital: capital.length === 0 ? null : capital.join(', '),
    area: area < 0 ? null : area,
    landlocked: country.landlocked,
    independent: country.independent,
    flag,
    latitude,
    longitude,
    tld,
  }
}

function relationsOf({ borders, languages, currencies }: WorldCountry): Data {
  return {
    borders: borders.map(sampleId.country),
    languages: Object.keys(languages).map(sampleId.language),
    currencies: Object.keys(currencies).map(sampleId.currency),
  }
}

/** The languages of all countries, by code. Two languages have two names: the last one is used. */
export function mapLanguages(countries: readonly WorldCountry[]): readonly SampleDocument[] {
  const names = new Map(countries.flatMap(({ languages }) => Object.entries(languages)))
  return byCode(names).map(([code, name]) => toDocument(sampleId.language(code), { code, name }))
}

/** The currencies of all countries, by code. If names differ, the longest is used. */
export function mapCurrencies(countries: readonly WorldCountry[]): readonly SampleDocument[] {
  const currencies = new Map<string, { readonly name: string; readonly symbol: string }>()
  for (const [code, one] of countries.flatMap(({ currencies }) => Object.entries(currencies))) {
    const known = currencies.get(code)
    if (known === undefined || one.name.length > known.name.length) currencies.set(code, one)
  }
  return byCode(currencies).map(([code, { name, symbol }]) =>
    toDocument(sampleId.currency(code), { code, name, symbol }),
  )
}

function byCode<T>(values: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...values].sort(([one], [other]) => (one < other ? -1 : 1))
}

function toDocument(documentId: string, values: Data): SampleDocument {
  return { documentId, versions: [{ locale: NO_LOCALE, status: 'published', values, nested: {} }] }
}
