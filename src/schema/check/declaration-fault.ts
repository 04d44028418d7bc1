import type { Param, Reason } from '../../base/errors.ts'
import type { FaultCode } from '../../base/fault-codes.ts'
import { nearestTo } from '../../base/near-miss.ts'
import type { DeclarationFault } from '../definition.ts'

type Params = NonNullable<Reason['params']>
const WORDS = [
  'amount',
  'attribute',
  'file',
  'holder',
  'kind',
  'limit',
  'name',
  'option',
  'other',
  'type',
  'valids',
  'wanted',
] as const

type Words = Readonly<Record<(typeof WORDS)[number], string>>
type Sentence = (words: Words) => string

/** The English sentences. The Studio has its own text for each code. */
const SENTENCES = {
  'declare.aboveLimit': ({ option, limit }) => `must not be above ${option} (${limit})`,
  'declare.bothSides': () => 'a side is the owner (inversedBy) or the inverse (mappedBy), not both',
  'declare.collection': () => 'must be letters, digits and _',
  'declare.collectionReserved': ({ name }) =>
    `${name}: collections that begin with quire_ are the server's own; choose another`,
  'declare.adoptInverse': ({ type }) =>
    `${type} would write its one-to-one relations into this collection, which is only read`,
  'declare.adoptLevels': ({ limit }) =>
    `the components of an adopted collection are nested at most ${limit} levels deep`,
  'declare.adoptOption': () => 'this adopted collection does not support it: leave this out',
  'declare.adoptPaths': ({ name, other }) =>
    `${name} and ${other} overlap, so clients cannot write both; set "writable": false for one`,
  'declare.adoptType': ({ type }) =>
    `an adopted collection has no attributes of type ${type}; use another type, such as json`,
  'declare.aliasTaken': ({ name }) => `${name} is the name of an attribute or alias already`,
  'declare.collectionTaken': ({ name, type }) =>
    `${name} is the collection of ${type} already; choose another`,
  'declare.componentUid': ({ name }) => `${name} is no uid of a new component, such as shared.link`,
  'declare.convert': () => 'must be "null" or a time zone, such as { "timeZone": "Europe/Berlin" }',
  'declare.convertLoses': ({ amount, kind, type }) =>
    `stored values of type ${kind} that do not fit ${type}: ${amount}; add "convert": "null" to remove them`,
  'declare.convertValues': ({ amount, kind, type }) =>
    `stored values of type ${kind} that do not fit ${type}: ${amount}; add "from": { "old": "new" } to rename values, or "convert": "null" to remove them`,
  'declare.convertZone': ({ amount, kind, type }) =>
    `stored values of type ${kind} that need a time zone to become ${type}: ${amount}; add "convert": { "timeZone": "UTC" } or another zone`,
  'declare.defaultBlocks': () => 'holds invalid nodes',
  'declare.duplicate': ({ name, file }) => `${name} is declared in ${file} already`,
  'declare.endless': () => 'requires a component that requires this one again; make it optional',
  'declare.filterDepth': () => 'leads through more than one relation or component',
  'declare.filterHolder': ({ name }) => `there is no relation or component ${name}`,
  'declare.filterName': ({ name }) => `there is no attribute ${name} that compares`,
  'declare.gone': ({ name }) => `there is no declaration of ${name}`,
  'declare.indexComponent': ({ name }) => `${name} is a component: name an attribute in it`,
  'declare.indexInside': ({ name }) => `${name} is not a component`,
  'declare.indexInverse': ({ name }) => `${name} is stored on the other side, which has an index`,
  'declare.indexLists': ({ name, other }) =>
    `${name} and ${other} are lists, and an index holds only one`,
  'declare.indexPaths': ({ limit }) => `an index takes at most ${limit} attributes`,
  'declare.indexPlace': () =>
    'name the path of the attribute in options.indexes of the content-type',
  'declare.indexShape': () =>
    'must be a list of indexes, each a list of attributes such as ["views:desc", "seo.title"]',
  'declare.indexTwice': ({ name }) => `${name} is named twice`,
  'declare.indexType': ({ type, name }) =>
    `no index serves attributes of type ${type}${name === '' ? '' : ` (${name})`}`,
  'declare.inverseSide': () => 'oneToMany is the inverse side: use mappedBy',
  'declare.nameForm': () =>
    'a name must start with a letter and hold only letters, digits, _ and -',
  'declare.nameReserved': () => 'the name is reserved; give the attribute another one',
  'declare.noAttribute': ({ name }) => `no attribute ${name}`,
  'declare.noAttributeOf': ({ name, type }) => `${type} has no attribute ${name}`,
  'declare.noAttributes': () =>
    'missing: this declares no content-type and no component; other files belong elsewhere',
  'declare.noComponent': ({ name }) => `no component ${name}`,
  'declare.noContentType': ({ name }) => `no content-type ${name}`,
  'declare.noOption': () => 'no such option',
  'declare.noType': ({ name, valids }) =>
    `no attribute type ${name}${valids === '' ? '' : `; there are ${valids}`}`,
  'declare.notObject': () => 'must be an object with a type',
  'declare.oneType': ({ valids }) => `must be one of ${valids}`,
  'declare.oneWay': () => 'a relation in a component is one-way: leave this out',
  'declare.otherKind': ({ name, type, wanted, kind }) =>
    `${name} of ${type} must be ${wanted}, not ${kind}`,
  'declare.otherType': ({ name, type, holder }) => `${name} of ${type} is no relation to ${holder}`,
  'declare.owningSide': () => 'manyToOne is the owning side: use inversedBy',
  'declare.pointsBack': ({ name, type, option, attribute }) =>
    `${name} of ${type} does not point back: it needs ${option}: "${attribute}"`,
  'declare.previewAddress': () => 'must be an http:// or https:// address',
  'declare.previewPlace': ({ name, valids }) => `knows no {${name}}; there are ${valids}`,
  'declare.renamedValue': ({ name, wanted }) =>
    `${name} becomes ${wanted}, so enum must have ${wanted} and must not have ${name}`,
  'declare.reviewDrafts': () => 'only drafts are reviewed: set options.draftAndPublish',
  'declare.reviewPublish': ({ name }) => `must be the last stage, ${name}`,
  'declare.routeForm': ({ name }) =>
    `${name} is no name for a path: it takes letters, digits and hyphens`,
  'declare.routeReserved': ({ name }) =>
    `/api/${name} is taken by the server itself; choose another name`,
  'declare.routeTaken': ({ name, type }) => `${name} is a name of ${type} already`,
  'declare.searchPrivate': ({ name }) => `${name} is private, so no search may read it`,
  'declare.searchType': ({ type, name }) => `${name} has the type ${type}, which holds no text`,
  'declare.singularName': ({ name }) =>
    `info.singularName must be ${name}: it names what is stored`,
  'declare.stored': ({ name }) => name,
  'declare.userDeleteMany': () => 'delete takes a relation to one user',
  'declare.userDeletePlace': () =>
    'only relations of a content-type to plugin::users-permissions.user that this type stores take it',
  'declare.userDeleteRequired': () => 'a required relation cannot be cleared: use delete or keep',
  'declare.studioCondition': () =>
    'must be a condition on attributes next to it, such as { "kind": { "$eq": "video" } }',
  'declare.studioOperand': ({ option, name }) => `${option} does not fit the attribute ${name}`,
  'declare.studioText': ({ limit, valids }) =>
    `must be a text of at most ${limit} characters, or an object with texts for ${valids}`,
  'declare.studioValue': ({ name }) => `${name} is no value of this attribute`,
  'declare.typeUid': ({ name }) =>
    `${name} is no uid of a new content-type, such as api::recipe.recipe`,
  'declare.urlAddress': () =>
    'must be a path such as /articles/{slug}, or an http:// or https:// address',
  'declare.urlPrivate': ({ name }) => `${name} is private, so no URL may show it`,
  'declare.urlType': ({ type, name }) => `${name} has the type ${type}, which fits into no URL`,
} satisfies Readonly<Partial<Record<FaultCode, Sentence>>>

export type DeclarationCode = keyof typeof SENTENCES

export function isDeclarationCode(code: string): code is DeclarationCode {
  return Object.hasOwn(SENTENCES, code)
}

export function declarationFault(
  path: string,
  code: DeclarationCode,
  params: Params = {},
): DeclarationFault {
  const sentence: Sentence = SENTENCES[code]
  const { near } = params
  const hint = near === undefined ? '' : `; did you mean ${String(near)}?`
  return { path, problem: sentence(wordsOf(params)) + hint, reason: { code, params } }
}

export function suggest(word: string, candidates: Iterable<string>): { readonly near?: string } {
  const near = nearestTo(word, candidates)
  return near === null ? {} : { near }
}

function wordsOf(params: Params): Words {
  const words = WORDS.map((word) => [word, wordOf(params[word])] as const)
  return Object.fromEntries(words) as Words
}

function wordOf(value: Param | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? value.join(', ') : String(value)
}
