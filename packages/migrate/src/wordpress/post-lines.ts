import type { Data } from '../data.ts'
import type { MappedLine } from '../content-lines.ts'
import type { MapOptions, MappedFile } from '../map-output.ts'
import type { Notes } from '../notes.ts'
import { htmlBlocks, type HtmlContext } from './html-blocks.ts'
import { textOfHtml } from './html-tree.ts'
import type { WxrRecord } from './read-wxr.ts'
import {
  addressKey,
  authorId,
  factsOf,
  type PostFacts,
  postId,
  type PostType,
  slugOf,
  type WordPressSurvey,
  termId,
} from './survey.ts'

export interface PostMapping extends MapOptions {
  readonly survey: WordPressSurvey
  readonly attributeOf: (type: PostType, taxonomy: string) => string
  readonly missing: ReadonlySet<string>
  readonly notes: Notes
}

/** Internal metadata of WordPress and plugins. */
const HIDDEN_META = /^_/
const NO_TIME = /^0000-/

export function postLine(record: WxrRecord, mapping: PostMapping): MappedLine | null {
  const { survey, notes } = mapping
  const facts = factsOf(record)
  const type = survey.postTypes.get(facts.type)
  if (type === undefined) return null
  const where = `${facts.type} ${facts.id}`
  const { texts } = record
  const textAt = (name: string): string => texts.get(name) ?? ''
  const related = relationsOf(record, facts, type, mapping)
  const cover = record.meta.find(([key]) => key === '_thumbnail_id')?.[1]
  const file = cover === undefined ? null : fileOf(cover, mapping, where)
  const data: Data = {
    title: textOfHtml(textAt('title')),
    slug: slugOf(textAt('wp:post_name')),
    date: dateOf(record),
    excerpt: textOfHtml(textAt('excerpt:encoded')),
    content: htmlBlocks(textAt('content:encoded'), htmlContext(mapping, where)),
    ...(file !== null && { cover: file.documentId }),
    menuOrder: Number(textAt('wp:menu_order')) || 0,
    sticky: textAt('wp:is_sticky') === '1',
    customFields: customFields(record, notes),
    link: textAt('link'),
    wordpressId: Number(facts.id),
    ...related.data,
  }
  if (record.comments > 0) notes.add('comments are not taken', where)
  const status = statusOf(record, facts, notes)
  return {
    type: type.names.singular,
    documentId: postId(facts.id),
    status,
    data,
    targets: related.targets,
  }
}

function relationsOf(
  record: WxrRecord,
  { id, type: kind, parent }: PostFacts,
  type: PostType,
  { survey, attributeOf, notes }: PostMapping,
): Pick<MappedLine, 'data' | 'targets'> {
  const data: Data = {}
  const targets: Record<string, readonly string[]> = {}
  const login = record.texts.get('dc:creator') ?? ''
  if (survey.authors.has(login)) {
    data['author'] = authorId(login)
    targets['author'] = [authorId(login)]
  } else if (login !== '')
    notes.add('an author who is not in the export is left out', `${kind} ${id}`)
  if (parent !== null && survey.posts.get(parent) === kind) {
    data['parent'] = postId(parent)
    targets['parent'] = [postId(parent)]
  } else if (parent !== null) {
    notes.add(
      'a parent that is not in the export, or of another type, is left out',
      `${kind} ${id}`,
    )
  }
  for (const taxonomy of type.taxonomies) {
    const slugs = record.terms.filter(({ domain }) => domain === taxonomy).map(({ slug }) => slug)
    const name = attributeOf(type, taxonomy)
    const ids = [...new Set(slugs.filter((slug) => slug !== ''))].map((slug) =>
      termId(taxonomy, slug),
    )
    data[name] = ids
    targets[name] = ids
  }
  return { data, targets }
}

/** Posts that are not public become drafts. */
function statusOf(
  { texts }: WxrRecord,
  { id, type, status }: PostFacts,
  notes: Notes,
): 'published' | 'draft' {
  const where = `${type} ${id}`
  if (status !== 'publish') {
    if (status !== 'draft') notes.add(`what has the status ${status} is a draft`, where)
    return 'draft'
  }
  if ((texts.get('wp:post_password') ?? '') === '') return 'published'
  notes.add('what asks for a password is a draft', where)
  return 'draft'
}

/** WordPress writes `2024-01-31 12:34:56`, or zeros for a missing date. */
function dateOf({ texts }: WxrRecord): string | null {
  const gmt = texts.get('wp:post_date_gmt') ?? ''
  const own = texts.get('wp:post_date') ?? ''
  const text = [gmt, own].find((each) => each !== '' && !NO_TIME.test(each))
  const date = new Date(`${(text ?? '').replace(' ', 'T')}Z`)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

function customFields({ meta }: WxrRecord, notes: Notes): Data | null {
  for (const [key] of meta.filter(([name]) => HIDDEN_META.test(name) && !SILENT_META.has(name))) {
    notes.add(`the custom field ${key} is not taken`, '')
  }
  const shown = meta.filter(([key]) => !HIDDEN_META.test(key) && key !== '')
  return shown.length === 0 ? null : Object.fromEntries(shown)
}

const SILENT_META: ReadonlySet<string> = new Set([
  '_thumbnail_id',
  '_edit_last',
  '_edit_lock',
  '_wp_page_template',
  '_wp_old_slug',
  '_wp_old_date',
  '_pingme',
  '_encloseme',
])

function htmlContext(mapping: PostMapping, where: string): HtmlContext {
  const { survey, notes } = mapping
  const byAddress = (url: string): MappedFile | null => {
    const id = survey.fileIds.get(addressKey(url))
    return id === undefined ? null : fileOf(id, mapping, where)
  }
  return {
    image: (id, url) => {
      const file = id !== null && survey.files.has(id) ? fileOf(id, mapping, where) : byAddress(url)
      return file?.documentId ?? null
    },
    file: (url) => byAddress(url)?.documentId ?? null,
    note: (sentence) => notes.add(sentence, where),
    tables: mapping.tables,
  }
}

function fileOf(
  id: string,
  { survey, missing, notes }: PostMapping,
  where: string,
): MappedFile | null {
  const file = survey.files.get(id)
  if (file !== undefined && !missing.has(file.documentId)) return file
  notes.add('a file that is not there is left out', where)
  return null
}
