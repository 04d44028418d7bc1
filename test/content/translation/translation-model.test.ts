import { expect } from 'chai'
import * as fc from 'fast-check'
import { mergeComponents } from '../../../src/content/payload/component-values.ts'
import { toPayload } from '../../../src/content/payload/shared-values.ts'
import {
  findUnits,
  parseUnitId,
  type TranslationUnit,
} from '../../../src/content/translation/find-units.ts'
import { readTranslationFile } from '../../../src/content/translation/read-file.ts'
import { translatePayload } from '../../../src/content/translation/translate-payload.ts'
import {
  isTaggedUnit,
  type TranslationFile,
  type TranslationFormat,
} from '../../../src/content/translation/translation-file.ts'
import { writeJsonFile } from '../../../src/content/translation/json-file.ts'
import { writeXliff } from '../../../src/content/translation/write-xliff.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { component, contentType } from '../../fixtures/definitions.ts'
import { modelRuns } from '../../support/model-runs.ts'

const RUNS = { numRuns: modelRuns('TRANSLATION_RUNS', 150, 2_000) }
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const SEO = component('shared.seo', { metaTitle: { type: 'string' }, rank: { type: 'integer' } })
const PART = component('shared.part', {
  text: { type: 'text' },
  story: { type: 'blocks' },
  size: { type: 'integer' },
  seos: { type: 'component', component: 'shared.seo', repeatable: true },
})
const PAGE = contentType(
  'page',
  { localized: true, draftAndPublish: true },
  {
    title: { type: 'string', ...LOCALIZED },
    body: { type: 'richtext', ...LOCALIZED },
    story: { type: 'blocks', ...LOCALIZED },
    seo: { type: 'component', component: 'shared.seo', ...LOCALIZED },
    parts: { type: 'component', component: 'shared.part', repeatable: true, ...LOCALIZED },
    zone: { type: 'dynamiczone', components: ['shared.part', 'shared.seo'], ...LOCALIZED },
  },
)
const plan = compiled()

function compiled(): ContentTypePlan {
  const schema = compileSchema({ contentTypes: [PAGE], components: [SEO, PART] })
  const found = schema.contentTypes.get(PAGE.uid)
  if (found === undefined) throw new Error('the page was not compiled')
  return found
}

/** Texts contain the letters of a tag, an entity and Markdown. */
const words = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '<', '>', '&', '"', '\n', 'é', '😀', ';', '/', '='),
})
const text = fc.option(words, { freq: 8 })
const marks = fc.record(
  { bold: fc.constant(true), italic: fc.boolean(), code: fc.constant(true) },
  { requiredKeys: [] },
)
const textNode = fc.record({ text: words, marks }).map(({ text: value, marks: own }) => ({
  type: 'text',
  text: value,
  ...own,
}))
const linkNode = fc
  .record({
    url: fc.constantFrom('https://a.example', '/b'),
    children: fc.array(textNode, { minLength: 1, maxLength: 2 }),
  })
  .map((link) => ({ type: 'link', ...link }))
const inline = fc.array(fc.oneof({ weight: 3, arbitrary: textNode }, linkNode), {
  minLength: 1,
  maxLength: 4,
})
const block = fc.oneof(
  inline.map((children) => ({ type: 'paragraph', children })),
  inline.map((children) => ({ type: 'heading', level: 2, children })),
  inline.map((children) => ({ type: 'code', children })),
  fc.array(inline, { minLength: 1, maxLength: 2 }).map((items) => ({
    type: 'list',
    format: 'unordered',
    children: items.map((children) => ({ type: 'list-item', children })),
  })),
  fc
    .array(fc.array(inline, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 2 })
    .map((rows) => ({
      type: 'table',
      children: rows.map((cells) => ({
        type: 'table-row',
        children: cells.map((children, index) => ({
          type: index === 0 ? 'table-header-cell' : 'table-cell',
          children,
        })),
      })),
    })),
)
const blocks = fc.option(fc.array(block, { maxLength: 3 }))
const size = fc.option(fc.integer({ min: 0, max: 99 }))
const seo = fc.record({ metaTitle: text, rank: size })
const part = fc.record({ text, story: blocks, size, seos: fc.array(seo, { maxLength: 2 }) })
const zoned = fc.oneof(
  part.map((one) => ({ ...one, __component: 'shared.part' })),
  seo.map((one) => ({ ...one, __component: 'shared.seo' })),
)
const page: fc.Arbitrary<Data> = fc.record({
  title: text,
  body: text,
  story: blocks,
  seo: fc.option(seo),
  parts: fc.array(part, { maxLength: 3 }),
  zone: fc.array(zoned, { maxLength: 3 }),
})

let lastId = 0
const newId = (): number => (lastId += 1)
const SCALARS = ['title', 'body', 'story'] as const

