import { documentIdFrom } from '@quire/schema/derived-id'
import type { LinePosition } from '../content-lines.ts'
import type { MappedFile } from '../map-output.ts'
import { typeNamer, type TypeNames } from '../names.ts'
import type { Notes } from '../notes.ts'
import { textOfHtml } from './html-tree.ts'
import { readWxr, type WxrRecord, type WxrTerm } from './read-wxr.ts'

export interface WordPressAuthor {
  readonly login: string
  readonly name: string
  readonly email: string
}

export interface Term {
  readonly taxonomy: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly parent: string
}

export interface PostType {
  readonly names: TypeNames
  readonly taxonomies: Set<string>
  hasParents: boolean
}

export interface WordPressSurvey {
  readonly authors: ReadonlyMap<string, WordPressAuthor>
  /** By taxonomy and slug, parents first. */
  readonly taxonomies: ReadonlyMap<
    string,
    { readonly names: TypeNames; readonly terms: readonly Term[] }
  >
  readonly postTypes: ReadonlyMap<string, PostType>
  readonly posts: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, MappedFile>
  readonly fileIds: ReadonlyMap<string, string>
  readonly places: ReadonlyMap<string, LinePosition>
}

/** Types of the site rather than its content: menus, templates, old revisions. */
const LEFT_TYPES =
  /^(?:nav_menu_item|revision|customize_changeset|custom_css|oembed_cache|user_request|wp_.*|acf-.*)$/
const LEFT_TAXONOMIES =
  /^(?:nav_menu|post_format|wp_.*|language|term_language|post_translations|term_translations)$/
/** Never published, or deleted. */
const LEFT_STATUSES: ReadonlySet<string> = new Set(['trash', 'auto-draft', 'inherit'])

export function postId(id: string): string {
  return documentIdFrom('w', `wordpress post ${id}`)
}

export function authorId(login: string): string {
  return documentIdFrom('w', `wordpress author ${login}`)
}

export function termId(taxonomy: string, slug: string): string {
  return documentIdFrom('w', `wordpress term ${taxonomy} ${slug}`)
}

export async function surveyWxr(path: string, notes: Notes): Promise<WordPressSurvey> {
  const nameType = typeNamer('wordpress')
  const survey: Surveying = {
    nameType,
    authorType: nameType('author').singular,
    authors: new Map(),
    terms: new Map(),
    postTypes: new Map(),
    posts: new Map(),
    files: new Map(),
    fileIds: new Map(),
    counts: new Map(),
    places: new Map(),
  }
  for await (const record of readWxr(path)) {
    if (record.kind === 'author') noteAuthor(survey, record)
    else if (record.kind !== 'item') noteTerm(survey, termOf(record))
    else if (isTaken(record, notes)) noteItem(survey, record)
  }
  return { ...survey, taxonomies: taxonomiesOf(survey) }
}

interface Surveying extends Omit<WordPressSurvey, 'taxonomies'> {
  readonly nameType: (name: string) => TypeNames
  readonly authorType: string
  readonly authors: Map<string, WordPressAuthor>
  readonly terms: Map<string, Map<string, Term>>
  readonly postTypes: Map<string, PostType>
  readonly posts: Map<string, string>
  readonly files: Map<string, MappedFile>
  readonly fileIds: Map<string, string>
  readonly counts: Map<string, number>
  readonly places: Map<string, LinePosition>
}

function notePlace({ counts, places }: Surveying, type: string, documentId: string): void {
  const position = counts.get(type) ?? 0
  counts.set(type, position + 1)
  places.set(documentId, { type, position })
}

function noteAuthor(survey: Surveying, record: WxrRecord): void {
  const author = authorOf(record)
  survey.authors.set(author.login, author)
  notePlace(survey, survey.authorType, authorId(author.login))
}

function noteTerm({ terms }: Surveying, term: Term): void {
  if (LEFT_TAXONOMIES.test(term.taxonomy) || term.slug === '') return
  const known = terms.get(term.taxonomy) ?? new Map<string, Term>()
  terms.set(term.taxonomy, known)
  if (!known.has(term.slug)) known.set(term.slug, term)
}

function noteItem(survey: Surveying, record: WxrRecord): void {
  const { id, type, parent } = factsOf(record)
  if (type === 'attachment') {
    const file = fileOf(record)
    survey.files.set(id, file)
    survey.fileIds.set(addressKey(file.url), id)
    return
  }
  const known = survey.postTypes.get(type) ?? {
    names: survey.nameType(type),
    taxonomies: new Set(),
    hasParents: false,
  }
  survey.postTypes.set(type, known)
  known.hasParents ||= parent !== null
  for (const term of record.terms) {
    noteTerm(survey, { ...fromItem(term), taxonomy: term.domain })
    if (survey.terms.has(term.domain)) known.taxonomies.add(term.domain)
  }
  survey.posts.set(id, type)
  notePlace(survey, known.names.singular, postId(id))
}

