import type { Db, Document } from 'mongodb'
import {
  PAGE_SIZE,
  PUBLISHED,
  readPage,
  readPageByCursor,
  show,
  type BareRow,
} from './bare-read.ts'

/** The queries that Quire sends for lists of cities, written by hand. */
export interface BareCities {
  of(countries: readonly string[]): Promise<object>
  /** Cities in the neighbours of a country. */
  beside(cca3: string): Promise<object>
  pageByCursor(cursor: string): Promise<object>
}

export function openBareCities(db: Db): BareCities {
  const cities = db.collection<BareRow>('cities')
  const countries = db.collection<BareRow>('countries')
  const countryIds = async (filter: Document): Promise<readonly string[]> => {
    const found = await countries
      .find(
        { status: 'published', locale: 'en', ...filter },
        { projection: { _id: 0, documentId: 1 } },
      )
      .toArray()
    return found.map(({ documentId }) => String(documentId))
  }
  const of = async (ids: readonly string[]): Promise<object> => {
    const filter = { ...PUBLISHED, country: { $in: [...ids] } }
    const [found, total] = await Promise.all([
      readPage(cities, 'city', filter),
      cities.countDocuments(filter),
    ])
    const pageCount = Math.ceil(total / PAGE_SIZE)
    return {
      data: found.map((each) => show('city', each)),
      meta: { pagination: { page: 1, pageSize: PAGE_SIZE, pageCount, total } },
    }
  }
  return {
    of,
    beside: async (cca3) => {
      const neighbours = await countryIds({ cca3 })
      return of(await countryIds({ borders: { $in: [...neighbours] } }))
    },
    pageByCursor: (cursor) => readPageByCursor(cities, 'city', cursor),
  }
}
