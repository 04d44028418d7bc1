import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclaredPopulate,
  DeclarationFile,
  SearchWeights,
  Uid,
} from '../definition.ts'
import { toIndexDefinitions } from './declared-indexes.ts'
import { type DeclaredReview, toReview } from './review-options.ts'

export interface Declaration {
  readonly adopt?: {
    readonly collection?: string
    readonly paths?: Readonly<Record<string, string>>
    readonly write?: boolean
    readonly version?: string
  }
  readonly from?: string | readonly string[]
  readonly kind?: ContentTypeDefinition['kind']
  readonly collectionName?: string
  readonly info?: {
    readonly singularName?: string
    readonly pluralName?: string
    readonly displayName?: string
    readonly description?: unknown
    readonly icon?: unknown
  }
  readonly options?: {
    readonly draftAndPublish?: boolean
    readonly sharded?: boolean
    readonly history?: boolean
    readonly push?: boolean
    readonly blocks?: 'extended'
    readonly indexes?: unknown
    readonly preview?: string
    readonly url?: string
    readonly review?: DeclaredReview
    readonly search?: SearchWeights
    readonly api?: {
      readonly filterable?: readonly string[]
      readonly populate?: DeclaredPopulate
    }
  }
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
  readonly attributes?: Readonly<Record<string, unknown>>
}

export interface ParsedFile {
  readonly file: DeclarationFile
  readonly declaration: Declaration | null
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

export function toContentTypes({
  file,
  declaration,
  attributes,
}: ParsedFile): readonly ContentTypeDefinition[] {
  if (declaration === null) return []
  const { kind = 'collectionType', options, pluginOptions } = declaration
  return [
    {
      uid: file.uid,
      file: file.file,
      kind,
      ...namesOf(file.uid, declaration),
      ...shownOf(declaration),
      localized: pluginOptions?.i18n?.localized ?? false,
      ...storageOf(options),
      ...(options?.push === true && { push: true }),
      ...toReview(options?.review),
      ...olderNames(declaration, (name) => (name.includes('::') ? name : `api::${name}.${name}`)),
      ...adoptionOf(declaration),
      attributes,
    },
  ]
}

function adoptionOf({
  adopt,
}: Declaration): Partial<Pick<ContentTypeDefinition, 'adopt' | 'collectionName'>> {
  if (adopt?.collection === undefined) return {}
  const { collection, paths = {}, write, version } = adopt
  return {
    collectionName: collection,
    adopt: {
      paths,
      ...(write === true && { write }),
      ...(version !== undefined && { version }),
    },
  }
}

function shownOf({
  info,
  options,
}: Declaration): Pick<
  ContentTypeDefinition,
  'description' | 'icon' | 'preview' | 'search' | 'url'
> {
  return {
    ...describedBy(info),
    ...(options?.url !== undefined && { url: options.url }),
    ...(options?.preview !== undefined && { preview: options.preview }),
    ...(options?.search !== undefined && { search: options.search }),
  }
}

function describedBy({ description, icon }: Declaration['info'] = {}): Pick<
  ContentTypeDefinition,
  'description' | 'icon'
> {
  return {
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(typeof icon === 'string' && icon !== '' && { icon }),
  }
}

function storageOf({
  draftAndPublish = false,
  sharded = false,
  history,
  indexes,
  api: { filterable, populate } = {},
}: Declaration['options'] = {}): Pick<
  ContentTypeDefinition,
  'draftAndPublish' | 'sharded' | 'history' | 'indexes' | 'filterable' | 'populate'
> {
  return {
    draftAndPublish,
    ...(sharded && { sharded }),
    ...(history !== undefined && { history }),
    ...(indexes !== undefined && { indexes: toIndexDefinitions(indexes) }),
    ...(filterable !== undefined && { filterable }),
    ...(populate !== undefined && { populate }),
  }
}

function namesOf(
  uid: Uid,
  { info = {}, collectionName }: Declaration,
): Pick<ContentTypeDefinition, 'singularName' | 'pluralName' | 'displayName' | 'collectionName'> {
  const { singularName = uid.slice(uid.lastIndexOf('.') + 1) } = info
  const { pluralName = pluralOf(singularName), displayName = singularName } = info
  const names = { singularName, pluralName, displayName }
  return { ...names, collectionName: collectionName ?? pluralName.replaceAll('-', '_') }
}

export function toComponents({
  file,
  declaration,
  attributes,
}: ParsedFile): readonly ComponentDefinition[] {
  if (declaration === null) return []
  const displayName = declaration.info?.displayName ?? file.uid.slice(file.uid.indexOf('.') + 1)
  const from = olderNames(declaration, (name) => name)
  return [
    {
      uid: file.uid,
      file: file.file,
      displayName,
      ...describedBy(declaration.info),
      ...from,
      attributes,
    },
  ]
}

/** An older name may be a uid or the singular name of a content-type. */
function olderNames(
  { from }: Declaration,
  toUid: (name: string) => Uid,
): { readonly from?: readonly Uid[] } {
  return from === undefined ? {} : { from: [from].flat().map(toUid) }
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`
  return `${noun}s`
}