/** As the database stores a payload. */
function store(stored: Data | null, sent: Data): Data {
  const scalars = Object.fromEntries(
    SCALARS.map((name) => [name, sent[name] ?? stored?.[name] ?? null]),
  )
  const empty = { seo: null, parts: [], zone: [] }
  const components = mergeComponents(plan, stored, sent, {
    newId,
    changes: new Map(),
    isDraft: true,
  })
  return { ...empty, ...stored, ...scalars, ...components }
}

function exportFile(source: Data, target: Data | null): TranslationFile {
  const units = findUnits(plan, { source, target }, null)
  const entry = { uid: plan.uid, documentId: 'a', from: 'en', to: 'de', revision: null }
  return {
    entries: [
      {
        ...entry,
        units: units.map((unit) => ({ id: unit.id, source: unit.source, target: unit.target })),
      },
    ],
  }
}

function throughFile(file: TranslationFile, format: TranslationFormat): TranslationFile {
  return readTranslationFile(
    Buffer.from(format === 'xliff' ? writeXliff(file) : writeJsonFile(file)),
  )
}

type Texts = ReadonlyMap<string, string>

/** Stores the texts by the ids of units. */
function importTexts(source: Data, target: Data | null, texts: Texts): Data {
  const parsed = [...texts].map(([id, value]) => ({ value, ...parseUnitId(id) }))
  const payload = translatePayload(
    plan,
    { source, target },
    {
      texts: new Map(parsed.map(({ key, value }) => [key, value])),
      named: new Map(parsed.flatMap(({ named }) => named)),
      copy: toPayload(plan, source),
    },
  )
  return store(target, payload)
}

/** A text that no other unit has, with the tags of its source. */
function translate({ id, source }: Pick<TranslationUnit, 'id' | 'source'>): string {
  return `[${id}] ${source}`
}

const placeable = ({ placement }: TranslationUnit): boolean => placement === 'certain'

describe('translations of random content', () => {
  const formats = fc.constantFrom<TranslationFormat>('xliff', 'json')

  it('reads the texts of a file as they were written', () => {
    fc.assert(
      fc.property(page, page, formats, (one, other, format) => {
        const file = exportFile(store(null, one), store(null, other))
        expect(throughFile(file, format).entries[0]?.units).to.deep.equal(
          file.entries[0]?.units.map(({ id, source, target }) => ({ id, source, target })),
        )
      }),
      RUNS,
    )
  })

  it('finds every text unchanged after an import of the same file', () => {
    fc.assert(
      fc.property(page, formats, (one, format) => {
        const source = store(null, one)
        const begun = importTexts(source, null, textsOf(exportFile(source, null), translate))
        const [entry] = throughFile(exportFile(source, begun), format).entries
        const current = findUnits(plan, { source, target: begun }, null)
        expect(entry?.units.map(({ target }) => target)).to.deep.equal(
          current.map(({ target }) => target),
        )
        const texts = new Map(
          (entry?.units ?? []).flatMap(({ id, target }) => (target === null ? [] : [[id, target]])),
        )
        expect(withoutRuns(importTexts(source, begun, texts))).to.deep.equal(withoutRuns(begun))
      }),
      RUNS,
    )
  })

  it('stores each translation in its place, and keeps everything else', () => {
    fc.assert(
      fc.property(page, formats, (one, format) => {
        const source = store(null, one)
        const begun = importTexts(source, null, textsOf(exportFile(source, null), translate))
        const units = findUnits(plan, { source, target: begun }, null)
        for (const { key: id, source: from, target } of units) {
          expect(target).to.equal(translate({ id, source: from }))
        }
        const again = throughFile(exportFile(source, begun), format)
        const twice = importTexts(
          source,
          begun,
          textsOf(again, (unit) => `again ${translate(unit)}`),
        )
        const after = findUnits(plan, { source, target: twice }, null)
        for (const unit of after) expect(unit.target).to.match(/^again /)
        expect(skeletonOf(twice)).to.deep.equal(skeletonOf(begun))
        expect(numbersOf(twice)).to.deep.equal(numbersOf(source))
      }),
      RUNS,
    )
  })

  it('keeps the pages of the links of a translation', () => {
    fc.assert(
      fc.property(page, formats, (one, format) => {
        const source = store(null, one)
        const begun = importTexts(source, null, textsOf(exportFile(source, null), translate))
        let count = 0
        const linked = mapLinks(begun, (url) => ((count += 1) % 3 === 0 ? url : `/de/${count}`))
        const file = throughFile(exportFile(source, linked), format)
        for (const { target } of file.entries[0]?.units ?? []) expect(target).to.be.a('string')
        const texts = textsOf(file, (unit) => `again ${translate(unit)}`)
        const stored = importTexts(source, linked, texts)
        expect(urlsOf(stored)).to.deep.equal(urlsOf(linked))
      }),
      RUNS,
    )
  })

  it('never stores a text in another component after moves and removals in both languages', () => {
    const moves = fc.array(fc.nat({ max: 5 }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(page, moves, moves, (one, sourceMoves, targetMoves) => {
        const source = store(null, one)
        const begun = importTexts(source, null, textsOf(exportFile(source, null), translate))
        const places = new Map(
          findUnits(plan, { source, target: begun }, null).map((unit) => [unit.key, unit.id]),
        )
        const file = exportFile(source, begun)
        const moved = moveElements(source, sourceMoves)
        const target = moveElements(begun, targetMoves)
        const named = new Map(
          (file.entries[0]?.units ?? []).flatMap(({ id }) => parseUnitId(id).named),
        )
        const found = findUnits(plan, { source: moved, target }, named).filter(placeable)
        const texts = new Map(
          found.flatMap((unit): readonly [string, string][] => {
            const id = places.get(unit.key)
            return id === undefined ? [] : [[id, `moved ${translate({ ...unit, id })}`]]
          }),
        )
        const stored = importTexts(moved, target, texts)
        const byElement = textsByElement(stored)
        const before = textsByElement(target)
        const expected = new Map(before)
        for (const [id, value] of texts) {
          const at = elementOf(id)
          if (at !== null && !isTaggedUnit(id)) expected.set(at, value)
        }
        expect(Object.fromEntries(byElement)).to.deep.equal(Object.fromEntries(expected))
      }),
      RUNS,
    )
  })
})

function textsOf(
  { entries }: TranslationFile,
  change: (unit: { readonly id: string; readonly source: string }) => string,
): Texts {
  return new Map((entries[0]?.units ?? []).map((unit) => [unit.id, change(unit)]))
}

/** Adjacent texts with equal marks are one text to an editor. */
function withoutRuns(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutRuns).reduce<unknown[]>((list, one) => {
      const last = list.at(-1)
      if (isPlain(last) && isPlain(one))
        list[list.length - 1] = { ...last, text: last.text + one.text }
      else if (!isPlain(one) || one.text !== '') list.push(one)
      return list
    }, [])
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutRuns(one)]))
}

