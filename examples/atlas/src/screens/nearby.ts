import { type Location, QuireError } from '@quire/client'
import { element } from '../element.ts'
import { publicClient } from '../store.ts'
import { language, texts } from '../texts.ts'

const PAGE_SIZE = 20
/** Meters. */
const MAX_DISTANCE = 1_000_000

const inKilometers = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })

/** The cities near the center of a country, the nearest first. The store does not have them, because they are many. */
export function nearby(documentId: string, leaving: AbortSignal): readonly HTMLElement[] {
  const heading = element('h1', {}, texts.citiesNearby)
  const list = element('ul', { class: 'rows' })
  const told = element('p', { class: 'quiet', role: 'status' })
  const more = element('button', { type: 'button', hidden: true }, texts.more)
  // A cursor belongs to its point, so all pages have the same one.
  let country: Country | undefined
  let cursor = ''
  const load = async (): Promise<void> => {
    country ??= await readCountry(documentId, leaving)
    heading.textContent = texts.citiesNear(country.name)
    const { latitude, longitude } = country
    if (latitude === null || longitude === null) {
      told.textContent = texts.nothing
      return
    }
    const center = { latitude, longitude }
    const { entries, distances, nextCursor } = await readPage(center, cursor, leaving)
    list.append(...entries.map((city, at) => row(city.name, distances?.[at] ?? 0)))
    if (list.childElementCount === 0) told.textContent = texts.nothing
    cursor = nextCursor ?? ''
    more.hidden = nextCursor === null
  }
  const show = (): void => {
    told.textContent = ''
    more.disabled = true
    load()
      .catch((error: unknown) => {
        const isGone = error instanceof QuireError && error.status === 404
        told.textContent = isGone ? texts.gone : texts.citiesNeedNetwork
        more.hidden = isGone
      })
      .finally(() => {
        more.disabled = false
      })
  }
  more.addEventListener('click', show)
  show()
  return [heading, list, told, more]
}

type Country = Awaited<ReturnType<typeof readCountry>>

function readCountry(documentId: string, signal: AbortSignal) {
  const fields = ['name', 'latitude', 'longitude'] as const
  return publicClient.countries.get(documentId, { fields, locale: language }, { signal })
}

function readPage(center: Location, cursor: string, signal: AbortSignal) {
  return publicClient.cities.find(
    {
      fields: ['name'],
      filters: { location: { $near: { ...center, maxDistance: MAX_DISTANCE } } },
      sort: 'location:near',
      cursor,
      pageSize: PAGE_SIZE,
    },
    { signal },
  )
}

function row(name: string, meters: number): HTMLElement {
  const distance = texts.kilometers(inKilometers.format(meters / 1_000))
  return element(
    'li',
    { class: 'city' },
    element('span', {}, name),
    element('span', { class: 'quiet' }, distance),
  )
}
