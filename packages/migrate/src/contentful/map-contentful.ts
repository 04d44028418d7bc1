import { localeTag } from '@quire/schema/locale-tag'
import { inOrder, openContentLines, type LinePosition } from '../content-lines.ts'
import { listFiles, type MapOptions, type MapOutput } from '../map-output.ts'
import type { MapReport } from '../map-report.ts'
import { openNotes } from '../notes.ts'
import { declareTypes, LINK_CATEGORY, linkComponent, type MappedType } from './declare-types.ts'
import { entryLines } from './entry-lines.ts'
import type { ContentfulEntry } from './export-types.ts'
import { readExport } from './read-export.ts'
import { entryId, type ContentfulSurvey, surveyExport } from './survey.ts'

/**
 * Maps an export of `contentful space export`. Reads it twice and only keeps ids in memory.
 * @throws MigrationError for other files
 */
export async function mapContentful(
  path: string,
  output: MapOutput,
  options: MapOptions,
): Promise<MapReport> {
  const notes = openNotes()
  const survey = await surveyExport(path, notes)
  const types = declareTypes(survey, notes, options)
  const locales = localesOf(survey)
  await declareAll(output, types)
  const files = await listFiles(output, survey.assets.values())
  const write = openContentLines(output, typeOrder(types), placesOf(survey, types))
  const counts = new Map<string, number>()
  const mapping = { survey, types, locales, missing: output.missing, notes, ...options }
  for await (const { list, value } of readExport(path)) {
    if (list !== 'entries') continue
    for (const line of entryLines(value as unknown as ContentfulEntry, mapping)) {
      await write(line)
      counts.set(line.type, (counts.get(line.type) ?? 0) + 1)
    }
  }
  notes.add('createdAt and updatedAt of entries are those of this move', '')
  const all = [...types.values()]
  const isLocalized = all.some((type) => type.localized)
  return {
    types: Object.fromEntries(
      all.map(({ names: { singular } }) => [singular, counts.get(singular) ?? 0]),
    ),
    files,
    locales: isLocalized ? [...new Set(locales.values())] : [],
    defaultLocale: isLocalized ? (locales.get(survey.defaultLocale) ?? null) : null,
    notes: notes.all(),
  }
}

async function declareAll(
  output: MapOutput,
  types: ReadonlyMap<string, MappedType>,
): Promise<void> {
  for (const type of types.values()) {
    await output.declare(`${type.names.singular}.json`, type.declaration)
  }
  for (const target of linkedInZones(types)) {
    const file = `components/${LINK_CATEGORY}/${target.names.singular}.json`
    await output.declare(file, linkComponent(target.names))
  }
}

function localesOf({ locales }: ContentfulSurvey): ReadonlyMap<string, string> {
  return new Map(
    locales.flatMap(({ code }) => {
      const tag = localeTag(code)
      return tag === null ? [] : [[code, tag] as const]
    }),
  )
}

function linkedInZones(types: ReadonlyMap<string, MappedType>): readonly MappedType[] {
  const targets = new Set(
    [...types.values()].flatMap(({ fields }) =>
      fields.flatMap(({ mapping }) => (mapping.kind === 'zone' ? [...mapping.targets] : [])),
    ),
  )
  return [...types.values()].filter(({ id }) => targets.has(id))
}

function typeOrder(types: ReadonlyMap<string, MappedType>): readonly string[] {
  const singularOf = (id: string): string => types.get(id)?.names.singular ?? ''
  const named = new Map(
    [...types.values()].map(({ names, fields }) => [
      names.singular,
      new Set(
        fields.flatMap(({ mapping }) => {
          if (mapping.kind === 'relation') return [singularOf(mapping.target)]
          return mapping.kind === 'zone' ? [...mapping.targets].map(singularOf) : []
        }),
      ),
    ]),
  )
  return inOrder([...named.keys()], named)
}

function placesOf(
  { entries }: ContentfulSurvey,
  types: ReadonlyMap<string, MappedType>,
): ReadonlyMap<string, LinePosition> {
  return new Map(
    [...entries].flatMap(([id, { type, position }]) => {
      const singular = types.get(type)?.names.singular
      return singular === undefined ? [] : [[entryId(id), { type: singular, position }] as const]
    }),
  )
}
