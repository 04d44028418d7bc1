import { inOrder, type MappedLine, openContentLines } from '../content-lines.ts'
import { listFiles, type MapOptions, type MapOutput } from '../map-output.ts'
import type { MapReport } from '../map-report.ts'
import { openNotes } from '../notes.ts'
import {
  declareAuthor,
  declarePosts,
  declareTerms,
  type WordPressTypes,
  taxonomyNamer,
} from './declare-types.ts'
import { postLine } from './post-lines.ts'
import { readWxr } from './read-wxr.ts'
import {
  authorId,
  isTaken,
  type PostType,
  type WordPressSurvey,
  surveyWxr,
  termId,
} from './survey.ts'

const AUTHOR = { singular: 'author', plural: 'authors' }

/**
 * Reads the export twice and only keeps authors, terms and post ids in memory.
 * @throws MigrationError for other files
 */
export async function mapWordpress(
  path: string,
  output: MapOutput,
  options: MapOptions,
): Promise<MapReport> {
  const notes = openNotes()
  const survey = await surveyWxr(path, notes)
  const declared = declarationsOf(survey, options)
  for (const { names, declaration } of declared) {
    await output.declare(`${names.singular}.json`, declaration)
  }
  const files = await listFiles(output, survey.files.values())
  const counts = new Map<string, number>()
  const write = openContentLines(output, typeOrder(survey), survey.places)
  const put = async (line: MappedLine): Promise<void> => {
    await write(line)
    counts.set(line.type, (counts.get(line.type) ?? 0) + 1)
  }
  for (const line of authorAndTermLines(survey)) await put(line)
  const mapping = {
    survey,
    attributeOf: attributeNames(),
    missing: output.missing,
    notes,
    ...options,
  }
  for await (const record of readWxr(path)) {
    if (record.kind !== 'item' || !isTaken(record, openNotes())) continue
    const line = postLine(record, mapping)
    if (line !== null) await put(line)
  }
  return {
    types: Object.fromEntries(
      declared.map(({ names }) => [names.singular, counts.get(names.singular) ?? 0]),
    ),
    files,
    locales: [],
    defaultLocale: null,
    notes: notes.all(),
  }
}

function declarationsOf(survey: WordPressSurvey, options: MapOptions): readonly WordPressTypes[] {
  const terms = [...survey.taxonomies.values()].map(({ names }) => declareTerms(names))
  const posts = [...survey.postTypes.values()].map((type) => declarePosts(type, survey, options))
  return [declareAuthor(AUTHOR), ...terms, ...posts]
}

function typeOrder({ taxonomies, postTypes }: WordPressSurvey): readonly string[] {
  const terms = [...taxonomies.values()].map(({ names }) => names.singular)
  const posts = [...postTypes.values()].map(({ names }) => names.singular)
  return inOrder([AUTHOR.singular, ...terms, ...posts], new Map())
}

function* authorAndTermLines({ authors, taxonomies }: WordPressSurvey): Generator<MappedLine> {
  for (const { login, name, email } of authors.values()) {
    const data = { name, login, ...(email !== '' && { email }) }
    yield { type: AUTHOR.singular, documentId: authorId(login), data, targets: {} }
  }
  for (const [taxonomy, { names, terms }] of taxonomies) {
    const known = new Set(terms.map(({ slug }) => slug))
    for (const { slug, name, description, parent } of terms) {
      const above = known.has(parent) ? termId(taxonomy, parent) : null
      yield {
        type: names.singular,
        documentId: termId(taxonomy, slug),
        data: { name: name === '' ? slug : name, slug, description, parent: above },
        targets: above === null ? {} : { parent: [above] },
      }
    }
  }
}

function attributeNames(): (type: PostType, taxonomy: string) => string {
  const namers = new Map<PostType, (taxonomy: string) => string>()
  return (type, taxonomy) => {
    let namer = namers.get(type)
    if (namer === undefined) {
      namer = taxonomyNamer()
      for (const each of type.taxonomies) namer(each)
      namers.set(type, namer)
    }
    return namer(taxonomy)
  }
}
