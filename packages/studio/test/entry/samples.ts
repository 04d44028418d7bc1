import type { Data } from '../../src/entry/data.ts'
import * as fc from 'fast-check'
import type { Attributes, Components } from '../../src/api/attributes.ts'
import { KeyRing, type Links, type Reading, type FormValues } from '../../src/entry/values.ts'

export const COMPONENTS: Components = new Map(
  [
    {
      uid: 'shared.quote',
      displayName: 'Quote',
      attributes: {
        text: { type: 'text', required: true },
        source: { type: 'string', default: 'unknown' },
        countries: { type: 'relation', relation: 'manyToMany', target: 'api::country.country' },
      },
    },
    {
      uid: 'shared.cta',
      displayName: 'Call to action',
      attributes: {
        label: { type: 'string' },
        quote: { type: 'component', component: 'shared.quote' },
      },
    },
  ].map((one) => [one.uid, one as never]),
)

export const ARTICLE: Attributes = {
  title: { type: 'string', required: true },
  views: { type: 'integer' },
  secret: { type: 'password' },
  origin: { type: 'string', writable: false },
  cover: { type: 'media' },
  gallery: { type: 'media', multiple: true },
  category: { type: 'relation', relation: 'manyToOne', target: 'api::category.category' },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
  seo: { type: 'component', component: 'shared.cta' },
  quotes: { type: 'component', component: 'shared.quote', repeatable: true },
  sections: { type: 'dynamiczone', components: ['shared.quote', 'shared.cta'] },
}

export function reading(): Reading {
  return { components: COMPONENTS, keys: new KeyRing('new'), titleFieldOf: () => 'name' }
}

export function links(...documentIds: readonly string[]): Links {
  return {
    items: documentIds.map((documentId) => ({ documentId, title: documentId })),
    more: false,
  }
}

/** Entries as the API shows them. Ids of components are given by `numbered`. */
export const ENTRY: fc.Arbitrary<Data> = fc
  .record({
    title: fc.option(fc.string()),
    views: fc.option(fc.integer()),
    origin: fc.constant('import'),
    cover: fc.option(file()),
    gallery: fc.uniqueArray(file(), { selector: ({ id }) => id, maxLength: 3 }),
    category: fc.option(target()),
    tags: targets(),
    seo: fc.option(cta()),
    quotes: fc.array(quote(), { maxLength: 3 }),
    sections: fc.array(
      fc.oneof(
        quote().map((one) => ({ ...one, __component: 'shared.quote' })),
        cta().map((one) => ({ ...one, __component: 'shared.cta' })),
      ),
      { maxLength: 4 },
    ),
  })
  .map(numbered)

function file(): fc.Arbitrary<Data & { id: number }> {
  return fc
    .integer({ min: 1, max: 9 })
    .map((id) => ({ id, documentId: `file${id}`, name: `${id}.png` }))
}

function target(): fc.Arbitrary<Data & { documentId: string }> {
  return fc.integer({ min: 0, max: 9 }).map((at) => ({ documentId: `d${at}`, name: `Name ${at}` }))
}

function targets(): fc.Arbitrary<readonly Data[]> {
  return fc.uniqueArray(target(), { selector: ({ documentId }) => documentId, maxLength: 8 })
}

function quote(): fc.Arbitrary<Data> {
  return fc.record({ text: fc.string(), source: fc.option(fc.string()), countries: targets() })
}

function cta(): fc.Arbitrary<Data> {
  return fc.record({ label: fc.string(), quote: fc.option(quote()) })
}

/** Every component with an id of its own, in the order of the entry. */
export function numbered(entry: Data): Data {
  let id = 0
  const isComponent = (value: Data): boolean => 'text' in value || 'label' in value
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const own = isComponent(value as Data) ? { id: (id += 1) } : {}
    const held = Object.entries(value).map(([name, one]) => [name, walk(one)])
    return { ...Object.fromEntries(held), ...own }
  }
  return walk(entry) as Data
}

/** An entry as if it were written to the server and read again, by the rules of docs/api.md. */
export function applied(entry: Data, data: Data): Data {
  let id = 1_000
  const isTarget = (value: unknown): value is Data =>
    typeof value === 'object' && value !== null && 'connect' in value
  const apply = (before: unknown, sent: unknown): unknown => {
    if (isTarget(sent)) return connected((before ?? []) as readonly Data[], sent)
    if (Array.isArray(sent))
      return sent.map((one) => element((before ?? []) as readonly Data[], one))
    if (typeof sent === 'object' && sent !== null) {
      if ('documentId' in sent) return { ...sent, name: nameOf(sent) }
      return element(before === null || before === undefined ? [] : [before as Data], sent)
    }
    return sent
  }
  const element = (known: readonly Data[], sent: unknown): unknown => {
    if (typeof sent === 'number')
      return { id: sent, documentId: `file${sent}`, name: `${sent}.png` }
    const one = sent as Data
    const stored = known.find(
      (held) => held['id'] === one['id'] && held['__component'] === one['__component'],
    )
    if (one['id'] !== undefined && stored === undefined)
      throw new Error('not related to the entity')
    const fresh = { ...one, id: stored?.['id'] ?? (id += 1) }
    return merge(stored ?? {}, fresh)
  }
  const merge = (before: Data, sent: Data): Data => ({
    ...before,
    ...Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [
        name,
        name === 'id'
          ? value
          : name === 'cover' && typeof value === 'number'
            ? element([], value)
            : apply(before[name], value),
      ]),
    ),
  })
  return merge(entry, data)
}

function nameOf({ documentId }: Data): string {
  return `Name ${String(documentId).slice(1)}`
}

function connected(before: readonly Data[], sent: Data): readonly Data[] {
  const gone = (sent['disconnect'] as readonly Data[]).map(({ documentId }) => documentId)
  const list = before
    .map(({ documentId }) => String(documentId))
    .filter((one) => !gone.includes(one))
  for (const { documentId, position } of sent['connect'] as readonly Data[]) {
    const name = String(documentId)
    if (list.includes(name)) list.splice(list.indexOf(name), 1)
    const { start, after } = position as { start?: true; after?: string }
    if (after !== undefined && !list.includes(after)) throw new Error(`${after} is not connected`)
    list.splice(start === true ? 0 : list.indexOf(String(after)) + 1, 0, name)
  }
  return list.map((documentId) => ({ documentId, name: nameOf({ documentId }) }))
}

/** What a form holds, with the keys of its components left out. */
export function withoutKeys(values: FormValues): unknown {
  return JSON.parse(
    JSON.stringify(values, (name, value: unknown) =>
      name === '$key' || name === 'id' ? undefined : value,
    ),
  )
}
