import type { Data } from '../data.ts'
import type { MapOptions } from '../map-output.ts'
import { attributeNamer, type TypeNames } from '../names.ts'
import type { PostType, WordPressSurvey } from './survey.ts'

const POST: Readonly<Record<string, Data>> = {
  title: { type: 'string', maxLength: 1000 },
  slug: { type: 'string', index: true },
  date: { type: 'datetime', index: true },
  excerpt: { type: 'text' },
  content: { type: 'blocks' },
  cover: { type: 'media', allowedTypes: ['images'] },
  author: relation('manyToOne', 'author'),
  menuOrder: { type: 'integer' },
  sticky: { type: 'boolean' },
  customFields: { type: 'json' },
  /** The URL on the old site, for redirects. */
  link: { type: 'text' },
  wordpressId: { type: 'integer', index: true },
}

const TERM: Readonly<Record<string, Data>> = {
  name: { type: 'string', required: true },
  slug: { type: 'string', unique: true },
  description: { type: 'text' },
}

export interface WordPressTypes {
  readonly names: TypeNames
  readonly declaration: Data
}

export function declareAuthor(names: TypeNames): WordPressTypes {
  return declared(
    names,
    { draftAndPublish: false },
    {
      name: { type: 'string' },
      login: { type: 'string', private: true },
      email: { type: 'email', private: true },
    },
  )
}

export function declareTerms(names: TypeNames): WordPressTypes {
  return declared(
    names,
    { draftAndPublish: false },
    { ...TERM, parent: relation('manyToOne', names.singular) },
  )
}

export function declarePosts(
  { names, hasParents, taxonomies }: PostType,
  survey: WordPressSurvey,
  { tables }: MapOptions,
): WordPressTypes {
  const nameOf = taxonomyNamer()
  const terms = [...taxonomies].map((taxonomy) => [
    nameOf(taxonomy),
    relation('manyToMany', survey.taxonomies.get(taxonomy)?.names.singular ?? ''),
  ])
  const options = { draftAndPublish: true, ...(tables && { blocks: 'extended' }) }
  return declared(names, options, {
    ...POST,
    ...(hasParents && { parent: relation('manyToOne', names.singular) }),
    ...(Object.fromEntries(terms) as Readonly<Record<string, Data>>),
  })
}

/** Returns the attribute name of a taxonomy: `categories`, `tags`, or the name of a custom taxonomy. */
export function taxonomyNamer(): (taxonomy: string) => string {
  const nameOf = attributeNamer('wordpress', [...Object.keys(POST), 'parent'])
  const names = new Map<string, string>()
  return (taxonomy) => {
    const usual = { category: 'categories', post_tag: 'tags' }[taxonomy] ?? taxonomy
    const name = names.get(taxonomy) ?? nameOf(usual)
    names.set(taxonomy, name)
    return name
  }
}

function declared(names: TypeNames, options: Data, attributes: Data): WordPressTypes {
  const { singular, plural } = names
  const words = singular.replaceAll('-', ' ')
  const declaration = {
    kind: 'collectionType',
    collectionName: `wordpress_${plural.replaceAll('-', '_')}`,
    info: {
      singularName: singular,
      pluralName: plural,
      displayName: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    },
    options,
    attributes,
  }
  return { names, declaration }
}

function relation(kind: string, singular: string): Data {
  return { type: 'relation', relation: kind, target: `api::${singular}.${singular}` }
}
