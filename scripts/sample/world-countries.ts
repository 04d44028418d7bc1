import { createRequire } from 'node:module'

/** What of `world-countries` 5 the sample uses; its ES module imports JSON as Node does not allow. */
export interface WorldCountry {
  readonly name: Translation
  readonly translations: Readonly<Record<string, Translation>>
  readonly cca2: string
  readonly cca3: string
  readonly tld: readonly string[]
  /** Null of Kosovo, where it is disputed. */
  readonly independent: boolean | null
  readonly currencies: Readonly<Record<string, Currency>>
  /** Of the world's 250, five have none and two have three. */
  readonly capital: readonly string[]
  readonly region: string
  /** Empty of Antarctica and the islands around it. */
  readonly subregion: string
  /** English names by ISO 639-3 code. */
  readonly languages: Readonly<Record<string, string>>
  readonly latlng: readonly [number, number]
  readonly landlocked: boolean
  /** By `cca3`. */
  readonly borders: readonly string[]
  /** In square kilometres; -1 where it is not known. */
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

/** All 250, in the order of the package. */
export function loadWorldCountries(): readonly WorldCountry[] {
  const require = createRequire(import.meta.url)
  return require('world-countries/countries.json') as readonly WorldCountry[]
}
