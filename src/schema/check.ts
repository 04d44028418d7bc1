import { SchemaError } from '../errors.ts'
import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFile,
  Definitions,
  Uid,
} from './definition.ts'

interface Declaration {
  readonly kind?: ContentTypeDefinition['kind']
  readonly collectionName?: string
  readonly info?: {
    readonly singularName?: string
    readonly pluralName?: string
    readonly displayName?: string
  }
  readonly options?: { readonly draftAndPublish?: boolean }
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
  readonly attributes?: Readonly<Record<string, AttributeDefinition>>
}

/**
 * The definitions that the files declare, with defaults filled in and the built-in types added.
 * @throws SchemaError with every fault that was found.
 */
export function checkDefinitions(
  files: readonly DeclarationFile[],
  builtIn: readonly ContentTypeDefinition[] = [],
): Definitions {
  const faults = files.flatMap(({ file, fault }) =>
    fault === undefined ? [] : [`${file}: ${fault}`],
  )
  if (faults.length > 0) throw new SchemaError(faults)
  const contentTypes = files.filter(({ kind }) => kind === 'contentType').map(toContentType)
  const components = files.filter(({ kind }) => kind === 'component').map(toComponent)
  return { contentTypes: [...contentTypes, ...builtIn], components }
}

function toContentType({ uid, file, content }: DeclarationFile): ContentTypeDefinition {
  const {
    kind = 'collectionType',
    options,
    pluginOptions,
    attributes,
    ...rest
  } = content as Declaration
  return {
    uid,
    file,
    kind,
    ...namesOf(uid, rest),
    draftAndPublish: options?.draftAndPublish ?? false,
    localized: pluginOptions?.i18n?.localized ?? false,
    attributes: attributes ?? {},
  }
}

function namesOf(
  uid: Uid,
  { info = {}, collectionName }: Pick<Declaration, 'info' | 'collectionName'>,
): Pick<ContentTypeDefinition, 'singularName' | 'pluralName' | 'displayName' | 'collectionName'> {
  const { singularName = uid.slice(uid.lastIndexOf('.') + 1) } = info
  const { pluralName = pluralOf(singularName), displayName = singularName } = info
  const names = { singularName, pluralName, displayName }
  return { ...names, collectionName: collectionName ?? pluralName.replaceAll('-', '_') }
}

function toComponent({ uid, file, content }: DeclarationFile): ComponentDefinition {
  const { info, attributes } = content as Declaration
  const name = uid.slice(uid.lastIndexOf('.') + 1)
  return { uid, file, displayName: info?.displayName ?? name, attributes: attributes ?? {} }
}

/** The plural of a simple English noun: `category` → `categories`, `box` → `boxes`. */
function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`
  return `${noun}s`
}