/** Types are named after post types. Parent terms come first. */
function taxonomiesOf(survey: Surveying): WordPressSurvey['taxonomies'] {
  return new Map(
    [...survey.terms].map(([taxonomy, bySlug]) => {
      const names = survey.nameType(taxonomy === 'post_tag' ? 'tag' : taxonomy)
      const terms = [...bySlug.values()].sort(
        (one, other) => depthOf(one, bySlug) - depthOf(other, bySlug),
      )
      for (const { slug } of terms) notePlace(survey, names.singular, termId(taxonomy, slug))
      return [taxonomy, { names, terms }] as const
    }),
  )
}

export interface PostFacts {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly parent: string | null
}

export function factsOf({ texts }: WxrRecord): PostFacts {
  const parent = texts.get('wp:post_parent') ?? '0'
  return {
    id: texts.get('wp:post_id') ?? '',
    type: texts.get('wp:post_type') ?? 'post',
    status: texts.get('wp:status') ?? 'draft',
    parent: parent === '0' || parent === '' ? null : parent,
  }
}

/** Whether an item is content or a file. Other items are noted. */
export function isTaken(record: WxrRecord, notes: Notes): boolean {
  const { id, type, status } = factsOf(record)
  if (type === 'attachment') return (record.texts.get('wp:attachment_url') ?? '') !== ''
  if (LEFT_TYPES.test(type)) {
    notes.add(`items of the type ${type} are not taken`, '')
    return false
  }
  if (!LEFT_STATUSES.has(status)) return true
  notes.add(`what has the status ${status} is not taken`, `${type} ${id}`)
  return false
}

export function addressKey(url: string): string {
  return url
    .replace(/^(?:https?:)?\/\//, '')
    .replace(/[?#].*$/s, '')
    .replace(/-\d+x\d+(?=\.[a-z]+$)/i, '')
    .replace(/-scaled(?=\.[a-z]+$)/i, '')
}

/** Slugs in other alphabets are percent-encoded. */
export function slugOf(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function authorOf({ texts }: WxrRecord): WordPressAuthor {
  const login = texts.get('wp:author_login') ?? ''
  const name = texts.get('wp:author_display_name') ?? ''
  return { login, name: name === '' ? login : name, email: texts.get('wp:author_email') ?? '' }
}

function termOf({ kind, texts }: WxrRecord): Term {
  const first = (...names: readonly string[]): string =>
    names.map((name) => texts.get(name)).find((text) => text !== undefined) ?? ''
  const taxonomies = { category: 'category', tag: 'post_tag' } as const
  return {
    taxonomy: kind === 'category' || kind === 'tag' ? taxonomies[kind] : first('wp:term_taxonomy'),
    slug: first('wp:category_nicename', 'wp:tag_slug', 'wp:term_slug'),
    name: textOfHtml(first('wp:cat_name', 'wp:tag_name', 'wp:term_name')),
    description: first('wp:category_description', 'wp:tag_description', 'wp:term_description'),
    parent: first('wp:category_parent', 'wp:term_parent'),
  }
}

function fromItem({ domain, slug, name }: WxrTerm): Term {
  return { taxonomy: domain, slug, name: textOfHtml(name), description: '', parent: '' }
}

function depthOf(term: Term, bySlug: ReadonlyMap<string, Term>): number {
  const seen = new Set<string>()
  let at: Term | undefined = term
  while (at !== undefined && !seen.has(at.slug)) {
    seen.add(at.slug)
    at = bySlug.get(at.parent)
  }
  return seen.size
}

function fileOf(record: WxrRecord): MappedFile {
  const { texts, meta } = record
  const url = texts.get('wp:attachment_url') ?? ''
  const alternative = meta.find(([key]) => key === '_wp_attachment_image_alt')?.[1] ?? ''
  const caption = textOfHtml(texts.get('excerpt:encoded') ?? '')
  const name = slugOf(
    url
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '',
  )
  return {
    documentId: documentIdFrom('w', `wordpress file ${factsOf(record).id}`),
    name: name === '' ? `file-${factsOf(record).id}` : name,
    mime: mimeOf(name),
    alternativeText: alternative === '' ? null : alternative,
    caption: caption === '' ? null : caption,
    url,
  }
}

/** The export does not contain file types. The real type is detected from the bytes later. */
const IMAGE = /\.(jpe?g|png|gif|webp|avif|svg|bmp|tiff?)$/i

function mimeOf(name: string): string {
  const ending = IMAGE.exec(name)?.[1]?.toLowerCase()
  if (ending === undefined) return 'application/octet-stream'
  if (ending === 'svg') return 'image/svg+xml'
  return `image/${ending.replace('jpg', 'jpeg').replace(/^tif$/, 'tiff')}`
}