function isPlain(node: unknown): node is { readonly text: string } {
  const keys = Object.keys(node ?? {})
  return keys.length === 2 && keys.includes('type') && keys.includes('text')
}

function mapLinks<T>(value: T, change: (url: string) => string): T {
  if (Array.isArray(value)) return value.map((one: unknown) => mapLinks(one, change)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [
    name,
    name === 'url' ? change(String(one)) : mapLinks<unknown>(one, change),
  ])
  return Object.fromEntries(entries) as T
}

/** Sorted, because a translation can move its links within a text. */
function urlsOf(stored: Data): readonly string[] {
  const urls: string[] = []
  mapLinks(stored, (url) => {
    urls.push(url)
    return url
  })
  return urls.sort()
}

function skeletonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(skeletonOf)
  if (typeof value !== 'object' || value === null) return null
  const { type, id = null, children: _children, ...rest } = value as Data
  return [
    type ?? null,
    id,
    ...Object.values(rest)
      .filter((one) => typeof one === 'object')
      .map(skeletonOf),
  ]
}

/** In order, of all components. */
function numbersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(numbersOf)
  if (typeof value !== 'object' || value === null) return []
  const { size: own = null, rank = null, story: _story, ...rest } = value as Data
  return [own, rank, ...Object.values(rest).flatMap(numbersOf)]
}

/** Reorders the list of parts and the zone, and removes elements. */
function moveElements(stored: Data, moves: readonly number[]): Data {
  const move = (list: unknown, picks: readonly number[]): readonly unknown[] => {
    const rest = [...(list as readonly unknown[])]
    return picks.flatMap((pick) => rest.splice(pick % Math.max(rest.length + 1, 1), 1))
  }
  return {
    ...stored,
    parts: move(stored['parts'], moves.slice(0, 3)),
    zone: move(stored['zone'], moves.slice(3)),
  }
}

/** Texts of elements of lists by component, id and attribute. Ids are unique in this test. */
function textsByElement(stored: Data): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const { id, text: own, metaTitle } = value as Data
    if (own !== undefined && id !== undefined) found.set(`${Number(id)} text`, own)
    if (metaTitle !== undefined) found.set(`${Number(id)} metaTitle`, metaTitle)
    for (const one of Object.values(value)) visit(one)
  }
  visit(stored['parts'])
  visit(stored['zone'])
  return found
}

function elementOf(id: string): string | null {
  const [, element, name] = /=(\d+)\/(\w+)$/.exec(id) ?? []
  return element === undefined ? null : `${element} ${name ?? ''}`
}
