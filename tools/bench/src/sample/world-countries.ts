import { createRequire } from 'node:module'

/**
 * The fields of `world-countries` 5 that the sample uses. Its ES module imports JSON without an
 * import attribute, which Node refuses.
 */
export interface WorldCountry {
  readonly name: Translation
  readonly translations: Readonly<Record<string, Translation>>
  readonly cca2: string
  readonly cca3: string
  readonly tld: readonly string[]
  /** Null for Kosovo, where it is disputed. */
  readonly independent: boolean | null
  readonly currencies: Readonly<Record<string, Currency>>
  /** Of 250 countries, five have no capital and two have three. */
  readonly capital: readonly string[]
  readonly region: string
  /** Empty for Antarctica and the islands around it. */
  readonly subregion: string
  /** English names by ISO 639-3 code. */
  readonly languages: Readonly<Record<string, string>>
  readonly latlng: readonly [number, number]
  readonly landlocked: boolean
  /** `cca3` codes. */
  readonly borders: readonly string[]
  /** Square kilometres. -1 if unknown. */
  readonly area: number
  readonly flag: string
}

interface Translation {
  readonly common: string
  readonly official: string
}

interface Currency {
  readonly name: string
  readonly symbol: string
}

/** All 250 countries, in the order of the package. */
export function loadWorldCountries(): readonly WorldCountry[] {
  const require = createRequire(import.meta.url)
  return require('world-countries/countries.json') as readonly WorldCountry[]
}
