import { element } from '../element.ts'
import { store } from '../store.ts'
import { language, texts } from '../texts.ts'

interface Named {
  readonly documentId: string
  readonly name: string
  readonly flag: string | null
}

const square = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
const inOrder = new Intl.Collator(language)

export function countryLink({ documentId, name, flag }: Named): HTMLElement {
  return element(
    'li',
    {},
    element('a', { href: `#/countries/${documentId}` }, `${flag ?? ''} ${name}`.trim()),
  )
}

/** All countries, filtered from memory while the user types. */
export function countries(): readonly HTMLElement[] {
  const list = element('ul', { class: 'rows' })
  const field = element('input', {
    type: 'search',
    placeholder: texts.findCountry,
    'aria-label': texts.findCountry,
    value: new URLSearchParams(location.hash.split('?')[1]).get('q'),
  })
  const show = (): void => {
    const { entries } = store.countries.query({
      fields: ['name', 'flag', 'capital'],
      filters: field.value === '' ? {} : { name: { $containsi: field.value } },
      locale: language,
    })
    const rows = entries.sort((one, other) => inOrder.compare(one.name, other.name))
    list.replaceChildren(
      ...rows.map(({ documentId, name, flag, capital }) =>
        element(
          'li',
          {},
          element(
            'a',
            { href: `#/countries/${documentId}` },
            element('span', { class: 'flag', 'aria-hidden': 'true' }, flag ?? ''),
            element('span', {}, name),
            element('span', { class: 'quiet' }, capital ?? ''),
          ),
        ),
      ),
    )
    if (rows.length === 0) list.append(element('li', { class: 'quiet' }, texts.nothing))
  }
  field.addEventListener('input', () => {
    // Keeps the search in the URL across redraws and visits.
    history.replaceState(null, '', `#/countries?q=${encodeURIComponent(field.value)}`)
    show()
  })
  show()
  return [element('h1', {}, texts.countries), field, list]
}

export function country(documentId: string): readonly HTMLElement[] {
  const entry = store.countries.get(documentId, {
    locale: language,
    populate: { borders: { fields: ['name', 'flag'], sort: 'name' } },
  })
  if (entry === null) return [element('p', {}, texts.gone)]
  const { entries: about } = store.articles.query({
    fields: ['title'],
    filters: { countries: { documentId } },
    sort: 'title',
    locale: language,
  })
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.capital, entry.capital],
    [texts.region, entry.subregion ?? entry.region],
    [texts.area, entry.area === null ? null : `${square.format(entry.area)} km²`],
  ]
  return [
    element('p', { class: 'flag-large', 'aria-hidden': 'true' }, entry.flag ?? ''),
    element('h1', {}, entry.name),
    element('p', { class: 'lead' }, entry.officialName ?? ''),
    element(
      'dl',
      {},
      ...facts.flatMap(([name, value]) =>
        value === null ? [] : [element('dt', {}, name), element('dd', {}, value)],
      ),
    ),
    element('p', {}, element('a', { href: `#/nearby/${documentId}` }, texts.citiesNearby)),
    element('h2', {}, texts.borders),
    entry.borders.length === 0
      ? element('p', { class: 'quiet' }, texts.island)
      : element('ul', { class: 'chips' }, ...entry.borders.map(countryLink)),
    ...(about.length === 0
      ? []
      : [
          element('h2', {}, texts.readMore),
          element(
            'ul',
            { class: 'rows' },
            ...about.map(({ documentId: id, title }) =>
              element('li', {}, element('a', { href: `#/articles/${id}` }, title)),
            ),
          ),
        ]),
  ]
}
